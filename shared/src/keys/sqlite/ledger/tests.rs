//! Who asks while others are answered is answered with the next, whatever is asked.

use super::*;
use crate::keys::sqlite::tests::{NOW, Place, exclusive_lock, subscribe};

/// A question of somebody who waits for the turn.
fn wait_for_turn(ledger: &SqliteLedger, question: Question) -> Answer {
    let answer = Answer::default();
    lock(&ledger.asked).push(Asked {
        question,
        answer: Arc::clone(&answer),
    });
    answer
}

/// A look, a lease and a return that wait, and the answers of each after somebody else looked.
fn answered_with_a_look(place: &Place, before: impl FnOnce()) -> [Answered; 3] {
    let subscription = subscribe(&mut place.store(), "Acme", 10);
    let period = subscription.period(NOW);
    let ledger = SqliteLedger::new(place.path());
    ledger.lease(subscription.id, period, 5).unwrap();
    let asked = [
        What::Look,
        What::Lease { wanted: 3 },
        What::GiveBack { unused: 1 },
    ];
    let waiting = asked.map(|what| {
        let question = Question {
            subscription: subscription.id,
            period,
            what,
        };
        wait_for_turn(&ledger, question)
    });
    before();
    let _looked = ledger.charged(subscription.id, period);
    waiting.map(|answer| lock(&answer).take().expect("an answer"))
}

#[test]
fn whoever_looks_answers_all_who_wait() {
    let place = Place::new();
    let answers = answered_with_a_look(&place, || {});
    let answers = answers.map(|answer| answer.map(|lease| (lease.granted, lease.charged)).unwrap());
    assert_eq!(answers, [(0, 5), (3, 8), (0, 7)]);
}

#[test]
fn nobody_waits_for_a_lock_that_another_waited_for_in_vain() {
    let place = Place::new();
    let mut locker = None;
    let answers = answered_with_a_look(&place, || locker = Some(exclusive_lock(&place)));
    for answer in answers {
        assert!(matches!(answer, Err(KeyStoreError::Locked { .. })));
    }
}
