//! Backups of a store that is in use.

use std::fs::{self, File};

use super::*;
use crate::keys::contents::Contents;
use crate::keys::sqlite::back_up;

/// The contents of a backup that is restored into a new directory.
fn restored(backup: &std::path::Path) -> Contents {
    let new = StoreFile::new();
    fs::copy(backup, new.path()).unwrap();
    new.open().unwrap().contents().unwrap()
}

#[test]
fn a_backup_has_everything_and_changes_nothing() {
    let place = StoreFile::new();
    let mut store = place.store();
    subscribe(&mut store, "Acme", 10);
    issue(&mut store, 1);
    let before = (store.contents().unwrap(), store.revision().unwrap());
    let to = place.0.path().join("backup");
    drop(File::create_new(&to).unwrap());
    back_up(&place.path(), &to).unwrap();
    assert_eq!(restored(&to), before.0);
    assert_eq!(
        (store.contents().unwrap(), store.revision().unwrap()),
        before
    );
}

#[test]
fn what_is_charged_while_a_backup_is_made_is_in_it_or_comes_after() {
    let place = StoreFile::new();
    let subscription = subscribe(&mut place.store(), "Acme", 1_000);
    let period = subscription.period(NOW);
    let ledger = SqliteLedger::new(place.path());
    let lease = |wanted| ledger.lease(subscription.id, period, wanted).unwrap();
    lease(1);
    let to = place.0.path().join("backup");
    drop(File::create_new(&to).unwrap());
    std::thread::scope(|scope| {
        let backup = scope.spawn(|| back_up(&place.path(), &to));
        while !backup.is_finished() {
            // One that waits in vain says so.
            _ = ledger.lease(subscription.id, period, 1);
        }
        backup.join().unwrap().unwrap();
    });
    let charged = restored(&to).usage[0].charged;
    assert!((1..=lease(0).charged).contains(&charged), "{charged}");
}

#[test]
fn neither_a_damaged_store_nor_a_locked_one_is_backed_up() {
    let place = StoreFile::new();
    subscribe(&mut place.store(), "Acme", 10);
    let to = place.0.path().join("backup");
    drop(File::create_new(&to).unwrap());
    let locker = exclusive_lock(&place);
    let refused = back_up(&place.path(), &to).unwrap_err();
    assert!(matches!(refused, KeyStoreError::Locked { .. }), "{refused}");
    drop(locker);
    let whole = fs::metadata(place.path()).unwrap().len();
    let file = File::options().write(true).open(place.path()).unwrap();
    for length in [whole - 1, 3 * 4096] {
        file.set_len(length).unwrap();
        let refused = back_up(&place.path(), &to).unwrap_err();
        assert!(matches!(refused, KeyStoreError::Failed { .. }), "{refused}");
    }
}
