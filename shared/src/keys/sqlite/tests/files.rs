//! Which files are made, opened and refused.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use rusqlite::Connection;

use super::*;

#[test]
fn the_files_are_readable_by_their_owner_alone() {
    let place = Place::new();
    let mut store = place.store();
    subscribe(&mut store, "Acme", 1);
    let files: Vec<_> = fs::read_dir(place.0.path())
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert_eq!(
        files.len(),
        3,
        "the database, its write-ahead log and the index of that"
    );
    for file in files {
        assert_eq!(
            file.metadata().unwrap().permissions().mode() & 0o777,
            0o600,
            "{file:?}"
        );
    }
}

#[test]
fn commits_are_synced() {
    let place = Place::new();
    place.store();
    let database = super::super::database::Database::open(&place.path(), std::time::Duration::ZERO);
    let connection = database.unwrap().connection;
    let pragma = |name| {
        connection
            .pragma_query_value(None, name, |row| row.get::<_, rusqlite::types::Value>(0))
            .unwrap()
    };
    assert_eq!(pragma("journal_mode"), "wal".to_owned().into());
    assert_eq!(pragma("synchronous"), 2.into());
    assert_eq!(pragma("foreign_keys"), 1.into());
}

#[test]
fn a_missing_and_an_empty_file_are_no_store() {
    let place = Place::new();
    let missing = "there is no key store at [dir]/keys.sqlite";
    assert_eq!(error(SqliteKeyStore::open(&place.path()), &place), missing);
    assert!(!place.path().exists(), "opening makes nothing");
    fs::File::create(place.path()).unwrap();
    assert_eq!(error(SqliteKeyStore::open(&place.path()), &place), missing);
    SqliteKeyStore::open_or_create(&place.path()).unwrap();
    SqliteKeyStore::open(&place.path()).unwrap();
}

#[test]
fn other_files_and_newer_versions_are_refused() {
    let table = [
        (
            "PRAGMA user_version = 2",
            "the key store [dir]/keys.sqlite has version 2, newer than 1: use a newer program",
        ),
        (
            "PRAGMA user_version = 0",
            "[dir]/keys.sqlite is not a key store of this program",
        ),
        (
            "PRAGMA user_version = -1",
            "[dir]/keys.sqlite is not a key store of this program",
        ),
        (
            "PRAGMA application_id = 7",
            "[dir]/keys.sqlite is not a key store of this program",
        ),
    ];
    for (sql, message) in table {
        let place = Place::new();
        place.store();
        Connection::open(place.path())
            .unwrap()
            .execute_batch(sql)
            .unwrap();
        assert_eq!(
            error(SqliteKeyStore::open(&place.path()), &place),
            message,
            "{sql}"
        );
        assert_eq!(
            error(SqliteKeyStore::open_or_create(&place.path()), &place),
            message,
            "{sql}"
        );
    }
}

#[test]
fn a_file_that_is_no_database_is_refused() {
    let place = Place::new();
    crate::durable::replace(&place.path(), &[b'x'; 8192]).unwrap();
    assert_eq!(
        error(SqliteKeyStore::open_or_create(&place.path()), &place),
        "could not open the key store [dir]/keys.sqlite: file is not a database"
    );
}

#[test]
fn a_row_that_cannot_be_read_is_an_error_and_not_skipped() {
    let place = Place::new();
    let mut store = place.store();
    subscribe(&mut store, "Acme", 1);
    issue(&mut store, 1);
    let sql = "UPDATE keys SET scopes = 'boats.write'";
    Connection::open(place.path())
        .unwrap()
        .execute_batch(sql)
        .unwrap();
    let message = error(store.keys(), &place);
    assert!(
        message.starts_with("could not read the key store [dir]/keys.sqlite"),
        "{message}"
    );
    assert!(
        message.ends_with("must be boats.read or manufacturers.read"),
        "{message}"
    );
}
