//! Releases in S3, where a server of that kind is named by the environment: copies that are never
//! wrong, pointers that are not replaced unseen, and S3 that fails.

#![expect(
    clippy::disallowed_methods,
    reason = "the tests damage files on purpose"
)]

mod faults;
pub(in crate::release) mod folder;
mod other_store;
mod overload;
mod proxy;
mod suitability;
mod use_marks;

use std::sync::mpsc;
use std::{fs, thread};

use self::folder::Folder;
use self::proxy::{Fate, Proxy};
use super::published::file_name;
use super::*;
use crate::release::manifest::MANIFEST;
use crate::release::releases::{ExpectedActive, Releases};
use crate::release::tests::records::{attempt, boat, columns, maker, time};
use crate::release::{FileName, Finished, S3Releases};

/// Publishes boats of these models.
fn publish(machine: &S3Releases, at: &str, models: &[&str]) -> Finished {
    let mut writer = machine.begin(columns()).unwrap();
    for model in models {
        let boat = boat(&format!("m-{model}"), model, "10.36");
        writer.push_boat(boat).unwrap();
    }
    let boats = models.len() as u64;
    writer.push_manufacturer(maker(boats)).unwrap();
    machine.finish(writer, &time(at)).unwrap()
}

/// Publishes a release on each day of a month until this one, one boat more each day.
fn published_until(machine: &S3Releases, day: usize) -> Vec<ReleaseId> {
    let models: Vec<String> = (0..day).map(|model| model.to_string()).collect();
    let models: Vec<&str> = models.iter().map(String::as_str).collect();
    let publish = |day| {
        let at = format!("2026-11-{day:02}T10:00:00Z");
        publish(machine, &at, &models[..day]).id
    };
    (1..=day).map(publish).collect()
}

fn activate(machine: &S3Releases, id: &ReleaseId) {
    let before = ExpectedActive::of(machine.pointer()).unwrap();
    machine
        .activate(id, &before, &attempt(), &machine.lock().unwrap())
        .unwrap();
}

/// The names of all that a machine has copies of, finished or not.
fn copies(machine: &S3Releases) -> (usize, usize) {
    let finished = machine.copies.store.list().unwrap().len();
    let begun = fs::read_dir(&machine.copies.fetching).map_or(0, Iterator::count);
    (finished, begun)
}

#[test]
#[ignore = "needs S3"]
fn every_file_that_is_not_what_the_manifest_says_keeps_a_copy_from_being_made() {
    let folder = Folder::new();
    let id = published_until(&folder.machine("here"), 1).remove(0);
    let there = folder.machine("there");
    for name in FileName::ALL
        .map(FileName::as_str)
        .iter()
        .chain([&MANIFEST])
    {
        let object = file_name(&id, name);
        let whole = folder.get(&object);
        let mut damaged = whole.to_vec();
        *damaged.last_mut().unwrap() ^= 1;
        for wrong in [damaged, whole[1..].to_vec(), Vec::new()] {
            folder.put(&object, wrong);
            let error = there.open(&id).unwrap_err();
            assert!(error.is_damage(), "{name}: {error}");
            assert_eq!(copies(&there), (0, 0), "{name}");
        }
        folder.remove(&object);
        let error = there.open(&id).unwrap_err();
        assert!(error.is_damage(), "{name}: {error}");
        folder.put(&object, whole);
    }
    there.open(&id).unwrap().verify().unwrap();
    assert_eq!(copies(&there), (1, 0));
}

#[test]
#[ignore = "needs S3"]
fn identities_are_read_without_a_copy_and_make_none() {
    let folder = Folder::new();
    let here = folder.machine("here");
    let id = published_until(&here, 1).remove(0);
    let expected = here.open(&id).unwrap().identities().unwrap();
    let there = folder.machine("there");
    // No body is needed.
    folder.remove(&file_name(&id, FileName::BoatLines.as_str()));
    assert_eq!(there.identities(&id).unwrap(), expected);
    assert_eq!(copies(&there), (0, 0));
    // A copy is read where there is one; where that is damaged, what is published.
    let table = here.open(&id).unwrap().path(FileName::BoatIndex);
    fs::write(table, "damaged").unwrap();
    assert_eq!(here.identities(&id).unwrap(), expected);
    for name in [FileName::BoatIndex.as_str(), MANIFEST] {
        folder.put(&file_name(&id, name), "damaged");
        assert!(there.identities(&id).unwrap_err().is_damage(), "{name}");
    }
}

#[test]
#[ignore = "needs S3"]
fn what_another_thread_is_fetching_is_not_fetched_twice() {
    let folder = Folder::new();
    let id = published_until(&folder.machine("here"), 1).remove(0);
    let manifest = file_name(&id, MANIFEST);
    let (fetch, fetches) = mpsc::channel();
    let proxy = Proxy::start(move |request| {
        if request.starts_with("GET ") && request.contains(&manifest) {
            fetch.send(()).unwrap();
        }
        Fate::Passed
    });
    let there = folder.machine_with("there", &proxy.settings());
    thread::scope(|scope| {
        scope.spawn(|| there.open(&id).unwrap());
        fetches.recv().unwrap();
        there.open(&id).unwrap().verify().unwrap();
    });
    assert_eq!(fetches.try_iter().count(), 0);
}

#[test]
#[ignore = "needs S3"]
fn a_copy_that_was_damaged_is_made_anew_once_that_is_known() {
    let folder = Folder::new();
    let here = folder.machine("here");
    let id = published_until(&here, 1).remove(0);
    let path = here.open(&id).unwrap().path(FileName::Words);
    fs::write(&path, b"damaged").unwrap();
    assert!(here.open(&id).unwrap().verify().is_err());
    here.invalidate(&id).unwrap();
    here.open(&id).unwrap().verify().unwrap();
    fs::write(&path, b"damaged").unwrap();
    activate(&here, &id);
    here.open(&id).unwrap().verify().unwrap();
}

#[test]
#[ignore = "needs S3"]
fn a_server_fetches_what_may_be_activated_next_and_keeps_no_more() {
    let folder = Folder::new();
    let (here, there) = (folder.machine("here"), folder.machine("there"));
    let ids = published_until(&here, 9);
    for place in [1, 2, 3, 4] {
        activate(&here, &ids[place]);
    }
    let now = time("2096-11-22T10:00:00Z").unix_seconds();
    let prefetched = there.prefetch(&ids[4], now);
    assert!(prefetched.failures.is_empty());
    let wanted = [3, 2, 8, 7].map(|place| ids[place].clone());
    assert_eq!(prefetched.fetched, wanted);
    there.open(&ids[4]).unwrap();
    assert!(there.prefetch(&ids[4], now + 3).fetched.is_empty());
    activate(&here, &ids[8]);
    let open = there.open(&ids[2]).unwrap();
    let prefetched = there.prefetch(&ids[8], now + 6);
    assert_eq!(prefetched.fetched, [ids[6].clone()]);
    drop(open);
    let left = [8, 7, 6, 4, 3, 2].map(|place| ids[place].clone());
    assert_eq!(there.copies.store.list().unwrap(), left, "one was open");
    there.prefetch(&ids[8], now + 9);
    assert!(!there.copies.store.list().unwrap().contains(&ids[2]));
}

#[test]
#[ignore = "needs S3"]
fn a_prune_also_removes_unneeded_copies_on_a_machine_that_imports() {
    let folder = Folder::new();
    let here = folder.machine("here");
    let ids = published_until(&here, 5);
    let now = time("2096-11-22T10:00:00Z").unix_seconds();
    let lock = here.lock().unwrap();
    here.prune(now, &lock).unwrap();
    assert_eq!(
        here.copies.store.list().unwrap().len(),
        5,
        "nothing is active yet"
    );
    drop(lock);
    activate(&here, &ids[4]);
    here.prune(now, &here.lock().unwrap()).unwrap();
    assert_eq!(here.list().unwrap(), std::slice::from_ref(&ids[4]));
    assert_eq!(
        here.copies.store.list().unwrap(),
        std::slice::from_ref(&ids[4])
    );
}

#[test]
#[ignore = "needs S3"]
fn the_pointer_that_was_kept_is_there_without_s3() {
    let folder = Folder::new();
    let here = folder.machine("here");
    let ids = published_until(&here, 1);
    activate(&here, &ids[0]);
    assert_eq!(here.cached_pointer().unwrap(), None);
    let pointer = here.pointer().unwrap().unwrap();
    here.cache_pointer(&pointer).unwrap();
    let nowhere = (
        "AWS_ENDPOINT_URL".to_owned(),
        "http://127.0.0.1:1".to_owned(),
    );
    let settings = S3Settings::of(std::env::vars().chain([nowhere]));
    let alone = folder.machine_with("here", &settings);
    let error = alone.pointer().unwrap_err();
    assert!(!error.is_damage(), "{error}");
    assert_eq!(alone.cached_pointer().unwrap(), Some(pointer));
    alone.open_here(&ids[0]).unwrap().verify().unwrap();
}
