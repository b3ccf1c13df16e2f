//! What a server learns from a store, poll by poll.

use super::*;
use crate::keys::change::KeyUpdate;
use crate::keys::key_store::SubscriptionChange;
use crate::keys::subscription::SubscriptionStatus;

on_every_store!(
    every_change_is_noticed_once_by_whatever_program,
    usage_is_no_change_of_keys,
    what_cannot_be_read_confirms_nothing_until_it_can_be_again,
);

/// A store with a subscription and a key, and a source that has seen both.
fn followed(place: &dyn TestStore) -> (KeyStore, Box<dyn KeySource>) {
    let mut store = place.store();
    subscribe(&mut store, "Acme", 100);
    issue(&mut store, 1);
    let mut source = place.source();
    check(&mut *source, &mut store);
    (store, source)
}

/// Checks that the source reports the news completely, and once.
fn check(source: &mut dyn KeySource, store: &mut KeyStore) {
    let snapshot = source.poll().unwrap().unwrap();
    assert_eq!(snapshot.keys, store.keys().unwrap());
    assert_eq!(snapshot.subscriptions, store.subscriptions().unwrap());
    assert_eq!(source.poll().unwrap(), None);
    assert_eq!(source.revision(), Some(store.revision().unwrap()));
}

fn every_change_is_noticed_once_by_whatever_program(place: &dyn TestStore) {
    let (mut store, mut source) = followed(place);
    let id = store.keys().unwrap()[0].id.clone();
    let status = Some(SubscriptionStatus::Inactive);
    let change = SubscriptionChange {
        status,
        quota: Some(3),
    };
    issue(&mut store, 2);
    check(&mut *source, &mut store);
    let update = KeyUpdate {
        rate_limit: Some(8),
        ..KeyUpdate::default()
    };
    store.update_key(&id, update, NOW).unwrap();
    check(&mut *source, &mut store);
    store.disable_key(&id, NOW).unwrap();
    check(&mut *source, &mut store);
    store
        .update_subscription(&name("Acme"), change, NOW)
        .unwrap();
    check(&mut *source, &mut store);
    store.revoke_key(&id, NOW).unwrap();
    check(&mut *source, &mut store);
    // What the page says of a change by hand.
    place
        .by_hand(&format!(
            "UPDATE catalogue.keys SET revoked_at = NULL; {NOTICED}"
        ))
        .unwrap();
    check(&mut *source, &mut store);
}

const NOTICED: &str = "UPDATE catalogue.revision SET number = number + 1";

fn usage_is_no_change_of_keys(place: &dyn TestStore) {
    let (mut store, mut source) = followed(place);
    let subscription = store.subscriptions().unwrap().remove(0);
    let ledger = place.ledger();
    let period = subscription.period(NOW);
    ledger.lease(subscription.id, period, 5).unwrap();
    assert_eq!(source.poll().unwrap(), None);
}

fn what_cannot_be_read_confirms_nothing_until_it_can_be_again(place: &dyn TestStore) {
    let (mut store, mut source) = followed(place);
    place
        .by_hand(&format!(
            "UPDATE catalogue.keys SET scopes = 'boats.write'; {NOTICED}"
        ))
        .unwrap();
    let check_message = |message: String| {
        assert!(message.starts_with("could not read the key store "));
        assert!(message.ends_with(": must be boats.read, manufacturers.read or catalogue.export"));
    };
    for _poll in 0..2 {
        check_message(error(source.poll()));
        assert_eq!(source.revision(), None);
    }
    check_message(error(store.keys()));
    place
        .by_hand("UPDATE catalogue.keys SET scopes = 'boats.read'")
        .unwrap();
    check(&mut *source, &mut store);
}
