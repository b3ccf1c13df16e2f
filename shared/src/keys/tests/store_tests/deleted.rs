//! Deleted subscriptions: only their log and their past months remain, and they can be deleted only
//! when nothing else is left.

use super::*;
use crate::keys::audit::{Change, EntryQuery, Event};
use crate::keys::key::Key;
use crate::keys::key_store::SubscriptionChange;
use crate::keys::store::KeyStoreError;
use crate::keys::subscription::SubscriptionStatus;

on_every_store!(
    a_deleted_subscription_and_its_keys_are_gone_and_its_name_is_free,
    the_log_of_a_deleted_subscription_stays_apart_from_that_of_the_next_of_its_name,
    what_is_left_of_a_subscription_keeps_it_from_being_deleted,
    an_expired_key_keeps_no_subscription_from_being_deleted,
    what_is_deleted_stays_so_and_no_other_takes_its_name,
    a_subscription_stays_when_another_has_the_name_that_its_log_would_get,
    a_copy_has_what_is_deleted_too,
);

/// A store whose only subscription was deleted, once its key was revoked; with that key.
fn deleted(place: &dyn TestStore) -> (KeyStore, Subscription, Key) {
    let mut store = place.store();
    subscribe(&mut store, "Acme", 5);
    let key = issue(&mut store, 1).key;
    store.revoke_key(&key.id, NOW).unwrap();
    let deleted = store.delete_subscription(&name("Acme"), NOW).unwrap();
    (store, deleted, key)
}

fn a_deleted_subscription_and_its_keys_are_gone_and_its_name_is_free(place: &dyn TestStore) {
    let (mut store, old, key) = deleted(place);
    assert_eq!(store.subscriptions().unwrap(), []);
    assert_eq!(store.keys().unwrap(), []);
    let gone = store.subscription(&name("Acme"));
    assert!(matches!(gone, Err(KeyStoreError::NoSubscription { .. })));
    let new = subscribe(&mut store, "Acme", 7);
    assert_ne!(new.id, old.id);
    assert_eq!(store.usage(new.id, new.period(NOW)).unwrap(), 0);
    let of_new = issue(&mut store, 2).key;
    assert_eq!(store.keys().unwrap(), [of_new]);
    assert_eq!(store.subscriptions().unwrap(), [new]);
    // A server still refuses the key as revoked.
    let seen = place.source().poll().unwrap().unwrap();
    assert!(
        seen.keys
            .iter()
            .any(|one| one.id == key.id && one.revoked_at.is_some())
    );
}

fn the_log_of_a_deleted_subscription_stays_apart_from_that_of_the_next_of_its_name(
    place: &dyn TestStore,
) {
    let (mut store, old, _key) = deleted(place);
    let new = subscribe(&mut store, "Acme", 7);
    let mut logged = |subscription: &Subscription| {
        let query = EntryQuery {
            key: None,
            subscription: Some(subscription.id),
            limit: 9,
        };
        store.audit_log(&query).unwrap()
    };
    let of_old = logged(&old);
    let events: Vec<_> = of_old.iter().map(|entry| entry.event).collect();
    assert_eq!(
        events,
        [
            Event::SubscriptionDeleted,
            Event::KeyRevoked,
            Event::KeyIssued,
            Event::SubscriptionCreated,
        ]
    );
    assert!(of_old.iter().all(|entry| entry.subscription == old.name));
    let freed = Change {
        field: "name".to_owned(),
        from: Some("Acme".to_owned()),
        to: None,
    };
    assert_eq!(of_old[0].changes.last(), Some(&freed));
    assert_eq!(logged(&new).len(), 1);
    let found = store.subscription(&old.name).unwrap();
    assert_eq!(found.id, old.id);
}

fn what_is_left_of_a_subscription_keeps_it_from_being_deleted(place: &dyn TestStore) {
    let mut store = place.store();
    let acme = subscribe(&mut store, "Acme", 5);
    let [one, two] = [1, 2].map(|seed| issue(&mut store, seed).key);
    store.disable_key(&one.id, NOW).unwrap();
    let refused = store.delete_subscription(&name("Acme"), NOW);
    let prefixes = [&one, &two].map(|key| key.prefix.to_string()).join(", ");
    assert_eq!(
        error(refused),
        format!("the subscription \"Acme\" has keys that are not revoked: {prefixes}")
    );
    store.revoke_key(&one.id, NOW).unwrap();
    store.revoke_key(&two.id, NOW).unwrap();
    let period = acme.period(NOW);
    place.ledger().lease(acme.id, period, 1).unwrap();
    let refused = store.delete_subscription(&name("Acme"), NOW);
    assert_eq!(
        error(refused),
        "the subscription \"Acme\" is charged for up to 1 request of the month that ends at \
         2026-11-01T00:00:00Z"
    );
    assert_eq!(store.subscription(&name("Acme")).unwrap(), acme);
    store
        .delete_subscription(&name("Acme"), period.end)
        .unwrap();
    // A bill of that month can still be made.
    assert_eq!(store.usage(acme.id, period).unwrap(), 1);
    assert_eq!(store.subscriptions_ever().unwrap().len(), 1);
}

fn an_expired_key_keeps_no_subscription_from_being_deleted(place: &dyn TestStore) {
    let mut store = place.store();
    subscribe(&mut store, "Acme", 5);
    let expires_at = issue(&mut store, 1).key.expires_at.unwrap();
    let refused = store.delete_subscription(&name("Acme"), expires_at - 1);
    assert!(matches!(refused, Err(KeyStoreError::KeysLeft { .. })));
    store
        .delete_subscription(&name("Acme"), expires_at)
        .unwrap();
}

fn what_is_deleted_stays_so_and_no_other_takes_its_name(place: &dyn TestStore) {
    let (mut store, old, _key) = deleted(place);
    for name in [&name("Acme"), &old.name] {
        let again = store.delete_subscription(name, NOW);
        assert!(matches!(again, Err(KeyStoreError::NoSubscription { .. })));
        let active = SubscriptionChange {
            status: Some(SubscriptionStatus::Active),
            quota: None,
        };
        let revived = store.update_subscription(name, active, NOW);
        assert!(matches!(revived, Err(KeyStoreError::NoSubscription { .. })));
    }
    let issued = store.issue_key(
        new_key(old.name.as_str()),
        &mut StdRng::seed_from_u64(3),
        NOW,
    );
    assert!(matches!(issued, Err(KeyStoreError::NoSubscription { .. })));
    let new = NewSubscription {
        name: old.name,
        quota: 1,
    };
    let refused = store.create_subscription(&new, NOW);
    assert!(matches!(
        refused,
        Err(KeyStoreError::SubscriptionExists { .. })
    ));
}

fn a_subscription_stays_when_another_has_the_name_that_its_log_would_get(place: &dyn TestStore) {
    let mut store = place.store();
    let acme = subscribe(&mut store, "Acme", 5);
    subscribe(&mut store, acme.deleted(NOW).name.as_str(), 5);
    let refused = store.delete_subscription(&name("Acme"), NOW);
    assert!(matches!(
        refused,
        Err(KeyStoreError::SubscriptionExists { .. })
    ));
    assert_eq!(store.subscription(&name("Acme")).unwrap(), acme);
}

fn a_copy_has_what_is_deleted_too(from: &dyn TestStore) {
    let contents = deleted(from).0.contents().unwrap();
    for to in [from.another(), Box::new(sqlite())] {
        let mut copy = to.store();
        copy.fill(&contents).unwrap();
        assert_eq!(copy.subscriptions().unwrap(), []);
        assert_eq!(copy.subscriptions_ever().unwrap(), contents.subscriptions);
    }
}
