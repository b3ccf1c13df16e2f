//! Last uses: what is kept, and what they do not touch.

use std::time::Duration;

use super::*;
use crate::keys::audit::EntryQuery;
use crate::keys::key::KeyId;
use crate::keys::last_use::{KeyUse, LastUse};
use crate::keys::quota::Period;
use crate::keys::subscription::SubscriptionId;

on_every_store!(
    the_latest_use_of_each_key_is_kept,
    a_use_after_the_rotation_differs_from_one_before,
    a_use_is_no_change_of_keys_and_not_in_the_audit_log,
    a_key_that_the_store_does_not_have_is_left_out,
    charges_of_a_key_add_up_in_their_month,
);

fn used(at: i64) -> LastUse {
    LastUse {
        at,
        is_after_rotation: false,
    }
}

fn the_latest_use_of_each_key_is_kept(place: &dyn TestStore) {
    let mut store = place.store();
    subscribe(&mut store, "Acme", 1);
    let [one, other] = [1, 2].map(|seed| issue(&mut store, seed).key.id);
    assert!(store.last_uses().unwrap().is_empty());
    let uses = place.last_uses();
    uses.record(&[
        KeyUse::free(one.clone(), NOW + 5),
        KeyUse::free(other.clone(), NOW),
    ])
    .unwrap();
    uses.record(&[
        KeyUse::free(one.clone(), NOW + 4),
        KeyUse::free(other.clone(), NOW + 9),
    ])
    .unwrap();
    uses.record(&[]).unwrap();
    let kept = store.last_uses().unwrap();
    assert_eq!(kept.len(), 2);
    assert_eq!(kept[&one], used(NOW + 5), "a clock was set back");
    assert_eq!(kept[&other], used(NOW + 9));
}

fn a_use_after_the_rotation_differs_from_one_before(place: &dyn TestStore) {
    let mut store = place.store();
    subscribe(&mut store, "Acme", 1);
    let old = issue(&mut store, 1).key.id;
    let random = &mut StdRng::seed_from_u64(2);
    let rotation = store.rotate_key(&old, Duration::from_hours(1), random, NOW);
    let new = rotation.unwrap().new.key.id;
    let uses = place.last_uses();
    for (at, expected) in [(NOW - 1, false), (NOW, false), (NOW + 1, true)] {
        uses.record(&[KeyUse::free(old.clone(), at), KeyUse::free(new.clone(), at)])
            .unwrap();
        let kept = store.last_uses().unwrap();
        assert_eq!(kept[&old].is_after_rotation, expected, "{at}");
        assert!(!kept[&new].is_after_rotation, "nothing took its place");
    }
}

fn a_use_is_no_change_of_keys_and_not_in_the_audit_log(place: &dyn TestStore) {
    let mut store = place.store();
    subscribe(&mut store, "Acme", 1);
    let id = issue(&mut store, 1).key.id;
    let mut source = place.source();
    assert!(source.poll().unwrap().is_some());
    let query = EntryQuery {
        key: None,
        subscription: None,
        limit: 9,
    };
    let (before, log) = (store.revision().unwrap(), store.audit_log(&query).unwrap());
    place.last_uses().record(&[KeyUse::free(id, NOW)]).unwrap();
    assert_eq!(store.revision().unwrap(), before);
    assert_eq!(source.poll().unwrap(), None);
    assert_eq!(store.audit_log(&query).unwrap(), log);
}

fn a_key_that_the_store_does_not_have_is_left_out(place: &dyn TestStore) {
    let mut store = place.store();
    subscribe(&mut store, "Acme", 1);
    let id = issue(&mut store, 1).key.id;
    let gone = KeyId::parse("key_0000000000000000").unwrap();
    place
        .last_uses()
        .record(&[KeyUse::free(gone, NOW), KeyUse::free(id.clone(), NOW)])
        .unwrap();
    let kept: Vec<_> = store.last_uses().unwrap().into_keys().collect();
    assert_eq!(kept, [id]);
}

fn charges_of_a_key_add_up_in_their_month(place: &dyn TestStore) {
    let mut store = place.store();
    let acme = subscribe(&mut store, "Acme", 100);
    let [one, other] = [1, 2].map(|seed| issue(&mut store, seed).key.id);
    let gone = KeyId::parse("key_0000000000000000").unwrap();
    let month = acme.period(NOW);
    let next = acme.period(month.end);
    let charge = |key: &KeyId, period: Period, charged| KeyUse {
        period_end: period.end,
        charged,
        ..KeyUse::free(key.clone(), NOW)
    };
    let uses = place.last_uses();
    for batch in [
        vec![charge(&one, month, 3), charge(&gone, month, 5)],
        vec![charge(&other, month, 0)],
        vec![charge(&one, next, 7), charge(&one, month, 2)],
    ] {
        uses.record(&batch).unwrap();
    }
    let mut charged = |period| {
        let usage = store.usage_by_key(acme.id, period).unwrap();
        let of_each = usage.into_iter().map(|(key, charged)| (key.id, charged));
        of_each.collect::<Vec<_>>()
    };
    assert_eq!(charged(month), [(one.clone(), 5), (other.clone(), 0)]);
    assert_eq!(charged(next), [(one, 7), (other, 0)]);
    let nobody = store.usage_by_key(SubscriptionId(9), month).unwrap();
    assert_eq!(nobody, []);
    // What is charged to the subscription is another matter.
    assert_eq!(store.usage(acme.id, month).unwrap(), 0);
}
