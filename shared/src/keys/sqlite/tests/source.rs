//! What a server learns from the file, poll by poll.

use std::fs::{self, OpenOptions};
use std::os::unix::fs::FileExt;

use super::*;
use crate::keys::key::Key;
use crate::keys::sqlite::SqliteKeySource;
use crate::keys::store::KeySource;

/// A store with a subscription and a key, and a source that has seen both.
fn followed(place: &StoreFile) -> (KeyStore, SqliteKeySource) {
    let mut store = place.store();
    subscribe(&mut store, "Acme", 100);
    issue(&mut store, 1);
    let mut source = SqliteKeySource::new(place.path());
    let snapshot = source.poll().unwrap().unwrap();
    assert_eq!(snapshot.keys, store.keys().unwrap());
    assert_eq!(snapshot.subscriptions, store.subscriptions().unwrap());
    assert_eq!(source.poll().unwrap(), None);
    (store, source)
}

/// Renames as `mv` does; this test needs no durability.
#[expect(
    clippy::disallowed_methods,
    reason = "the test plays an operator with mv"
)]
fn rename(from: impl AsRef<std::path::Path>, to: impl AsRef<std::path::Path>) {
    fs::rename(from, to).unwrap();
}

#[test]
fn a_file_that_goes_missing_is_noticed_and_so_is_its_return() {
    let place = StoreFile::new();
    let (_store, mut source) = followed(&place);
    let aside = place.0.path().join("aside");
    rename(place.path(), &aside);
    assert!(matches!(source.poll(), Err(KeyStoreError::Gone { .. })));
    assert_eq!(source.revision(), None);
    rename(&aside, place.path());
    source.poll().unwrap();
    assert_eq!(source.poll().unwrap(), None);
}

#[test]
fn a_source_may_wait_for_its_file() {
    let place = StoreFile::new();
    let mut source = SqliteKeySource::new(place.path());
    assert!(matches!(source.poll(), Err(KeyStoreError::Missing { .. })));
    place.store();
    assert!(source.poll().unwrap().unwrap().keys.is_empty());
}

/// A store with as many changes as a followed one, and so with the same number in its revision.
fn other_of_same_revision() -> (StoreFile, Vec<Key>) {
    let other = StoreFile::new();
    let mut store = other.store();
    subscribe(&mut store, "Acme", 100);
    issue(&mut store, 2);
    let keys = store.keys().unwrap();
    (other, keys)
}

#[test]
fn a_replaced_file_is_read_anew() {
    let place = StoreFile::new();
    let (_store, mut source) = followed(&place);
    let (other, keys) = other_of_same_revision();
    rename(other.path(), place.path());
    assert_eq!(source.poll().unwrap().unwrap().keys, keys);
}

#[test]
fn a_file_overwritten_in_place_is_read_anew() {
    let place = StoreFile::new();
    let (_store, mut source) = followed(&place);
    let (other, keys) = other_of_same_revision();
    overwrite(&place, 0, &fs::read(other.path()).unwrap());
    assert_eq!(source.poll().unwrap().unwrap().keys, keys);
}

/// Overwrites the file behind SQLite's back.
fn overwrite(place: &StoreFile, offset: usize, bytes: &[u8]) {
    let file = OpenOptions::new().write(true).open(place.path()).unwrap();
    file.write_all_at(bytes, offset as u64).unwrap();
}

/// Where the first page of a table is in the file.
fn page_of(place: &StoreFile, table: &str) -> usize {
    let connection = Connection::open(place.path()).unwrap();
    let root = "SELECT rootpage FROM sqlite_schema WHERE name = $1";
    let root = connection.query_row(root, [table], |row| row.get::<_, u32>(0));
    (root.unwrap() as usize - 1) * 4096
}

#[test]
fn a_page_damaged_before_a_server_starts_confirms_nothing_until_it_is_restored() {
    const PAGE: usize = 4096;
    let place = StoreFile::new();
    drop(followed(&place));
    let whole = fs::read(place.path()).unwrap();
    let has_contents = |offset: &usize| whole[*offset..offset + PAGE] != [0; PAGE];
    for offset in (0..whole.len()).step_by(PAGE).filter(has_contents) {
        for fill in [0, b'x', 0xff] {
            let mut source = SqliteKeySource::new(place.path());
            overwrite(&place, offset, &[fill; PAGE]);
            for _poll in 0..2 {
                let poll = source.poll();
                assert!(poll.is_err(), "{offset} {fill}: {poll:?}");
            }
            overwrite(&place, offset, &whole[offset..offset + PAGE]);
            assert!(source.poll().unwrap().is_some(), "{offset} {fill}");
            assert_eq!(source.poll().unwrap(), None);
        }
    }
}

#[test]
fn a_page_that_polls_read_confirms_nothing_while_it_is_damaged() {
    let place = StoreFile::new();
    let (_store, mut source) = followed(&place);
    let whole = fs::read(place.path()).unwrap();
    let page = page_of(&place, "revision");
    overwrite(&place, page, &[b'x'; 4096]);
    source.poll().unwrap_err();
    assert_eq!(source.revision(), None);
    overwrite(&place, page, &whole[page..page + 4096]);
    assert!(source.poll().unwrap().is_some());
}

/// A whole read takes longer the more keys there are, and keeps charges waiting.
#[test]
fn the_whole_file_is_read_when_a_server_starts_and_not_at_its_polls() {
    let place = StoreFile::new();
    let (_store, mut source) = followed(&place);
    overwrite(&place, page_of(&place, "audit"), &[b'x'; 4096]);
    assert_eq!(source.poll().unwrap(), None);
    let started = SqliteKeySource::new(place.path()).poll();
    assert!(started.is_err(), "{started:?}");
}

#[test]
fn a_file_cut_short_confirms_nothing() {
    let place = StoreFile::new();
    let (_store, mut source) = followed(&place);
    let file = OpenOptions::new().write(true).open(place.path()).unwrap();
    let whole = file.metadata().unwrap().len();
    // SQLite does not notice an end within a page.
    for length in [whole - 1, whole - 4000, 3 * 4096, 4096, 0] {
        file.set_len(length).unwrap();
        let poll = source.poll();
        assert!(poll.is_err(), "{length}: {poll:?}");
    }
}

#[test]
fn a_locked_file_confirms_nothing() {
    let place = StoreFile::new();
    let (_store, mut source) = followed(&place);
    let locker = exclusive_lock(&place);
    for _poll in 0..2 {
        assert_eq!(
            error(source.poll(), &place),
            "could not open the key store [dir]/keys.sqlite: database is locked"
        );
    }
    drop(locker);
    assert!(source.poll().unwrap().is_some());
}
