//! Copies: everything, numbers included, into an empty store, and nothing into any other.

use std::time::Duration;

use super::*;
use crate::keys::contents::{Contents, NumberedEntry};
use crate::keys::key::{Key, KeyId};
use crate::keys::last_use::KeyUse;
use crate::keys::secret::PlainKey;
use crate::keys::store::KeyStoreError;

on_every_store!(
    a_copy_has_everything_and_goes_on_with_the_next_numbers,
    a_store_that_has_anything_is_left_as_it_is,
    a_copy_that_fails_on_the_way_leaves_nothing,
    a_copy_of_thousands_of_rows_has_them_all,
);

/// A store with a row of every kind.
fn used(place: &dyn TestStore) -> Contents {
    let mut store = place.store();
    let acme = subscribe(&mut store, "Acme", 100);
    let id = issue(&mut store, 1).key.id;
    issue(&mut store, 2);
    let random = &mut StdRng::seed_from_u64(3);
    store
        .rotate_key(&id, Duration::from_hours(1), random, NOW)
        .unwrap();
    let used = KeyUse {
        period_end: acme.period(NOW).end,
        charged: 4,
        ..KeyUse::free(id, NOW + 5)
    };
    place.last_uses().record(&[used]).unwrap();
    place.ledger().lease(acme.id, acme.period(NOW), 9).unwrap();
    store.contents().unwrap()
}

/// Tests copies of a store with a row of every kind: into another of its kind, into SQLite, and from
/// SQLite into one of its kind.
fn each_copy(place: &dyn TestStore, test: impl Fn(&dyn TestStore, &Contents, &dyn TestStore)) {
    let (contents, file) = (used(place), sqlite());
    test(place, &contents, &*place.another());
    // A store that is copied once more stays as it is.
    test(place, &contents, &sqlite());
    test(&file, &used(&file), &*place.another());
}

fn a_copy_has_everything_and_goes_on_with_the_next_numbers(place: &dyn TestStore) {
    each_copy(place, |from, contents, to| {
        let mut copy = to.store();
        copy.fill(contents).unwrap();
        assert_eq!(copy.contents().unwrap(), *contents);
        assert_eq!(from.store().contents().unwrap(), *contents);
        assert_ne!(copy.revision().unwrap(), from.store().revision().unwrap());
        let next = subscribe(&mut copy, "Next", 1).id;
        let last = contents.subscriptions.last().unwrap().id;
        assert_eq!(next.0, last.0 + 1);
        issue(&mut copy, 9);
        let issued = copy.contents().unwrap();
        let last = |contents: &Contents| {
            (
                contents.keys.last().unwrap().0,
                contents.entries.last().unwrap().number,
            )
        };
        let (key, entry) = last(contents);
        assert_eq!(last(&issued), (key + 1, entry + 2));
    });
}

fn a_store_that_has_anything_is_left_as_it_is(place: &dyn TestStore) {
    each_copy(place, |_from, contents, to| {
        subscribe(&mut to.store(), "Other", 1);
        let before = to.store().contents().unwrap();
        let refused = to.store().fill(contents).unwrap_err();
        assert!(
            matches!(refused, KeyStoreError::NotEmpty { .. }),
            "{refused}"
        );
        assert_eq!(to.store().contents().unwrap(), before);
    });
}

fn a_copy_that_fails_on_the_way_leaves_nothing(place: &dyn TestStore) {
    each_copy(place, |_from, contents, to| {
        let stranger = crate::keys::key::KeyId::parse("key_0000000000000000").unwrap();
        // An entry about a key that does not exist, at the very end.
        let mut about_nobody = contents.clone();
        about_nobody.entries.last_mut().unwrap().entry.key = Some(stranger.clone());
        // A key that is looked for when all of them are there.
        let mut of_nobody = contents.clone();
        of_nobody.keys.last_mut().unwrap().1.family = stranger;
        for damaged in [about_nobody, of_nobody] {
            to.store().fill(&damaged).unwrap_err();
            assert_eq!(to.store().contents().unwrap(), Contents::default());
        }
        // Nor does it keep the next one from being made.
        to.store().fill(contents).unwrap();
        assert_eq!(to.store().contents().unwrap(), *contents);
    });
}

/// More keys than one statement enters, the first of which names the last, and as many entries.
fn a_copy_of_thousands_of_rows_has_them_all(place: &dyn TestStore) {
    let mut contents = used(place);
    let random = &mut StdRng::seed_from_u64(9);
    let (_, some) = contents.keys.pop().unwrap();
    contents.keys = (1..=2101)
        .map(|number| {
            let secret = PlainKey::generate(some.environment, random);
            let id = KeyId::generate(random);
            let key = Key {
                family: id.clone(),
                id,
                prefix: secret.prefix(),
                hash: secret.hash(),
                replaced_by: None,
                ..some.clone()
            };
            (number, key)
        })
        .collect();
    contents.keys[0].1.replaced_by = Some(contents.keys[2100].1.id.clone());
    contents.last_uses.clear();
    contents.key_usage.clear();
    let mut entry = contents.entries.pop().unwrap();
    entry.entry.key = None;
    contents.entries = (1..=2101)
        .map(|number| NumberedEntry {
            number,
            ..entry.clone()
        })
        .collect();
    let copy = place.another();
    copy.store().fill(&contents).unwrap();
    assert_eq!(copy.store().contents().unwrap(), contents);
}
