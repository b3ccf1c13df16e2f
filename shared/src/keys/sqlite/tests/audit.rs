//! The audit log in a file: what somebody does to it by hand.

use rand::SeedableRng;
use rand::rngs::StdRng;

use super::*;
use crate::keys::audit::EntryQuery;
use crate::keys::key_store::SubscriptionChange;

const ALL: EntryQuery = EntryQuery {
    key: None,
    subscription: None,
    limit: u32::MAX,
};

fn quota(quota: u64) -> SubscriptionChange {
    SubscriptionChange {
        status: None,
        quota: Some(quota),
    }
}

/// A full disk in small: the entry cannot be written.
#[test]
fn a_change_without_its_entry_does_not_happen() {
    let place = Place::new();
    let mut store = place.store();
    subscribe(&mut store, "Acme", 5);
    let key = issue(&mut store, 1).key;
    let sql = "CREATE TRIGGER no_entry BEFORE INSERT ON audit
        BEGIN SELECT RAISE(ABORT, 'no room'); END";
    let by_hand = Connection::open(place.path()).unwrap();
    by_hand.execute_batch(sql).unwrap();
    store.revoke_key(&key.id, NOW).unwrap_err();
    store
        .update_subscription(&name("Acme"), quota(9), NOW)
        .unwrap_err();
    store
        .issue_key(new_key("Acme"), &mut StdRng::seed_from_u64(2), NOW)
        .unwrap_err();
    assert_eq!(store.keys().unwrap(), [key]);
    assert_eq!(store.subscription(&name("Acme")).unwrap().quota, 5);
}

#[test]
fn entries_can_be_neither_altered_nor_removed() {
    let place = Place::new();
    let mut store = place.store();
    subscribe(&mut store, "Acme", 5);
    let by_hand = Connection::open(place.path()).unwrap();
    for sql in [
        "UPDATE audit SET user = 'mallory'",
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
    let place = Place::new();
    let mut store = place.store();
    subscribe(&mut store, "Acme", 1);
    let by_hand = Connection::open(place.path()).unwrap();
    let remove = "PRAGMA foreign_keys = off; DELETE FROM subscriptions";
    by_hand.execute_batch(remove).unwrap();
    let entries = store.audit_log(&ALL).unwrap();
    assert_eq!(entries[0].subscription, name("number 1"));
}
