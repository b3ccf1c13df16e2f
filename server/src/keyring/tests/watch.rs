//! Tests of a keyring that a watch keeps current.

use std::io;
use std::sync::Mutex;
use std::sync::mpsc::{Sender, channel};

use shared::keys::store::Revision;

use super::*;
use crate::keyring::watch;

/// Reports each time it is asked.
struct Announcing {
    asked: Mutex<Sender<()>>,
    answer: Answer,
}

impl KeySource for Announcing {
    fn poll(&mut self) -> Result<Option<KeySnapshot>, KeyStoreError> {
        let answer = self.answer.poll();
        // The test stops listening before the watch stops.
        let _heard = self.asked.lock().unwrap().send(());
        answer
    }

    fn revision(&self) -> Option<Revision> {
        self.answer.revision()
    }
}

#[test]
fn a_watch_asks_again_and_again_until_it_is_dropped() {
    let keyring = Arc::new(Keyring::default());
    let clock = Arc::new(ManualClock::at(START));
    let (asked, asks) = channel();
    let answer = Answer::Changed(snapshot(|_, _| {}));
    let source = Box::new(Announcing {
        asked: Mutex::new(asked),
        answer,
    });
    let confirm = Box::new(|_revision: &_| Ok(()));
    let watch = watch(
        Arc::clone(&keyring),
        source,
        Arc::clone(&clock) as _,
        confirm,
    )
    .unwrap();
    for _ask in 0..2 {
        asks.recv().unwrap();
    }
    drop(watch);
    // The first answer was applied before the source was asked again.
    assert!(
        keyring
            .verify(&secret().hash(), Environment::Test, clock.now())
            .is_ok()
    );
    let _asked_meanwhile = asks.try_iter().count();
    assert!(asks.recv().is_err(), "the source is gone with its thread");
}

#[test]
fn a_revision_is_confirmed_once_keys_are_judged_by_it_and_again_where_that_failed() {
    let keyring = Arc::new(Keyring::default());
    let clock = Arc::new(ManualClock::at(START));
    let (asked, asks) = channel();
    let asked = Mutex::new(asked);
    let answer = Answer::Changed(snapshot(|_, _| {}));
    let source = Box::new(Announcing { asked, answer });
    let (judge, judged) = (Arc::clone(&keyring), Arc::clone(&clock));
    let (confirmed, confirmations) = channel();
    let mut failures = vec![io::ErrorKind::StorageFull];
    let confirm = Box::new(move |revision: &Revision| {
        let verified = judge.verify(&secret().hash(), Environment::Test, judged.now());
        confirmed
            .send((revision.clone(), verified.is_ok()))
            .unwrap();
        failures.pop().map_or(Ok(()), |kind| Err(kind.into()))
    });
    let watch = watch(keyring, source, clock, confirm).unwrap();
    for _ask in 0..4 {
        asks.recv().unwrap();
    }
    drop(watch);
    let confirmations: Vec<_> = confirmations.iter().collect();
    let expected = (Revision("4-ab".to_owned()), true);
    assert_eq!(confirmations, [expected.clone(), expected]);
}
