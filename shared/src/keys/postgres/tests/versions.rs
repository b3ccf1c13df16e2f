//! Databases without tables, of other programs, and of other versions.

use super::*;
use crate::keys::postgres::client::Timeout;
use crate::keys::postgres::database::Database as Tables;
use crate::keys::postgres::schema::{self, Step};
use crate::keys::postgres::{Completed, VERSION, migrate};
use crate::keys::store::{CHANGE, KeyStoreError};

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
    let refused = migrate(database.client()).unwrap_err();
    assert!(
        matches!(refused, KeyStoreError::Missing { .. }),
        "{refused}"
    );
    let made = |before| Completed {
        before,
        now: VERSION,
    };
    assert_eq!(make(database.client()).unwrap(), made(0));
    assert_eq!(make(database.client()).unwrap(), made(VERSION));
    assert_eq!(migrate(database.client()).unwrap(), made(VERSION));
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
        .by_hand("UPDATE catalogue.schema SET version = 2, oldest_reader = 1")
        .unwrap();
    for attempt in [
        opened(&database),
        polled(&database),
        make(database.client()).map(drop),
        migrate(database.client()).map(drop),
    ] {
        let refused = attempt.unwrap_err();
        assert!(
            matches!(refused, KeyStoreError::Foreign { .. }),
            "{refused}"
        );
    }
    let sql = "DO $$ BEGIN ASSERT (SELECT version FROM catalogue.schema) = 2; END $$";
    database.by_hand(sql).unwrap();
}

#[test]
#[ignore = "needs PostgreSQL"]
fn steps_are_taken_once_and_all_or_none_of_them() {
    let database = Database::new();
    let step = |sql| Step {
        sql,
        oldest_reader: 1,
    };
    let first = || step("SELECT this_was_taken_before");
    let good = [first(), step("CREATE TABLE catalogue.second ()")];
    let bad = [
        first(),
        step("CREATE TABLE catalogue.second ()"),
        step("SELECT nothing"),
    ];
    let take = |steps: &[Step]| {
        let mut tables = Tables::unchecked(database.client(), Timeout::COMMANDS);
        tables.in_transaction(CHANGE, |transaction| {
            transaction.wait(schema::take(transaction.library(), VERSION, steps))
        })
    };
    take(&bad).unwrap_err();
    take(&good).unwrap();
    let sql = "DO $$ BEGIN ASSERT (SELECT version FROM catalogue.schema) = 4; END $$";
    database.by_hand(sql).unwrap();
}
