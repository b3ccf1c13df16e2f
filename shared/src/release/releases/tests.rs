//! What holds wherever releases are published: each test runs in a directory and in S3.

#![expect(
    clippy::disallowed_methods,
    reason = "the tests damage files on purpose"
)]

use tempfile::TempDir;

use super::*;
use crate::release::FileName;
use crate::release::log::Outcome;
use crate::release::prune::Kept;
use crate::release::s3::tests::folder::Folder;
use crate::release::tests::records::{attempt, boat, columns, empty_store, maker, time};

/// After every release of these tests and after the tests themselves.
const LATER: &str = "2096-12-24T10:00:00Z";

/// Damages a file of a release.
type Damage = dyn Fn(&ReleaseId, FileName);

/// An empty place, as two machines see it.
struct Place {
    here: Box<dyn Releases>,
    there: Box<dyn Releases>,
    /// Changes the first byte of a file.
    damage: Box<Damage>,
}

/// A directory of releases.
fn directory() -> (TempDir, Place) {
    let (directory, store) = empty_store();
    let damaged = store.clone();
    let place = Place {
        here: Box::new(store.clone()),
        there: Box::new(store),
        damage: Box::new(move |id, name| {
            let path = damaged.directory(id).join(name.as_str());
            let mut bytes = std::fs::read(&path).unwrap();
            bytes[0] ^= 1;
            std::fs::write(path, bytes).unwrap();
        }),
    };
    (directory, place)
}

/// A folder of a bucket.
fn s3() -> Place {
    let folder = Folder::new();
    let (here, there) = (folder.machine("here"), folder.machine("there"));
    Place {
        here: Box::new(here),
        there: Box::new(there),
        damage: Box::new(move |id, name| {
            let name = format!("releases/{id}/{name}");
            let mut bytes = folder.get(&name).to_vec();
            bytes[0] ^= 1;
            folder.put(&name, bytes);
        }),
    }
}

/// Makes two tests of each function: in a directory, and in S3.
macro_rules! on_each_place {
    ($($test:ident),+ $(,)?) => {
        mod directory {
            $(
                #[test]
                fn $test() {
                    let (_directory, place) = super::directory();
                    super::$test(&place);
                }
            )+
        }

        mod s3 {
            $(
                #[test]
                #[ignore = "needs S3"]
                fn $test() {
                    super::$test(&super::s3());
                }
            )+
        }
    };
}

on_each_place!(
    a_place_without_releases_has_no_active_one,
    what_one_machine_publishes_every_machine_can_open,
    the_same_contents_are_published_once_unless_they_were_damaged,
    a_release_is_activated_only_while_that_one_is_active_that_was_seen,
    a_release_that_is_not_whole_or_not_there_is_not_activated,
    rolling_back_passes_over_what_is_damaged,
    a_prune_keeps_what_is_active_was_active_or_is_young_and_says_so_before,
    every_activation_is_logged_and_one_that_was_refused_as_such,
    an_activation_that_was_logged_and_did_not_happen_leaves_a_gap,
    the_latest_entry_that_is_wanted_is_found_before_earlier_ones_are_asked_about,
);

/// Publishes boats of these models.
fn publish(releases: &dyn Releases, at: &str, models: &[&str]) -> Finished {
    let mut writer = releases.begin(columns()).unwrap();
    for model in models {
        let boat = boat(&format!("m-{model}"), model, "10.36");
        writer.push_boat(boat).unwrap();
    }
    writer
        .push_manufacturer(maker(models.len() as u64))
        .unwrap();
    releases.finish(writer, &time(at)).unwrap()
}

/// Publishes a release on each of these days, one boat more each day.
fn published_on(releases: &dyn Releases, days: &[u64]) -> Vec<ReleaseId> {
    let models: Vec<String> = (0..days.len()).map(|model| model.to_string()).collect();
    let models: Vec<&str> = models.iter().map(String::as_str).collect();
    let publish = |(place, day): (usize, &u64)| {
        let at = format!("2026-11-{day:02}T10:00:00Z");
        publish(releases, &at, &models[..=place]).id
    };
    days.iter().enumerate().map(publish).collect()
}

fn activate(releases: &dyn Releases, id: &ReleaseId) {
    let before = ExpectedActive::of(releases.pointer()).unwrap();
    let lock = releases.lock().unwrap();
    releases.activate(id, &before, &attempt(), &lock).unwrap();
}

fn a_place_without_releases_has_no_active_one(place: &Place) {
    assert_eq!(place.here.list().unwrap(), []);
    assert_eq!(place.here.pointer().unwrap(), None);
    let _writer = place.here.begin(columns()).unwrap();
}

fn what_one_machine_publishes_every_machine_can_open(place: &Place) {
    let first = publish(&*place.here, "2026-11-20T10:00:00Z", &["34", "340"]);
    let (id, manifest) = (first.id.clone(), first.manifest.clone());
    assert!(!first.existed);
    drop(first);
    assert_eq!(place.there.list().unwrap(), std::slice::from_ref(&id));
    assert_eq!(place.there.current().unwrap(), None);
    assert_eq!(place.there.manifest(&id).unwrap(), manifest);
    place.there.check_sizes(&id).unwrap();
    place.there.verify(&id).unwrap();
    let opened = place.there.open(&id).unwrap();
    opened.verify().unwrap();
    assert_eq!((opened.id(), opened.manifest()), (&id, &manifest));
    let bytes: u64 = manifest.files.iter().map(|file| file.bytes).sum();
    let manifest_bytes = manifest.to_bytes().len() as u64;
    assert_eq!(place.there.size(&id).unwrap(), bytes + manifest_bytes);
}

fn the_same_contents_are_published_once_unless_they_were_damaged(place: &Place) {
    let first = publish(&*place.here, "2026-11-20T10:00:00Z", &["34"]).id;
    let again = publish(&*place.there, "2026-11-21T10:00:00Z", &["34"]);
    assert_eq!((&again.id, again.existed), (&first, true));
    drop(again);
    (place.damage)(&first, FileName::BoatLines);
    let anew = publish(&*place.there, "2026-11-22T10:00:00Z", &["34"]);
    assert!(!anew.existed);
    place.here.verify(&anew.id).unwrap();
}

fn a_release_is_activated_only_while_that_one_is_active_that_was_seen(place: &Place) {
    let ids = published_on(&*place.here, &[1, 2, 3]);
    let seen = ExpectedActive::of(place.there.pointer()).unwrap();
    assert_eq!(seen, ExpectedActive::Nothing);
    activate(&*place.here, &ids[0]);
    let lock = place.there.lock().unwrap();
    for stale in [
        seen,
        ExpectedActive::Release(ids[2].clone()),
        ExpectedActive::Damaged,
    ] {
        let refused = place
            .there
            .activate(&ids[1], &stale, &attempt(), &lock)
            .unwrap_err();
        assert!(
            matches!(&refused, ReleaseError::Overtaken { id, active: Some(active) }
                if *id == ids[1] && *active == ids[0]),
            "{refused}"
        );
    }
    assert_eq!(place.here.current().unwrap(), Some(ids[0].clone()));
    let seen = ExpectedActive::Release(ids[0].clone());
    place
        .there
        .activate(&ids[1], &seen, &attempt(), &lock)
        .unwrap();
    let pointer = place.here.pointer().unwrap().unwrap();
    assert_eq!(
        (pointer.release, pointer.previous),
        (ids[1].clone(), vec![ids[0].clone()])
    );
}

fn a_release_that_is_not_whole_or_not_there_is_not_activated(place: &Place) {
    let ids = published_on(&*place.here, &[1, 2]);
    activate(&*place.here, &ids[0]);
    let before = ExpectedActive::Release(ids[0].clone());
    let lock = place.there.lock().unwrap();
    (place.damage)(&ids[1], FileName::Words);
    let error = place
        .there
        .activate(&ids[1], &before, &attempt(), &lock)
        .unwrap_err();
    assert!(matches!(error, ReleaseError::Damaged { .. }), "{error}");
    let error = place.there.verify(&ids[1]).unwrap_err();
    assert!(error.is_damage(), "{error}");
    let unknown_id = ReleaseId::parse("20200101T000000Z-0000000000000000").unwrap();
    let error = place
        .there
        .activate(&unknown_id, &before, &attempt(), &lock)
        .unwrap_err();
    assert!(matches!(error, ReleaseError::Unknown { .. }), "{error}");
    for unknown in [
        place.there.open(&unknown_id).map(|_release| ()),
        place.there.manifest(&unknown_id).map(|_manifest| ()),
        place.there.verify(&unknown_id),
        place.there.find(&unknown_id),
        place.there.identities(&unknown_id).map(|_identities| ()),
    ] {
        assert!(matches!(unknown, Err(ReleaseError::Unknown { .. })));
    }
    assert_eq!(place.here.current().unwrap(), Some(ids[0].clone()));
}

fn rolling_back_passes_over_what_is_damaged(place: &Place) {
    let ids = published_on(&*place.here, &[1, 2, 3]);
    assert!(
        place
            .there
            .roll_back(&attempt(), &place.there.lock().unwrap())
            .unwrap()
            .is_none()
    );
    for id in &ids {
        activate(&*place.here, id);
    }
    (place.damage)(&ids[1], FileName::BoatIndex);
    let lock = place.there.lock().unwrap();
    let back = place.there.roll_back(&attempt(), &lock).unwrap().unwrap();
    let passed_over: Vec<_> = back.passed_over.iter().map(|one| &one.id).collect();
    assert_eq!(passed_over, [&ids[1]]);
    assert_eq!((back.from, back.to), (ids[2].clone(), Some(ids[0].clone())));
    assert_eq!(place.here.current().unwrap(), Some(ids[0].clone()));
}

fn a_prune_keeps_what_is_active_was_active_or_is_young_and_says_so_before(place: &Place) {
    let ids = published_on(&*place.here, &[1, 2, 3, 4, 5]);
    let now = time(LATER).unix_seconds();
    let nothing_known = place.here.prune_dry_run(now).unwrap();
    let kept = |pruned: &Pruned| -> Vec<Option<Kept>> {
        pruned.releases.iter().rev().map(|one| one.kept).collect()
    };
    assert_eq!(kept(&nothing_known), [Some(Kept::NothingKnown); 5]);
    for used in [4, 0, 3, 1] {
        activate(&*place.here, &ids[used]);
    }
    let (active, previous) = (Some(Kept::Active), Some(Kept::Previous));
    let expected = [previous, active, None, previous, None];
    let young = place
        .here
        .prune_dry_run(time("2026-11-05T11:00:00Z").unix_seconds());
    assert_eq!(kept(&young.unwrap())[4], Some(Kept::Young));
    assert_eq!(kept(&place.here.prune_dry_run(now).unwrap()), expected);
    assert_eq!(place.here.list().unwrap().len(), 5);
    let lock = place.here.lock().unwrap();
    let pruned = place.here.prune(now, &lock).unwrap();
    assert_eq!(kept(&pruned), expected);
    assert!(pruned.failures.is_empty());
    let left = [3, 1, 0].map(|place| ids[place].clone());
    assert_eq!(place.there.list().unwrap(), left);
    for id in &left {
        place.there.verify(id).unwrap();
    }
    let again = place.here.prune(now, &lock).unwrap();
    assert_eq!(again.freed_bytes(), 0);
}

/// The outcomes of the entries, the earliest first; those that follow a gap are marked.
fn logged(releases: &dyn Releases) -> Vec<(Outcome, bool)> {
    let all = LogQuery {
        last: 100,
        is_wanted: &|_entry| true,
    };
    let part = releases.read_log(all).unwrap();
    assert_eq!((part.unreadable, part.has_earlier), (0, false));
    let entries = part.entries.into_iter();
    entries
        .map(|logged| (logged.entry.outcome, logged.is_after_gap))
        .collect()
}

fn every_activation_is_logged_and_one_that_was_refused_as_such(place: &Place) {
    let ids = published_on(&*place.here, &[1, 2]);
    assert_eq!(logged(&*place.here), []);
    activate(&*place.here, &ids[0]);
    activate(&*place.there, &ids[1]);
    let lock = place.there.lock().unwrap();
    let stale = ExpectedActive::Release(ids[0].clone());
    let refused = place.there.activate(&ids[0], &stale, &attempt(), &lock);
    assert!(matches!(refused, Err(ReleaseError::Overtaken { .. })));
    place.there.roll_back(&attempt(), &lock).unwrap();
    let entry = attempt().entry(Outcome::Invalid { errors: 7 });
    place.there.log(&entry, &lock).unwrap();
    let activated = |release: &ReleaseId, before: Option<&ReleaseId>| Outcome::Activated {
        release: release.clone(),
        before: before.cloned(),
    };
    let expected = [
        activated(&ids[0], None),
        activated(&ids[1], Some(&ids[0])),
        Outcome::Overtaken {
            release: ids[0].clone(),
        },
        activated(&ids[0], Some(&ids[1])),
        Outcome::Invalid { errors: 7 },
    ];
    assert_eq!(logged(&*place.here), expected.map(|one| (one, false)));
}

fn the_latest_entry_that_is_wanted_is_found_before_earlier_ones_are_asked_about(place: &Place) {
    published_on(&*place.here, &[1]);
    assert_eq!(place.here.latest_entry(&mut |_any| true).unwrap(), None);
    let entry = |errors| attempt().entry(Outcome::Invalid { errors });
    for errors in [1, 2, 3] {
        let lock = place.here.lock().unwrap();
        place.here.log(&entry(errors), &lock).unwrap();
    }
    let mut asked = Vec::new();
    let found = place.there.latest_entry(&mut |asked_about| {
        asked.push(asked_about.clone());
        *asked_about == entry(2)
    });
    assert_eq!(found.unwrap(), Some(entry(2)));
    assert_eq!(asked, [entry(3), entry(2)]);
    assert_eq!(place.there.latest_entry(&mut |_none| false).unwrap(), None);
}

/// As if killed between the entry and the pointer.
fn an_activation_that_was_logged_and_did_not_happen_leaves_a_gap(place: &Place) {
    let ids = published_on(&*place.here, &[1, 2]);
    activate(&*place.here, &ids[0]);
    let before = ExpectedActive::Release(ids[0].clone());
    let entry = attempt().entry(Outcome::activated(&ids[1], before.release()));
    place.here.log(&entry, &place.here.lock().unwrap()).unwrap();
    activate(&*place.here, &ids[1]);
    let gaps: Vec<_> = logged(&*place.here).iter().map(|(_, gap)| *gap).collect();
    assert_eq!(gaps, [false, false, true]);
}
