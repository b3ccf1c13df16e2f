//! S3 that fails, and operators who come between each other.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use super::proxy::{Fate, Proxy};
use super::*;

const SERVER_ERROR: &str =
    "HTTP/1.1 500 Internal Server Error\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
pub(super) const FORBIDDEN: &str =
    "HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

const WRITTEN: &str =
    "HTTP/1.1 200 OK\r\netag: \"1\"\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
const NO_BUCKET: &str = "HTTP/1.1 404 Not Found\r\ncontent-length: 41\r\nconnection: close\r\n\r\n\
                         <Error><Code>NoSuchBucket</Code></Error>\n";

/// Whether a request writes the pointer.
fn writes_pointer(request: &str) -> bool {
    request.starts_with("PUT ") && request.contains("/current")
}

#[test]
#[ignore = "needs S3"]
fn of_two_operators_at_once_one_wins_and_the_other_gets_an_error() {
    let folder = Folder::new();
    let ids = published_until(&folder.machine("here"), 3);
    activate(&folder.machine("here"), &ids[0]);
    let other = folder.machine("other");
    let chosen = ids[1].clone();
    // Between what the first reads and what it writes.
    let is_first = AtomicBool::new(true);
    let proxy = Proxy::start(move |request| {
        if writes_pointer(request) && is_first.swap(false, Ordering::Relaxed) {
            activate(&other, &chosen);
        }
        Fate::Passed
    });
    let slow = folder.machine_with("slow", &proxy.settings());
    let before = ExpectedActive::Release(ids[0].clone());
    let lock = slow.lock().unwrap();
    let refused = slow
        .activate(&ids[2], &before, &attempt(), &lock)
        .unwrap_err();
    assert_eq!(
        refused.to_string(),
        format!(
            "another process has activated release {} since, so release {} was not activated",
            ids[1], ids[2]
        )
    );
    let pointer = slow.pointer().unwrap().unwrap();
    assert_eq!(
        (pointer.release, pointer.previous),
        (ids[1].clone(), vec![ids[0].clone()])
    );
    // The entry of an activation that did not come to pass was taken back.
    let all = LogQuery {
        last: 9,
        is_wanted: &|_entry| true,
    };
    let part = slow.read_log(all).unwrap();
    let gaps = part.entries.iter().map(|logged| logged.is_after_gap);
    assert_eq!(gaps.collect::<Vec<_>>(), [false; 3]);
    assert_eq!(part.activated, Some(ids[1].clone()));
    let overtaken = Outcome::Overtaken {
        release: ids[2].clone(),
    };
    assert!(
        part.entries
            .iter()
            .any(|logged| logged.entry.outcome == overtaken)
    );
}

#[test]
#[ignore = "needs S3"]
fn nothing_is_activated_where_conditions_of_writes_are_not_kept() {
    let folder = Folder::new();
    let id = published_until(&folder.machine("here"), 1).remove(0);
    let is_first = AtomicBool::new(true);
    let proxy = Proxy::start(move |request| {
        let probes = request.starts_with("PUT ") && request.contains("/probe/");
        if probes && !is_first.swap(false, Ordering::Relaxed) {
            Fate::Answered(WRITTEN)
        } else {
            Fate::Passed
        }
    });
    let machine = folder.machine_with("unlucky", &proxy.settings());
    let lock = machine.lock().unwrap();
    let refused = machine
        .activate(&id, &ExpectedActive::Nothing, &attempt(), &lock)
        .unwrap_err();
    assert!(
        with_cause(&refused)
            .contains("it ignores If-None-Match and writes over what is there; use "),
        "{refused}"
    );
    assert_eq!(machine.current().unwrap(), None);
    drop(lock);
    activate(&folder.machine("here"), &id);
    assert!(folder.list("probe/").is_empty());
}

#[test]
#[ignore = "needs S3"]
fn however_many_activate_at_once_exactly_one_wins() {
    let folder = Folder::new();
    let ids = published_until(&folder.machine("here"), 6);
    let proxy = Proxy::start(|_request| Fate::Passed);
    for choices in ids.chunks(3).chain(ids.chunks(3)) {
        let before = ExpectedActive::of(folder.machine("here").pointer()).unwrap();
        let won: usize = thread::scope(|scope| {
            let operators = [("one", 0), ("two", 1), ("three", 2)].map(|(name, choice)| {
                let machine = folder.machine_with(name, &proxy.settings());
                let (before, id) = (&before, &choices[choice]);
                scope.spawn(move || {
                    let lock = machine.lock().unwrap();
                    match machine.activate(id, before, &attempt(), &lock) {
                        Ok(()) => 1,
                        Err(ReleaseError::Overtaken { .. }) => 0,
                        Err(error) => panic!("{error}"),
                    }
                })
            });
            operators
                .map(|operator| operator.join().unwrap())
                .iter()
                .sum()
        });
        assert_eq!(won, 1);
    }
}

#[test]
#[ignore = "needs S3"]
fn a_write_whose_answer_was_lost_is_found_to_have_been_done() {
    let folder = Folder::new();
    let ids = published_until(&folder.machine("here"), 2);
    let proxy = Proxy::start(|request| {
        if writes_pointer(request) {
            Fate::Unanswered
        } else {
            Fate::Passed
        }
    });
    let machine = folder.machine_with("unlucky", &proxy.settings());
    for id in ids {
        activate(&machine, &id);
        assert_eq!(folder.machine("here").current().unwrap(), Some(id));
    }
}

#[test]
#[ignore = "needs S3"]
fn failures_are_reported_with_what_was_attempted_and_are_no_damage() {
    let folder = Folder::new();
    let id = published_until(&folder.machine("here"), 1).remove(0);
    for (fate, expected) in [
        (SERVER_ERROR, "500"),
        (FORBIDDEN, "403"),
        (NO_BUCKET, "there is no such bucket"),
        ("nonsense\r\n\r\n", "invalid HTTP"),
    ] {
        let proxy = Proxy::start(move |_request| Fate::Answered(fate));
        let machine = folder.machine_with("unlucky", &proxy.settings());
        for error in [
            machine.pointer().map(|_pointer| ()).unwrap_err(),
            machine.open(&id).map(|_release| ()).unwrap_err(),
            machine.list().map(|_ids| ()).unwrap_err(),
        ] {
            let source = std::error::Error::source(&error).unwrap().to_string();
            assert!(source.contains(expected), "{error}: {source}");
            assert!(!error.is_damage());
        }
        assert_eq!(copies(&machine), (0, 0));
    }
}

#[test]
#[ignore = "needs S3"]
fn a_byte_that_changed_on_the_way_is_found_and_fetched_again() {
    let folder = Folder::new();
    let id = published_until(&folder.machine("here"), 1).remove(0);
    let is_garbled = Arc::new(AtomicBool::new(true));
    let garbles = Arc::clone(&is_garbled);
    let proxy = Proxy::start(move |request| {
        if garbles.load(Ordering::Relaxed)
            && request.starts_with("GET ")
            && request.contains("/boats.ndjson")
        {
            Fate::Garbled
        } else {
            Fate::Passed
        }
    });
    let machine = folder.machine_with("unlucky", &proxy.settings());
    let error = machine.open(&id).unwrap_err();
    assert!(error.is_damage(), "{error}");
    assert_eq!(copies(&machine), (0, 0));
    is_garbled.store(false, Ordering::Relaxed);
    machine.open(&id).unwrap().verify().unwrap();
}

#[test]
#[ignore = "needs S3"]
fn an_unanswered_request_ends_with_the_process_that_made_it() {
    let folder = Folder::new();
    let (asked, was_asked) = std::sync::mpsc::channel();
    let proxy = Proxy::start(move |_request| {
        asked.send(()).unwrap();
        Fate::Held
    });
    let machine = folder.machine_with("unlucky", &proxy.settings());
    thread::scope(|scope| {
        let asking = scope.spawn(|| machine.pointer().unwrap_err());
        was_asked.recv().unwrap();
        machine.cancel();
        let error = with_cause(&asking.join().unwrap());
        assert!(
            error.ends_with("/current: the request was cancelled"),
            "{error}"
        );
    });
}

/// An error and its cause.
pub(super) fn with_cause(error: &ReleaseError) -> String {
    let source = std::error::Error::source(error).unwrap();
    format!("{error}: {source}")
}
