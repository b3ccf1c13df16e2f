//! The audit log in a file: what an administrator may do to it by hand.

use super::*;
use crate::keys::audit::EntryQuery;

const ALL: EntryQuery = EntryQuery {
    key: None,
    subscription: None,
    limit: u32::MAX,
};

#[test]
fn entries_can_be_neither_altered_nor_removed_nor_replaced() {
    let place = StoreFile::new();
    let mut store = place.store();
    subscribe(&mut store, "Acme", 5);
    let by_hand = Connection::open(place.path()).unwrap();
    for sql in [
        "UPDATE audit SET at = 0",
        "UPDATE audit SET changes = '[]'",
        "DELETE FROM audit",
        "INSERT OR REPLACE INTO audit SELECT * FROM audit",
        "REPLACE INTO audit (number, at, uid, event, subscription, changes)
            VALUES (1, 0, 0, 'key issued', 1, '[]')",
    ] {
        let refused = by_hand.execute_batch(sql).unwrap_err();
        let message = "the audit log is only added to";
        assert_eq!(refused.to_string(), message, "{sql}");
    }
    assert_eq!(store.audit_log(&ALL).unwrap().len(), 1);
}

#[test]
fn what_is_logged_of_a_subscription_that_was_removed_by_hand_stays() {
    let place = StoreFile::new();
    let mut store = place.store();
    subscribe(&mut store, "Acme", 1);
    let by_hand = Connection::open(place.path()).unwrap();
    let remove = "PRAGMA foreign_keys = off; DELETE FROM subscriptions";
    by_hand.execute_batch(remove).unwrap();
    let entries = store.audit_log(&ALL).unwrap();
    assert_eq!(entries[0].subscription, name("number 1"));
}
