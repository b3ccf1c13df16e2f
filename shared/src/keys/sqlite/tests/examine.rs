//! Examining a store: what is found, and that nothing changes.

use std::collections::BTreeMap;
use std::fs;

use super::*;
use crate::keys::ledger::QuotaLedger;
use crate::keys::quota::Period;
use crate::keys::sqlite::{Examination, SqliteLedger, WholeOrNot, examine, revision};
use crate::keys::subscription::SubscriptionId;

/// No test has a store as large as this.
const ALL: u64 = 1 << 30;

fn examined(place: &StoreFile) -> Examination {
    let files = || {
        let entries = fs::read_dir(place.0.path()).unwrap();
        let read = |entry: fs::DirEntry| (entry.file_name(), fs::read(entry.path()).unwrap());
        entries
            .map(|entry| read(entry.unwrap()))
            .collect::<BTreeMap<_, _>>()
    };
    let before = files();
    let found = examine(&place.path(), ALL).unwrap();
    assert_eq!(files(), before);
    found
}

#[test]
fn a_store_is_seen_as_it_is() {
    let place = StoreFile::new();
    let mut store = place.store();
    subscribe(&mut store, "Acme", 1);
    let found = examined(&place);
    assert_eq!(found.whole, WholeOrNot::Whole);
    assert!(found.is_writable && found.has_reserve);
    assert_eq!(
        found.overview.snapshot.subscriptions,
        store.subscriptions().unwrap()
    );
    assert_eq!(found.overview.revision, store.revision().unwrap());
    let overview = found.overview;
    assert_eq!(
        (overview.last_change, overview.latest_charged),
        (Some(NOW), None)
    );
    let period = Period { start: 7, end: 8 };
    let ledger = SqliteLedger::new(place.path());
    ledger.lease(SubscriptionId(1), period, 1).unwrap();
    assert_eq!(examined(&place).overview.latest_charged, Some(7));
    ledger.give_back(SubscriptionId(1), period, 1).unwrap();
    assert_eq!(
        examined(&place).overview.latest_charged,
        None,
        "nothing is charged of it"
    );
    assert_eq!(revision(&place.path()).unwrap(), store.revision().unwrap());
}

#[test]
fn a_store_over_the_limit_is_not_read_through() {
    let place = StoreFile::new();
    drop(place.store());
    let bytes = examined(&place).bytes;
    for (limit, expected) in [
        (bytes - 1, WholeOrNot::NotChecked),
        (bytes, WholeOrNot::Whole),
    ] {
        assert_eq!(examine(&place.path(), limit).unwrap().whole, expected);
    }
}

#[test]
fn a_store_that_is_kept_locked_is_reported_as_locked() {
    let place = StoreFile::new();
    drop(place.store());
    let locked = Connection::open(place.path()).unwrap();
    locked.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let refused = examine(&place.path(), ALL).unwrap_err();
    assert!(matches!(refused, KeyStoreError::Locked { .. }), "{refused}");
}

#[test]
fn a_store_that_another_program_compacted_lacks_its_reserve() {
    let place = StoreFile::new();
    drop(place.store());
    let other = Connection::open(place.path()).unwrap();
    other.execute_batch("VACUUM").unwrap();
    drop(other);
    let found = examined(&place);
    assert!(!found.has_reserve && found.whole == WholeOrNot::Whole);
}
