//! Leases in a file that others use too.

use std::fs::OpenOptions;
use std::os::unix::fs::FileExt;

use super::*;
use crate::keys::ledger::{Lease, QuotaLedger};
use crate::keys::quota::Period;
use crate::keys::sqlite::{SqliteKeySource, SqliteLedger};
use crate::keys::store::KeySource;

#[test]
fn a_charge_goes_to_the_file_that_is_there_now() {
    let place = StoreFile::new();
    let period = Period::containing(NOW, NOW);
    let ledger = SqliteLedger::new(place.path());
    for expected in [Lease {
        granted: 2,
        charged: 2,
    }; 2]
    {
        let mut store = place.store();
        let subscription = subscribe(&mut store, "Acme", 10);
        assert_eq!(ledger.lease(subscription.id, period, 2).unwrap(), expected);
        drop(store);
        for file in std::fs::read_dir(place.0.path()).unwrap() {
            std::fs::remove_file(file.unwrap().path()).unwrap();
        }
        let missing = ledger.lease(subscription.id, period, 2);
        assert!(matches!(missing, Err(KeyStoreError::Missing { .. })));
    }
}

#[test]
fn a_file_that_was_cut_is_not_written_to() {
    let place = StoreFile::new();
    let subscription = subscribe(&mut place.store(), "Acme", 10);
    let period = subscription.period(NOW);
    let ledger = SqliteLedger::new(place.path());
    ledger.lease(subscription.id, period, 1).unwrap();
    let whole = std::fs::read(place.path()).unwrap();
    let file = OpenOptions::new().write(true).open(place.path()).unwrap();
    for missing in (1..=whole.len()).step_by(511) {
        let length = whole.len() - missing;
        file.set_len(length as u64).unwrap();
        let refused = ledger.lease(subscription.id, period, 1);
        assert!(refused.is_err(), "{missing}: {refused:?}");
        let left = std::fs::read(place.path()).unwrap();
        assert!(left == whole[..length], "{missing}");
    }
    file.write_all_at(&whole, 0).unwrap();
    ledger.lease(subscription.id, period, 1).unwrap();
}

#[test]
fn a_locked_file_changes_nothing_and_says_so() {
    let place = StoreFile::new();
    let subscription = subscribe(&mut place.store(), "Acme", 10);
    let period = subscription.period(NOW);
    let ledger = SqliteLedger::new(place.path());
    ledger.lease(subscription.id, period, 5).unwrap();
    let locker = exclusive_lock(&place);
    let refused = ledger.give_back(subscription.id, period, 5);
    assert!(matches!(refused, Err(KeyStoreError::Locked { .. })));
    let refused = ledger.lease(subscription.id, period, 5);
    assert!(matches!(refused, Err(KeyStoreError::Locked { .. })));
    drop(locker);
    assert_eq!(ledger.charged(subscription.id, period).unwrap(), 5);
}

/// The result of an attempt, repeated until it is in time. On a busy disk a commit may take longer
/// than callers wait.
fn in_time<T>(attempt: impl FnMut() -> Result<T, KeyStoreError>) -> T {
    let mut attempts = std::iter::repeat_with(attempt);
    let is_final =
        |made: &Result<T, KeyStoreError>| !matches!(made, Err(KeyStoreError::Locked { .. }));
    attempts
        .by_ref()
        .take(50)
        .find(is_final)
        .expect("locked out")
        .unwrap()
}

#[test]
fn polls_leases_and_commands_do_not_lock_each_other_out() {
    let place = StoreFile::new();
    let mut store = place.store();
    let subscription = subscribe(&mut store, "Acme", 1_000);
    let period = subscription.period(NOW);
    std::thread::scope(|scope| {
        for _server in 0..2 {
            scope.spawn(|| {
                let ledger = SqliteLedger::new(place.path());
                for _lease in 0..10 {
                    in_time(|| ledger.lease(subscription.id, period, 2));
                    in_time(|| ledger.give_back(subscription.id, period, 1));
                }
            });
            scope.spawn(|| {
                let mut source = SqliteKeySource::new(place.path());
                for _poll in 0..40 {
                    in_time(|| source.poll());
                }
            });
        }
        scope.spawn(|| {
            for seed in 0..10 {
                issue(&mut place.store(), seed);
            }
        });
    });
    assert_eq!(store.usage(subscription.id, period).unwrap(), 20);
    let snapshot = SqliteKeySource::new(place.path()).poll().unwrap().unwrap();
    assert_eq!(snapshot.keys.len(), 10);
}
