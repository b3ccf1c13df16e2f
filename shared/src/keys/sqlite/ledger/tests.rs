//! A request that comes while others are run is run with the next, whatever it asks.

use super::*;
use crate::keys::sqlite::tests::{NOW, StoreFile, TestStore, exclusive_lock, subscribe};

/// A request that waits for its turn.
fn wait_for_turn(ledger: &SqliteLedger, request: Request) -> Reply {
    let reply = Reply::default();
    ledger.pending.lock().push(Pending {
        request,
        reply: Arc::clone(&reply),
    });
    reply
}

/// A read, a lease and a return that wait, and the outcome of each after another read.
fn answered_with_a_read(place: &StoreFile, before: impl FnOnce()) -> [Outcome; 3] {
    let subscription = subscribe(&mut place.store(), "Acme", 10);
    let period = subscription.period(NOW);
    let ledger = SqliteLedger::new(place.path());
    ledger.lease(subscription.id, period, 5).unwrap();
    let operations = [
        Operation::Read,
        Operation::Lease { wanted: 3 },
        Operation::GiveBack { unused: 1 },
    ];
    let waiting = operations.map(|operation| {
        let request = Request {
            subscription: subscription.id,
            period,
            operation,
        };
        wait_for_turn(&ledger, request)
    });
    before();
    let _charged = ledger.charged(subscription.id, period);
    waiting.map(|reply| reply.lock().take().expect("an answer"))
}

#[test]
fn one_request_answers_all_that_wait() {
    let place = StoreFile::new();
    let answers = answered_with_a_read(&place, || {});
    let answers = answers.map(|answer| answer.map(|lease| (lease.granted, lease.charged)).unwrap());
    assert_eq!(answers, [(0, 5), (3, 8), (0, 0)]);

    let mut store = place.store();
    let subscription = store.subscriptions().unwrap().remove(0);
    let period = subscription.period(NOW);
    assert_eq!(store.usage(subscription.id, period).unwrap(), 7);
}

#[test]
fn no_request_waits_for_a_lock_that_another_waited_for_in_vain() {
    let place = StoreFile::new();
    let mut locker = None;
    let answers = answered_with_a_read(&place, || locker = Some(exclusive_lock(&place)));
    for answer in answers {
        assert!(matches!(answer, Err(KeyStoreError::Locked { .. })));
    }
}

#[test]
fn a_request_whose_transaction_broke_off_may_have_been_done() {
    let place = StoreFile::new();
    let subscription = subscribe(&mut place.store(), "Acme", 10);
    let period = subscription.period(NOW);
    let ledger = SqliteLedger::new(place.path());
    let outcome = std::thread::scope(|scope| {
        let turn = ledger.turn.lock();
        let leasing = scope.spawn(|| ledger.lease(subscription.id, period, 1));
        // As a panic does: it was taken, and gets no outcome.
        while mem::take(&mut *ledger.pending.lock()).is_empty() {
            std::thread::yield_now();
        }
        drop(turn);
        leasing.join().unwrap()
    });
    assert!(!outcome.unwrap_err().is_known_unchanged());
    assert_eq!(ledger.lease(subscription.id, period, 1).unwrap().granted, 1);
}
