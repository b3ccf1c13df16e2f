//! Databases without tables, of other programs, and of other versions.

use super::*;
use crate::keys::store::KeyStoreError;
use crate::keys::tables::VERSION;
use crate::keys::tests::store_tests::subscribe;

fn opened(database: &Database) -> Result<(), KeyStoreError> {
    KeyStore::connect(database.client(), operator()).map(|_store| ())
}

fn polled(database: &Database) -> Result<(), KeyStoreError> {
    database.source().poll().map(|_changed| ())
}

#[test]
#[ignore = "needs PostgreSQL"]
fn only_the_command_for_it_makes_tables() {
    let database = Database::empty();
    for attempt in [opened, polled] {
        let refused = attempt(&database).unwrap_err();
        assert!(
            matches!(refused, KeyStoreError::Missing { .. }),
            "{refused}"
        );
    }
    assert!(make(database.client()).unwrap());
    assert!(!make(database.client()).unwrap(), "they are there");
    opened(&database).unwrap();
    polled(&database).unwrap();
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_schema_that_others_made_is_taken_when_it_is_empty_and_never_otherwise() {
    let database = Database::empty();
    database.by_hand("CREATE SCHEMA catalogue").unwrap();
    database
        .by_hand("CREATE TABLE catalogue.theirs ()")
        .unwrap();
    let refused = make(database.client()).unwrap_err();
    assert!(
        matches!(refused, KeyStoreError::Foreign { .. }),
        "{refused}"
    );
    database.by_hand("DROP TABLE catalogue.theirs").unwrap();
    make(database.client()).unwrap();
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_later_version_is_worked_with_as_long_as_it_says_so() {
    let database = Database::new();
    let later = |oldest_reader: i64| {
        let sql = format!(
            "UPDATE catalogue.schema SET version = {}, oldest_reader = {oldest_reader}",
            VERSION + 1
        );
        database.by_hand(&sql).unwrap();
    };
    later(VERSION);
    opened(&database).unwrap();
    polled(&database).unwrap();
    later(VERSION + 1);
    for attempt in [opened, polled] {
        let refused = attempt(&database).unwrap_err();
        assert!(matches!(refused, KeyStoreError::Newer { .. }), "{refused}");
    }
}

#[test]
#[ignore = "needs PostgreSQL"]
fn tables_of_before_the_first_release_are_refused_and_stay_as_they_are() {
    let database = Database::new();
    database
        .by_hand("UPDATE catalogue.schema SET version = 3, oldest_reader = 3")
        .unwrap();
    for attempt in [
        opened(&database),
        polled(&database),
        make(database.client()).map(drop),
    ] {
        let refused = attempt.unwrap_err();
        assert!(matches!(refused, KeyStoreError::Former { .. }), "{refused}");
    }
    let sql = "DO $$ BEGIN ASSERT (SELECT version FROM catalogue.schema) = 3; END $$";
    database.by_hand(sql).unwrap();
}

#[test]
#[ignore = "needs PostgreSQL"]
fn whoever_owns_the_audit_log_can_only_add_to_it() {
    let database = Database::empty();
    let owner = format!("{}_owner", database.name);
    let role = format!(
        "CREATE ROLE {owner} LOGIN; GRANT CREATE ON DATABASE {} TO {owner}",
        database.name
    );
    database.by_hand(&role).unwrap();
    let (port, name) = (database.port(), &database.name);
    let address = format!("postgres://{owner}@127.0.0.1:{port}/{name}");
    let by_owner = client(address.parse().unwrap(), SLACK);
    make(&by_owner).unwrap();
    subscribe(
        &mut KeyStore::connect(&by_owner, operator()).unwrap(),
        "Acme",
        5,
    );
    for sql in [
        "UPDATE catalogue.audit SET at = 0",
        "DELETE FROM catalogue.audit",
        "TRUNCATE catalogue.audit",
    ] {
        let refused = run(&by_owner, sql).unwrap_err();
        assert_eq!(refused, "permission denied for table audit", "{sql}");
    }
    drop(by_owner);
    let gone = format!("DROP OWNED BY {owner}; DROP ROLE {owner}");
    database.by_hand(&gone).unwrap();
}
