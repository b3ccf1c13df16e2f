//! What a server notices of the file, poll by poll.

use std::fs::{self, OpenOptions};
use std::io::Write;

use rusqlite::Connection;

use super::*;
use crate::keys::ledger::QuotaLedger;
use crate::keys::sqlite::{SqliteKeySource, SqliteLedger};
use crate::keys::store::{KeySource, KeyStoreError, SubscriptionChange};
use crate::keys::subscription::SubscriptionStatus;

/// A store with a subscription and a key, and a source that has seen both.
fn followed(place: &Place) -> (SqliteKeyStore, SqliteKeySource) {
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

/// The rename that an operator's `mv` does, which needs no durability here.
#[expect(
    clippy::disallowed_methods,
    reason = "the test plays an operator with mv"
)]
fn rename(from: impl AsRef<std::path::Path>, to: impl AsRef<std::path::Path>) {
    fs::rename(from, to).unwrap();
}

#[test]
fn every_change_is_noticed_once() {
    let place = Place::new();
    let (mut store, mut source) = followed(&place);
    let id = store.keys().unwrap()[0].id.clone();
    let status = Some(SubscriptionStatus::Inactive);
    let mut check = |store: &mut SqliteKeyStore| {
        let snapshot = source.poll().unwrap().unwrap();
        assert_eq!(snapshot.keys, store.keys().unwrap());
        assert_eq!(snapshot.subscriptions, store.subscriptions().unwrap());
        assert_eq!(source.poll().unwrap(), None);
    };
    issue(&mut store, 2);
    check(&mut store);
    store.disable_key(&id, NOW).unwrap();
    check(&mut store);
    let change = SubscriptionChange {
        status,
        quota: Some(3),
    };
    store.update_subscription(&name("Acme"), change).unwrap();
    check(&mut store);
    store.revoke_key(&id, NOW).unwrap();
    check(&mut store);
    let by_hand = Connection::open(place.path()).unwrap();
    by_hand
        .execute_batch("UPDATE keys SET revoked_at = NULL")
        .unwrap();
    check(&mut store);
}

#[test]
fn usage_is_no_change_of_keys() {
    let place = Place::new();
    let (mut store, mut source) = followed(&place);
    let subscription = store.subscriptions().unwrap().remove(0);
    let ledger = SqliteLedger::new(place.path());
    ledger
        .lease(subscription.id, subscription.period(NOW), 5)
        .unwrap();
    assert_eq!(source.poll().unwrap(), None);
}

#[test]
fn a_file_that_goes_missing_is_noticed_and_so_is_its_return() {
    let place = Place::new();
    let (_store, mut source) = followed(&place);
    let aside = place.0.path().join("aside");
    rename(place.path(), &aside);
    assert!(matches!(source.poll(), Err(KeyStoreError::Missing { .. })));
    rename(&aside, place.path());
    source.poll().unwrap();
    assert_eq!(source.poll().unwrap(), None);
}

#[test]
fn a_source_may_wait_for_its_file() {
    let place = Place::new();
    let mut source = SqliteKeySource::new(place.path());
    assert!(matches!(source.poll(), Err(KeyStoreError::Missing { .. })));
    place.store();
    assert!(source.poll().unwrap().unwrap().keys.is_empty());
}

#[test]
fn a_replaced_file_is_opened_anew() {
    let place = Place::new();
    let (store, mut source) = followed(&place);
    drop(store);
    let other = Place::new();
    let mut store = other.store();
    subscribe(&mut store, "Other", 1);
    drop(store);
    for file in ["keys.sqlite", "keys.sqlite-wal", "keys.sqlite-shm"] {
        fs::remove_file(place.0.path().join(file)).unwrap();
    }
    fs::copy(other.path(), place.path()).unwrap();
    let snapshot = source.poll().unwrap().unwrap();
    assert_eq!(snapshot.subscriptions[0].name.as_str(), "Other");
    assert!(snapshot.keys.is_empty());
}

/// Without a look at the log the source would go on reading the deleted one, and confirm for ever
/// what is no longer so.
#[test]
fn a_deleted_log_is_noticed() {
    let place = Place::new();
    let (store, mut source) = followed(&place);
    drop(store);
    for file in ["keys.sqlite-wal", "keys.sqlite-shm"] {
        fs::remove_file(place.0.path().join(file)).unwrap();
    }
    assert!(!matches!(source.poll(), Ok(None)));
}

#[test]
fn a_file_damaged_in_place_is_noticed() {
    let place = Place::new();
    let (store, mut source) = followed(&place);
    drop(store);
    let mut file = OpenOptions::new().write(true).open(place.path()).unwrap();
    file.write_all(&[b'x'; 4096]).unwrap();
    file.set_len(4096).unwrap();
    drop(file);
    assert!(matches!(source.poll(), Err(KeyStoreError::Failed { .. })));
    assert!(
        matches!(source.poll(), Err(KeyStoreError::Failed { .. })),
        "and stays so"
    );
}

#[test]
fn a_locked_file_confirms_nothing() {
    let place = Place::new();
    place.store();
    let locker = Connection::open(place.path()).unwrap();
    locker
        .execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE")
        .unwrap();
    let mut source = SqliteKeySource::new(place.path());
    assert_eq!(
        error(source.poll(), &place),
        "could not open the key store [dir]/keys.sqlite: database is locked"
    );
    drop(locker);
    assert!(source.poll().unwrap().is_some());
}
