//! Which files are made, opened and refused.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::*;
use crate::keys::key_store::KeyStore;
use crate::keys::sqlite::database::Database;
use crate::keys::sqlite::database::LockTimeout;

/// The names of the files there are.
fn files(place: &StoreFile) -> Vec<String> {
    let entries = fs::read_dir(place.0.path()).unwrap();
    let name = |entry: fs::DirEntry| entry.file_name().into_string().unwrap();
    let mut names: Vec<_> = entries.map(|entry| name(entry.unwrap())).collect();
    names.sort();
    names
}

#[test]
fn the_files_are_readable_by_their_owner_alone() {
    let place = StoreFile::new();
    let mut store = place.store();
    let writer = Connection::open(place.path()).unwrap();
    subscribe(&mut store, "Acme", 1);
    writer
        .execute_batch("BEGIN; UPDATE subscriptions SET quota = 2")
        .unwrap();
    assert_eq!(files(&place), ["keys.sqlite", "keys.sqlite-journal"]);
    for file in files(&place) {
        let metadata = fs::metadata(place.0.path().join(&file)).unwrap();
        assert_eq!(metadata.permissions().mode() & 0o777, 0o600, "{file}");
    }
}

#[test]
fn a_copy_that_others_may_read_is_made_private_by_the_next_command() {
    let place = StoreFile::new();
    subscribe(&mut place.store(), "Acme", 1);
    fs::set_permissions(place.path(), fs::Permissions::from_mode(0o644)).unwrap();
    place.open().unwrap();
    let mode = fs::metadata(place.path()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn the_database_alone_is_the_whole_store() {
    let place = StoreFile::new();
    let mut store = place.store();
    subscribe(&mut store, "Acme", 1);
    assert_eq!(files(&place), ["keys.sqlite", "keys.sqlite-journal"]);
    let copy = StoreFile::new();
    fs::copy(place.path(), copy.path()).unwrap();
    assert_eq!(
        copy.store().subscriptions().unwrap(),
        store.subscriptions().unwrap()
    );
}

#[test]
fn commits_are_synced() {
    let place = StoreFile::new();
    place.store();
    let database = Database::open(&place.path(), LockTimeout::COMMANDS);
    let connection = database.unwrap().connection;
    let pragma = |name| {
        connection
            .pragma_query_value(None, name, |row| row.get::<_, rusqlite::types::Value>(0))
            .unwrap()
    };
    assert_eq!(pragma("journal_mode"), "persist".to_owned().into());
    assert_eq!(pragma("synchronous"), 3.into());
    assert_eq!(pragma("foreign_keys"), 1.into());
}

#[test]
fn a_missing_and_an_empty_file_are_no_store() {
    let place = StoreFile::new();
    let missing = "there is no key store at [dir]/keys.sqlite";
    assert_eq!(error(place.open(), &place), missing);
    assert!(!place.path().exists(), "opening makes nothing");
    fs::File::create(place.path()).unwrap();
    assert_eq!(error(place.open(), &place), missing);
    KeyStore::open_or_create(&place.path(), operator()).unwrap();
    place.open().unwrap();
}

#[test]
fn a_store_that_is_gone_is_not_replaced_by_an_empty_one() {
    let place = StoreFile::new();
    drop(place.store());
    fs::remove_file(place.path()).unwrap();
    let gone = "the key store [dir]/keys.sqlite is gone: only its journal is left";
    assert_eq!(error(place.open(), &place), gone);
    let made = KeyStore::open_or_create(&place.path(), operator());
    let made = made.unwrap_err();
    let hint = made.hint().unwrap().into_owned();
    let path = place.path().display().to_string();
    let journal = format!("{path}-journal");
    assert_eq!(
        hint.replace(&journal, "JOURNAL"),
        "put the file back; if it is lost, first rm JOURNAL, then restore a backup; a new store \
         would know none of the keys"
    );
    assert_eq!(error(Err::<(), _>(made), &place), gone);
    assert!(!place.path().exists(), "nothing is made");
    fs::remove_file(place.0.path().join("keys.sqlite-journal")).unwrap();
    KeyStore::open_or_create(&place.path(), operator()).unwrap();
}

#[test]
fn other_files_and_other_versions_are_refused_and_stay_as_they_are() {
    let table = [
        (
            "PRAGMA user_version = 6",
            "the key store [dir]/keys.sqlite has version 6, newer than 5: use a newer program",
        ),
        (
            "PRAGMA user_version = 4",
            "the key store [dir]/keys.sqlite was made before the first release of this program",
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
        let place = StoreFile::new();
        place.store();
        Connection::open(place.path())
            .unwrap()
            .execute_batch(sql)
            .unwrap();
        let before = fs::read(place.path()).unwrap();
        assert_eq!(error(place.open(), &place), message, "{sql}");
        assert_eq!(
            error(KeyStore::open_or_create(&place.path(), operator()), &place),
            message,
            "{sql}"
        );
        assert!(fs::read(place.path()).unwrap() == before, "{sql}");
    }
}

#[test]
fn a_file_that_is_no_database_is_refused() {
    let place = StoreFile::new();
    crate::base::durable::replace(&place.path(), &[b'x'; 8192]).unwrap();
    assert_eq!(
        error(KeyStore::open_or_create(&place.path(), operator()), &place),
        "could not open the key store [dir]/keys.sqlite: file is not a database"
    );
}
