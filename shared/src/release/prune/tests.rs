//! Pruning on a real file system: what stays, what goes, and what a killed prune leaves.

#![expect(
    clippy::disallowed_methods,
    reason = "the tests damage files on purpose"
)]

use std::fs;
use std::os::unix::fs::symlink;

use super::*;
use crate::base::durable;
use crate::release::in_use::Unused;
use crate::release::manifest::MANIFEST;
use crate::release::staging::PRUNED;
use crate::release::tests::records::{self, empty_store, publish, time};
use crate::release::{FileName, ReleaseStore, Releases};

/// Long after every release of these tests, and after the tests themselves, since what they change
/// in a release makes it as young as the change.
const LATER: &str = "2096-12-24T10:00:00Z";

/// Publishes a release on each of these days, one boat more each day.
fn published_on(store: &ReleaseStore, days: &[u64]) -> Vec<ReleaseId> {
    let models: Vec<String> = (0..days.len()).map(|model| model.to_string()).collect();
    let models: Vec<&str> = models.iter().map(String::as_str).collect();
    let publish = |(place, day): (usize, &u64)| {
        let at = format!("2026-11-{day:02}T10:00:00Z");
        publish(store, &at, &models[..=place]).id
    };
    days.iter().enumerate().map(publish).collect()
}

fn activate(store: &ReleaseStore, id: &ReleaseId) {
    records::activate(store, id, &store.lock().unwrap()).unwrap();
}

fn prune(store: &ReleaseStore, now: &str) -> Pruned {
    let now = time(now).unix_seconds();
    store.prune(now, &store.lock().unwrap()).unwrap()
}

/// Why each release was kept, the oldest first.
fn decisions(pruned: &Pruned) -> Vec<Option<Kept>> {
    pruned.releases.iter().rev().map(|one| one.kept).collect()
}

#[test]
fn a_release_that_is_no_longer_there_is_none_to_roll_back_to() {
    let (_directory, store) = empty_store();
    let ids = published_on(&store, &[1, 2, 3, 4]);
    for id in &ids {
        activate(&store, id);
    }
    fs::remove_dir_all(store.directory(&ids[2])).unwrap();
    let kept = decisions(&prune(&store, LATER));
    let (active, previous) = (Some(Kept::Active), Some(Kept::Previous));
    assert_eq!(kept, [previous, previous, active]);
}

#[test]
fn young_releases_are_kept_by_the_time_in_their_id() {
    let (_directory, store) = empty_store();
    let mut ids = published_on(&store, &[1, 2, 3, 4]);
    activate(&store, &ids.remove(3));
    let (active, young) = (Some(Kept::Active), Some(Kept::Young));
    // Exactly a day after the first; a slow clock makes everything young.
    for (now, expected) in [
        ("2026-10-01T00:00:00Z", &[young, young, young, active][..]),
        ("2026-11-02T09:59:59Z", &[young, young, young, active]),
        ("2026-11-02T10:00:00Z", &[None, young, young, active]),
        ("2026-11-04T10:00:00Z", &[None, None, active]),
    ] {
        assert_eq!(decisions(&prune(&store, now)), expected, "{now}");
    }
    assert_eq!(store.list().unwrap().len(), 1);
}

#[test]
fn a_release_whose_contents_are_imported_again_is_young_again() {
    let (_directory, store) = empty_store();
    let ids = published_on(&store, &[1, 2, 9]);
    activate(&store, &ids[2]);
    let again = publish(&store, "2026-11-09T12:00:00Z", &["0"]);
    assert_eq!((&again.id, again.existed), (&ids[0], true));
    drop(again);
    let (active, young) = (Some(Kept::Active), Some(Kept::Young));
    let kept = decisions(&prune(&store, "2026-11-10T11:59:59Z"));
    assert_eq!(kept, [young, None, active]);
    let kept = decisions(&prune(&store, "2026-11-10T12:00:00Z"));
    assert_eq!(kept, [None, active]);
}

#[test]
fn a_release_is_kept_while_it_is_open_also_after_the_release_itself_is_dropped() {
    let (_directory, store) = empty_store();
    let ids = published_on(&store, &[1, 2, 3]);
    activate(&store, &ids[2]);
    let release = store.open(&ids[0]).unwrap();
    let in_use = release.in_use();
    drop(release);
    let in_use_too = in_use.clone();
    let (open, active) = (Some(Kept::InUse), Some(Kept::Active));
    assert_eq!(decisions(&prune(&store, LATER)), [open, None, active]);
    drop(in_use);
    assert_eq!(decisions(&prune(&store, LATER)), [open, active]);
    store.open(&ids[0]).unwrap().verify().unwrap();
    drop(in_use_too);
    assert_eq!(decisions(&prune(&store, LATER)), [None, active]);
}

#[test]
fn a_release_that_is_being_moved_away_cannot_be_opened() {
    let (_directory, store) = empty_store();
    let id = published_on(&store, &[1]).remove(0);
    let directory = store.directory(&id);
    let unused = Unused::take(&directory.join(MANIFEST)).unwrap().unwrap();
    std::thread::scope(|scope| {
        let opened = scope.spawn(|| store.open(&id));
        let aside = directory.with_file_name(format!("{PRUNED}{id}"));
        durable::publish_directory(&directory, &aside).unwrap();
        drop(unused);
        let error = opened.join().unwrap().unwrap_err();
        assert!(matches!(error, ReleaseError::Unknown { .. }), "{error:?}");
    });
}

#[test]
fn damaged_releases_are_pruned_like_others() {
    let (_directory, store) = empty_store();
    let ids = published_on(&store, &[1, 2, 3]);
    activate(&store, &ids[2]);
    fs::write(store.directory(&ids[0]).join(MANIFEST), b"x").unwrap();
    fs::remove_file(store.directory(&ids[1]).join(MANIFEST)).unwrap();
    assert_eq!(
        decisions(&prune(&store, LATER)),
        [None, None, Some(Kept::Active)]
    );
    assert_eq!(store.list().unwrap(), [ids[2].clone()]);
}

#[test]
fn releases_to_roll_back_to_are_there_in_full() {
    let (_directory, store) = empty_store();
    let ids = published_on(&store, &[1, 2, 3, 4, 5, 6]);
    for id in &ids {
        activate(&store, id);
    }
    let file = |place: usize, name| store.directory(&ids[place]).join(name);
    fs::write(file(4, MANIFEST), b"x").unwrap();
    fs::write(file(2, FileName::Words.as_str()), b"x").unwrap();
    let (active, previous) = (Some(Kept::Active), Some(Kept::Previous));
    let pruned = prune(&store, LATER);
    assert_eq!(
        decisions(&pruned),
        [None, previous, None, previous, None, active]
    );
}

#[test]
fn without_a_readable_pointer_only_leftovers_are_removed() {
    for damage in [None, Some(b"x")] {
        let (directory, store) = empty_store();
        published_on(&store, &[1, 2]);
        let data = directory.path().join("data");
        if let Some(damage) = damage {
            fs::write(data.join("current"), damage).unwrap();
        }
        fs::write(data.join(".new-1"), b"123").unwrap();
        let pruned = prune(&store, LATER);
        assert_eq!(decisions(&pruned), [Some(Kept::NothingKnown); 2]);
        assert_eq!(pruned.leftovers.len(), 1);
        assert_eq!(store.list().unwrap().len(), 2);
    }
}

#[test]
fn what_cannot_be_removed_is_reported_and_keeps_nothing_else() {
    let (_directory, store) = empty_store();
    let ids = published_on(&store, &[1, 2, 3]);
    activate(&store, &ids[2]);
    // A manifest that is a loop of links cannot be opened, not even by the superuser.
    let manifest = store.directory(&ids[1]).join(MANIFEST);
    fs::remove_file(&manifest).unwrap();
    symlink(MANIFEST, &manifest).unwrap();
    let expected = [None, Some(Kept::Failed), Some(Kept::Active)];
    let lock = store.lock().unwrap();
    let now = time(LATER).unix_seconds();
    let planned = store.prune_dry_run(now).unwrap();
    let pruned = store.prune(now, &lock).unwrap();
    for pruned in [planned, pruned] {
        assert_eq!(decisions(&pruned), expected);
        let failures = pruned.failures.iter().map(ToString::to_string);
        let expected = format!("could not lock {}", manifest.display());
        assert_eq!(failures.collect::<Vec<_>>(), [expected]);
    }
    assert_eq!(store.list().unwrap().len(), 2);
}

#[test]
fn what_killed_commands_left_is_removed_and_counted() {
    let (directory, store) = empty_store();
    let id = published_on(&store, &[1]).remove(0);
    activate(&store, &id);
    let (data, releases) = (
        directory.path().join("data"),
        directory.path().join("data/releases"),
    );
    // As a prune killed while deleting leaves it.
    fs::create_dir(releases.join(format!("{PRUNED}{id}"))).unwrap();
    fs::write(
        releases.join(format!("{PRUNED}{id}/boats.ndjson")),
        b"12345",
    )
    .unwrap();
    fs::create_dir(releases.join(".staging-1")).unwrap();
    fs::write(data.join(".new-1"), b"123").unwrap();
    fs::write(data.join("mine"), b"123").unwrap();
    let pruned = prune(&store, LATER);
    let names = pruned.leftovers.iter().map(|leftover| {
        let name = leftover.path.file_name().unwrap().to_str().unwrap();
        (name.to_owned(), leftover.bytes)
    });
    let expected = [
        (".new-1".to_owned(), 3),
        (format!("{PRUNED}{id}"), 5),
        (".staging-1".to_owned(), 0),
    ];
    assert_eq!(names.collect::<Vec<_>>(), expected);
    assert_eq!(pruned.freed_bytes(), 8);
    assert!(
        pruned
            .leftovers
            .iter()
            .all(|leftover| !leftover.path.exists())
    );
    assert!(data.join("mine").exists());
    store.open(&id).unwrap().verify().unwrap();
}

#[test]
fn a_release_published_again_while_its_former_self_lies_aside_can_be_pruned() {
    let (_directory, store) = empty_store();
    let mut ids = published_on(&store, &[1, 2]);
    activate(&store, &ids.remove(1));
    let id = ids.remove(0);
    let aside = store.directory(&id).with_file_name(format!("{PRUNED}{id}"));
    fs::create_dir(&aside).unwrap();
    fs::write(aside.join("boats.ndjson"), b"x").unwrap();
    assert_eq!(decisions(&prune(&store, LATER)), [None, Some(Kept::Active)]);
    assert!(!aside.exists());
}
