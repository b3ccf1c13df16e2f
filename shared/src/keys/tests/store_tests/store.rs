//! What the store keeps and refuses.

use std::slice;
use std::time::Duration;

use super::*;
use crate::keys::audit::{Change, EntryQuery, Event};
use crate::keys::change::{Expiry, KeyUpdate};
use crate::keys::key::KeyReference;
use crate::keys::key::{Key, KeyId};
use crate::keys::key_store::SubscriptionChange;
use crate::keys::limits::QUOTA_MAX;
use crate::keys::store::KeyStoreError;
use crate::keys::subscription::SubscriptionStatus;

on_every_store!(
    what_was_written_is_there_when_the_store_is_opened_again,
    a_key_without_name_limit_and_expiry_is_kept_as_such,
    a_rotation_passes_on_everything_but_the_secret,
    a_refused_rotation_leaves_no_new_key,
    changes_are_kept,
    an_update_changes_what_it_names_and_nothing_else,
    a_key_that_is_revoked_expired_or_unknown_is_not_updated,
    no_two_keys_have_the_same_id_or_prefix,
    a_renamed_subscription_keeps_its_keys_its_charges_and_its_log,
    no_subscription_gets_a_name_that_another_has_or_had,
    what_is_not_there_or_not_allowed_is_named,
);

fn what_was_written_is_there_when_the_store_is_opened_again(place: &dyn TestStore) {
    let (subscription, issued) = {
        let mut store = place.store();
        (
            subscribe(&mut store, "Acme", QUOTA_MAX),
            issue(&mut store, 1),
        )
    };
    let mut store = place.store();
    assert_eq!(
        store.subscriptions().unwrap(),
        slice::from_ref(&subscription)
    );
    assert_eq!(store.subscription(&name("Acme")).unwrap(), subscription);
    assert_eq!(store.keys().unwrap(), slice::from_ref(&issued.key));
    assert_eq!(issued.key.hash, issued.secret.hash());
    for reference in [
        KeyReference::Id(issued.key.id.clone()),
        KeyReference::Prefix(issued.secret.prefix()),
    ] {
        assert_eq!(store.find_key(&reference).unwrap(), issued.key);
    }
}

fn a_key_without_name_limit_and_expiry_is_kept_as_such(place: &dyn TestStore) {
    let mut store = place.store();
    subscribe(&mut store, "Acme", 1);
    let new = NewKey {
        name: None,
        rate_limit: None,
        expires_at: None,
        ..new_key("Acme")
    };
    let issued = store
        .issue_key(new, &mut StdRng::seed_from_u64(1), NOW)
        .unwrap();
    assert_eq!(store.keys().unwrap(), [issued.key]);
}

fn a_rotation_passes_on_everything_but_the_secret(place: &dyn TestStore) {
    let mut store = place.store();
    subscribe(&mut store, "Acme", 1);
    let first = issue(&mut store, 1).key;
    let mut rotate = |id: &KeyId, seed| {
        let random = &mut StdRng::seed_from_u64(seed);
        store
            .rotate_key(id, Duration::from_mins(1), random, NOW + 5)
            .unwrap()
    };
    let one = rotate(&first.id, 2);
    let two = rotate(&one.new.key.id, 3);
    for (rotation, before) in [(&one, &first), (&two, &one.new.key)] {
        let new = &rotation.new;
        let expected = Key {
            id: new.key.id.clone(),
            prefix: new.secret.prefix(),
            hash: new.secret.hash(),
            created_at: NOW + 5,
            ..before.clone()
        };
        assert_eq!(new.key, expected);
        let replaced_by = Some(new.key.id.clone());
        let grace_ends_at = Some((NOW + 65).into());
        assert_eq!(
            rotation.old,
            Key {
                replaced_by,
                grace_ends_at,
                ..before.clone()
            }
        );
    }
    assert_eq!(two.new.key.family, first.id);
    assert_eq!(store.keys().unwrap(), [one.old, two.old, two.new.key]);
}

fn a_refused_rotation_leaves_no_new_key(place: &dyn TestStore) {
    let mut store = place.store();
    subscribe(&mut store, "Acme", 1);
    let key = issue(&mut store, 1).key;
    let revoked = store.revoke_key(&key.id, NOW).unwrap();
    let refused = store.rotate_key(&key.id, Duration::ZERO, &mut StdRng::seed_from_u64(2), NOW);
    assert!(matches!(refused, Err(KeyStoreError::Unchangeable(_))));
    assert_eq!(store.keys().unwrap(), [revoked]);
}

fn changes_are_kept(place: &dyn TestStore) {
    let mut store = place.store();
    subscribe(&mut store, "Acme", 1);
    let id = issue(&mut store, 1).key.id;
    assert_eq!(store.disable_key(&id, NOW).unwrap().disabled_at, Some(NOW));
    assert_eq!(store.keys().unwrap()[0].disabled_at, Some(NOW));
    assert_eq!(store.enable_key(&id, NOW).unwrap().disabled_at, None);
    assert_eq!(store.keys().unwrap()[0].disabled_at, None);
    assert_eq!(store.revoke_key(&id, NOW).unwrap().revoked_at, Some(NOW));
    assert_eq!(store.keys().unwrap()[0].revoked_at, Some(NOW));
    let status = Some(SubscriptionStatus::Inactive);
    let change = SubscriptionChange {
        status,
        quota: None,
    };
    let changed = store
        .update_subscription(&name("Acme"), change, NOW)
        .unwrap();
    assert_eq!(
        (changed.status, changed.quota),
        (SubscriptionStatus::Inactive, 1)
    );
    let change = SubscriptionChange {
        status: None,
        quota: Some(9),
    };
    let changed = store
        .update_subscription(&name("Acme"), change, NOW)
        .unwrap();
    assert_eq!(
        (changed.status, changed.quota),
        (SubscriptionStatus::Inactive, 9)
    );
    assert_eq!(store.subscriptions().unwrap(), [changed]);
}

/// An update, and what it makes of a key.
type Step = (KeyUpdate, fn(&mut Key));

fn an_update_changes_what_it_names_and_nothing_else(place: &dyn TestStore) {
    let mut store = place.store();
    subscribe(&mut store, "Acme", 1);
    let other = issue(&mut store, 1).key;
    let mut expected = issue(&mut store, 2).key;
    let none = KeyUpdate::default;
    let steps: [Step; 6] = [
        (none(), |_key| {}),
        (
            KeyUpdate {
                name: Some(name("app")),
                ..none()
            },
            |key| key.name = Some(name("app")),
        ),
        (
            KeyUpdate {
                rate_limit: Some(8),
                ..none()
            },
            |key| key.rate_limit = Some(8),
        ),
        (
            KeyUpdate {
                expiry: Some(Expiry::At(NOW + 5)),
                ..none()
            },
            |key| key.expires_at = Some(NOW + 5),
        ),
        (
            KeyUpdate {
                expiry: Some(Expiry::Never),
                ..none()
            },
            |key| key.expires_at = None,
        ),
        (
            KeyUpdate {
                scopes: Some(Scopes::from_iter([Scope::BoatsRead])),
                ..none()
            },
            |key| key.scopes = Scopes::from_iter([Scope::BoatsRead]),
        ),
    ];
    for (update, change) in steps {
        change(&mut expected);
        let updated = store.update_key(&expected.id, update, NOW + 1).unwrap();
        assert_eq!(updated, expected);
        let keys = place.store().keys().unwrap();
        assert_eq!(keys, [other.clone(), expected.clone()]);
    }
}

fn a_key_that_is_revoked_expired_or_unknown_is_not_updated(place: &dyn TestStore) {
    let mut store = place.store();
    subscribe(&mut store, "Acme", 1);
    let [revoked, expired, rotated] = [1, 2, 3].map(|seed| issue(&mut store, seed).key.id);
    store.revoke_key(&revoked, NOW).unwrap();
    let random = &mut StdRng::seed_from_u64(4);
    let grace = Duration::from_secs(10);
    store.rotate_key(&rotated, grace, random, NOW).unwrap();
    let before = store.keys().unwrap();
    let mut refused = |id: &KeyId, now| {
        let update = KeyUpdate {
            rate_limit: Some(8),
            expiry: Some(Expiry::Never),
            ..KeyUpdate::default()
        };
        error(store.update_key(id, update, now))
    };
    let of = |id: &KeyId, reason| format!("the key {id} cannot be updated: {reason}");
    let is_revoked = of(&revoked, "it is revoked, which is final");
    assert_eq!(refused(&revoked, NOW), is_revoked);
    let has_expired = of(&expired, "it has expired");
    assert_eq!(refused(&expired, NOW + 1000), has_expired);
    let past_grace = of(&rotated, "it has expired");
    assert_eq!(refused(&rotated, NOW + 10), past_grace);
    let unknown = KeyId::parse("key_0000000000000000").unwrap();
    let missing = "there is no key with the id key_0000000000000000";
    assert_eq!(refused(&unknown, NOW), missing);
    assert_eq!(store.keys().unwrap(), before);
}

fn no_two_keys_have_the_same_id_or_prefix(place: &dyn TestStore) {
    let mut store = place.store();
    subscribe(&mut store, "Acme", 1);
    // The same seed draws the same id and prefix first.
    let (one, other) = (issue(&mut store, 1).key, issue(&mut store, 1).key);
    assert_ne!(one.id, other.id);
    assert_ne!(one.prefix, other.prefix);
}

fn a_renamed_subscription_keeps_its_keys_its_charges_and_its_log(place: &dyn TestStore) {
    let mut store = place.store();
    let acme = subscribe(&mut store, "Acme", 9);
    let key = issue(&mut store, 1).key;
    let period = acme.period(NOW);
    place.ledger().lease(acme.id, period, 3).unwrap();
    let mut source = place.source();
    source.poll().unwrap();
    let renamed = Subscription {
        name: name("Boats"),
        ..acme.clone()
    };
    for (from, expected) in [("Acme", &renamed), ("Boats", &renamed)] {
        let changed = store.rename_subscription(&name(from), &name("Boats"), NOW);
        assert_eq!(changed.unwrap(), *expected, "{from}");
    }
    let seen = source.poll().unwrap().unwrap();
    assert_eq!((seen.keys, seen.subscriptions), (vec![key], vec![renamed]));
    assert_eq!(store.usage(acme.id, period).unwrap(), 3);
    let query = EntryQuery {
        key: None,
        subscription: Some(acme.id),
        limit: 9,
    };
    let log = store.audit_log(&query).unwrap();
    let events: Vec<_> = log.iter().map(|entry| entry.event).collect();
    let expected = [
        Event::SubscriptionRenamed,
        Event::KeyIssued,
        Event::SubscriptionCreated,
    ];
    assert_eq!(events, expected, "the second time changed nothing");
    let changed = Change {
        field: "name".to_owned(),
        from: Some("Acme".to_owned()),
        to: Some("Boats".to_owned()),
    };
    assert_eq!(log[0].changes, [changed]);
    assert!(log.iter().all(|entry| entry.subscription == name("Boats")));
    subscribe(&mut store, "Acme", 1);
}

fn no_subscription_gets_a_name_that_another_has_or_had(place: &dyn TestStore) {
    let mut store = place.store();
    subscribe(&mut store, "Acme", 1);
    subscribe(&mut store, "Gone", 1);
    let deleted = store.delete_subscription(&name("Gone"), NOW).unwrap();
    let living = subscribe(&mut store, "Other", 1);
    let before = store.contents().unwrap();
    for taken in [&living.name, &deleted.name] {
        let refused = store.rename_subscription(&name("Acme"), taken, NOW);
        let expected = format!("there is a subscription named \"{taken}\" already");
        assert_eq!(error(refused), expected);
    }
    for (gone, new) in [(&deleted.name, "Gone"), (&name("acme"), "Acme")] {
        let refused = store.rename_subscription(gone, &name(new), NOW);
        let expected = format!("there is no subscription named \"{gone}\"");
        assert_eq!(error(refused), expected);
    }
    assert_eq!(store.contents().unwrap(), before);
}

fn what_is_not_there_or_not_allowed_is_named(place: &dyn TestStore) {
    let mut store = place.store();
    subscribe(&mut store, "Acme", 1);
    let new = NewSubscription {
        name: name("Acme"),
        quota: 1,
    };
    let error_of = |result| error(result);
    assert_eq!(
        error_of(store.create_subscription(&new, NOW)),
        "there is a subscription named \"Acme\" already"
    );
    assert_eq!(
        error_of(store.subscription(&name("acme"))),
        "there is no subscription named \"acme\""
    );
    let status = Some(SubscriptionStatus::Inactive);
    let inactive = SubscriptionChange {
        status,
        quota: None,
    };
    store
        .update_subscription(&name("Acme"), inactive, NOW)
        .unwrap();
    let issued = store.issue_key(new_key("Acme"), &mut StdRng::seed_from_u64(1), NOW);
    assert_eq!(error(issued), "the subscription \"Acme\" is inactive");
    let id = KeyId::parse("key_0000000000000000").unwrap();
    let missing = store.find_key(&KeyReference::Id(id));
    assert_eq!(
        error(missing),
        "there is no key with the id key_0000000000000000"
    );
}
