//! A store that asks for fewer requests: it gets them, and if that does not help, an operator is
//! told.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::faults::with_cause;
use super::proxy::{Fate, Proxy};
use super::*;

const SLOW_DOWN: &str = "HTTP/1.1 503 Slow Down\r\ncontent-length: 36\r\nconnection: close\r\n\r\n\
                         <Error><Code>SlowDown</Code></Error>";

#[test]
#[ignore = "needs S3"]
fn what_is_slowed_down_for_a_moment_is_done_all_the_same() {
    let folder = Folder::new();
    let slowed = [("PUT ", MANIFEST), ("GET ", MANIFEST), ("PUT ", "/current")];
    // As often as a request is tried again.
    let refusals = slowed.map(|_request| AtomicUsize::new(5));
    let proxy = Proxy::start(move |request| {
        let is_slowed =
            |(method, name): (&str, &str)| request.starts_with(method) && request.contains(name);
        let left = slowed.into_iter().position(is_slowed);
        let refuse = |left: usize| left.checked_sub(1);
        match left.map(|kind| &refusals[kind]) {
            Some(left)
                if left
                    .fetch_update(Ordering::Relaxed, Ordering::Relaxed, refuse)
                    .is_ok() =>
            {
                Fate::Answered(SLOW_DOWN)
            }
            _ => Fate::Passed,
        }
    });
    let machine = folder.machine_with("unlucky", &proxy.settings());
    let id = published_until(&machine, 1).remove(0);
    activate(&machine, &id);
    machine.open(&id).unwrap().verify().unwrap();
    assert_eq!(folder.machine("here").current().unwrap(), Some(id));
}

#[test]
#[ignore = "needs S3"]
fn a_store_that_slows_down_without_an_end_is_said_and_changes_nothing() {
    let folder = Folder::new();
    let ids = published_until(&folder.machine("here"), 2);
    activate(&folder.machine("here"), &ids[0]);
    let proxy = Proxy::start(|_request| Fate::Answered(SLOW_DOWN));
    let machine = folder.machine_with("unlucky", &proxy.settings());
    let lock = machine.lock().unwrap();
    let before = ExpectedActive::Release(ids[0].clone());
    let refused = machine.activate(&ids[1], &before, &attempt(), &lock);
    let refused = refused.unwrap_err();
    let told = with_cause(&refused);
    assert!(
        told.ends_with(
            "it has too many requests (503 Service Unavailable, SlowDown); try again in a minute"
        ),
        "{told}"
    );
    assert!(!refused.is_damage());
    assert_eq!(
        folder.machine("here").current().unwrap(),
        Some(ids[0].clone())
    );
}
