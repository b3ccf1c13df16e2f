//! The audit log: an entry for every change, none without a change, and none that can be altered.

use std::time::Duration;

use super::*;
use crate::keys::audit::{Change, Entry, EntryQuery, Event};
use crate::keys::change::{Expiry, KeyUpdate};
use crate::keys::key::{Key, KeyId};
use crate::keys::key_store::SubscriptionChange;
use crate::keys::subscription::SubscriptionStatus;

on_every_store!(
    subscriptions_are_entered_with_old_and_new_values,
    the_whole_life_of_a_key_is_entered,
    an_update_of_a_key_is_entered_with_what_it_changed,
    a_rotation_is_entered_for_both_keys,
    what_is_refused_and_what_changes_nothing_is_not_entered,
    entries_are_found_by_key_and_subscription_the_latest_first,
    the_log_has_no_hash_and_no_secret,
    no_change_is_made_without_an_entry,
);

const ALL: EntryQuery = EntryQuery {
    key: None,
    subscription: None,
    limit: u32::MAX,
};

fn change(field: &str, from: Option<&str>, to: Option<&str>) -> Change {
    Change {
        field: field.to_owned(),
        from: from.map(ToOwned::to_owned),
        to: to.map(ToOwned::to_owned),
    }
}

fn entry(event: Event, key: Option<&Key>, changes: Vec<Change>) -> Entry {
    Entry {
        at: NOW,
        operator: operator(),
        event,
        subscription: name("Acme"),
        key: key.map(|key| (key.id.clone(), key.prefix.clone())),
        changes,
    }
}

fn quota(quota: u64) -> SubscriptionChange {
    SubscriptionChange {
        status: None,
        quota: Some(quota),
    }
}

/// What `change` adds to the log, the latest first.
fn added(store: &mut KeyStore, change: impl FnOnce(&mut KeyStore)) -> Vec<Entry> {
    let before = store.audit_log(&ALL).unwrap();
    change(store);
    let mut after = store.audit_log(&ALL).unwrap();
    let old = after.split_off(after.len() - before.len());
    assert_eq!(old, before);
    after
}

/// One change of a key.
type Step = fn(&mut KeyStore, &KeyId);

/// The changes of a new key.
fn rights() -> Vec<Change> {
    vec![
        change("environment", None, Some("test")),
        change("scopes", None, Some("boats.read,manufacturers.read")),
        change("name", None, Some("web")),
        change("rateLimit", None, Some("7")),
        change("expiresAt", None, Some("2026-10-01T12:16:40Z")),
    ]
}

fn subscriptions_are_entered_with_old_and_new_values(place: &dyn TestStore) {
    let mut store = place.store();
    let created = added(&mut store, |store| _ = subscribe(store, "Acme", 5));
    let begun = vec![
        change("status", None, Some("active")),
        change("quota", None, Some("5")),
    ];
    assert_eq!(created, [entry(Event::SubscriptionCreated, None, begun)]);
    let both = SubscriptionChange {
        status: Some(SubscriptionStatus::Inactive),
        ..quota(9)
    };
    let updated = added(&mut store, |store| {
        store.update_subscription(&name("Acme"), both, NOW).unwrap();
    });
    let changed = vec![
        change("status", Some("active"), Some("inactive")),
        change("quota", Some("5"), Some("9")),
    ];
    assert_eq!(updated, [entry(Event::SubscriptionUpdated, None, changed)]);
}

fn the_whole_life_of_a_key_is_entered(place: &dyn TestStore) {
    let mut store = place.store();
    subscribe(&mut store, "Acme", 5);
    let issued = added(&mut store, |store| _ = issue(store, 1));
    let key = store.keys().unwrap().remove(0);
    assert_eq!(issued, [entry(Event::KeyIssued, Some(&key), rights())]);
    let steps: [(Event, Step); 3] = [
        (Event::KeyDisabled, |store, id| {
            store.disable_key(id, NOW).unwrap();
        }),
        (Event::KeyEnabled, |store, id| {
            store.enable_key(id, NOW).unwrap();
        }),
        (Event::KeyRevoked, |store, id| {
            store.revoke_key(id, NOW).unwrap();
        }),
    ];
    for (event, step) in steps {
        let entered = added(&mut store, |store| step(store, &key.id));
        assert_eq!(entered, [entry(event, Some(&key), Vec::new())]);
        let again = added(&mut store, |store| step(store, &key.id));
        assert_eq!(again, [], "{event:?}: what is so already is no change");
    }
}

fn an_update_of_a_key_is_entered_with_what_it_changed(place: &dyn TestStore) {
    let mut store = place.store();
    subscribe(&mut store, "Acme", 5);
    let new = NewKey {
        rate_limit: None,
        ..new_key("Acme")
    };
    let random = &mut StdRng::seed_from_u64(1);
    let key = store.issue_key(new, random, NOW).unwrap().key;
    let update = |limit| KeyUpdate {
        name: Some(name("app")),
        rate_limit: Some(limit),
        expiry: Some(Expiry::Never),
        scopes: Some(Scopes::from_iter([Scope::BoatsRead])),
    };
    let expected = vec![
        change(
            "scopes",
            Some("boats.read,manufacturers.read"),
            Some("boats.read"),
        ),
        change("name", Some("web"), Some("app")),
        change("expiresAt", Some("2026-10-01T12:16:40Z"), None),
    ];
    for (limit, expected) in [
        // The default is what the key has already.
        (120, vec![expected]),
        (120, vec![]),
        (8, vec![vec![change("rateLimit", Some("120"), Some("8"))]]),
    ] {
        let entered = added(&mut store, |store| {
            store.update_key(&key.id, update(limit), NOW).unwrap();
        });
        let expected = expected.into_iter();
        let expected = expected.map(|changes| entry(Event::KeyUpdated, Some(&key), changes));
        assert_eq!(entered, expected.collect::<Vec<_>>(), "{limit}");
    }
}

fn a_rotation_is_entered_for_both_keys(place: &dyn TestStore) {
    let mut store = place.store();
    subscribe(&mut store, "Acme", 5);
    let old = issue(&mut store, 1).key;
    let rotated = added(&mut store, |store| {
        let random = &mut StdRng::seed_from_u64(2);
        store
            .rotate_key(&old.id, Duration::from_mins(1), random, NOW)
            .unwrap();
    });
    let new = store.keys().unwrap().remove(1);
    let replaced = vec![
        change("replacedBy", None, Some(new.id.as_str())),
        change("graceEndsAt", None, Some("2026-10-01T12:01:00Z")),
    ];
    let mut of_new = rights();
    of_new.push(change("replaces", None, Some(old.id.as_str())));
    assert_eq!(
        rotated,
        [
            entry(Event::KeyRotated, Some(&old), replaced),
            entry(Event::KeyIssued, Some(&new), of_new),
        ]
    );
}

fn what_is_refused_and_what_changes_nothing_is_not_entered(place: &dyn TestStore) {
    let mut store = place.store();
    let subscription = subscribe(&mut store, "Acme", 5);
    let key = issue(&mut store, 1).key;
    store.revoke_key(&key.id, NOW).unwrap();
    let entered = added(&mut store, |store| {
        store.enable_key(&key.id, NOW).unwrap_err();
        let random = &mut StdRng::seed_from_u64(2);
        let rotated = store.rotate_key(&key.id, Duration::ZERO, random, NOW);
        rotated.unwrap_err();
        let same = store.update_subscription(&name("Acme"), quota(5), NOW);
        assert_eq!(same.unwrap().quota, 5);
        let ledger = place.ledger();
        let period = subscription.period(NOW);
        ledger.lease(subscription.id, period, 1).unwrap();
    });
    assert_eq!(entered, []);
}

fn entries_are_found_by_key_and_subscription_the_latest_first(place: &dyn TestStore) {
    let mut store = place.store();
    let acme = subscribe(&mut store, "Acme", 5).id;
    let other = subscribe(&mut store, "Other", 5).id;
    let key = issue(&mut store, 1).key.id;
    store.disable_key(&key, NOW).unwrap();
    let mut events = |key: Option<&KeyId>, subscription, limit| {
        let query = EntryQuery {
            key: key.cloned(),
            subscription,
            limit,
        };
        let entries = store.audit_log(&query).unwrap();
        entries
            .iter()
            .map(|entry| entry.event)
            .collect::<Vec<Event>>()
    };
    let (created, issued) = (Event::SubscriptionCreated, Event::KeyIssued);
    let disabled = Event::KeyDisabled;
    assert_eq!(events(None, None, 9), [disabled, issued, created, created]);
    assert_eq!(events(None, None, 1), [disabled]);
    assert_eq!(events(Some(&key), None, 9), [disabled, issued]);
    assert_eq!(events(None, Some(acme), 9), [disabled, issued, created]);
    assert_eq!(events(None, Some(other), 9), [created]);
    assert_eq!(events(Some(&key), Some(other), 9), []);
}

fn the_log_has_no_hash_and_no_secret(place: &dyn TestStore) {
    let mut store = place.store();
    subscribe(&mut store, "Acme", 5);
    let issued = issue(&mut store, 1);
    let log = format!("{:?}", store.audit_log(&ALL).unwrap());
    let secret = &issued.secret.expose()[issued.key.prefix.as_str().len()..];
    let hash = issued.key.hash.as_bytes();
    assert!(log.contains(issued.key.prefix.as_str()));
    let hex = format!("{hash:02x?}").replace([' ', ',', '[', ']'], "");
    for hidden in [secret, &hex, &format!("{hash:?}")] {
        assert!(!log.contains(hidden), "{log}");
    }
}

fn no_change_is_made_without_an_entry(place: &dyn TestStore) {
    let mut store = place.store();
    subscribe(&mut store, "Acme", 5);
    let key = issue(&mut store, 1).key;
    place
        .by_hand("ALTER TABLE catalogue.audit RENAME COLUMN changes TO away")
        .unwrap();
    store
        .update_subscription(&name("Acme"), quota(9), NOW)
        .unwrap_err();
    store.revoke_key(&key.id, NOW).unwrap_err();
    let random = &mut StdRng::seed_from_u64(2);
    store.issue_key(new_key("Acme"), random, NOW).unwrap_err();
    assert_eq!(store.keys().unwrap(), [key]);
    assert_eq!(store.subscription(&name("Acme")).unwrap().quota, 5);
}
