//! A ledger that another process keeps locked: what does not need it is answered as always.

use std::sync::{Arc, RwLock};
use std::time::Duration;

use futures_util::FutureExt;
use server::limits::{Demand, Quotas};
use shared::base::clock::Clock;
use shared::keys::ledger::{Lease, QuotaLedger};
use shared::keys::quota::Period;
use shared::keys::store::{KeyStoreError, Location};
use shared::keys::subscription::SubscriptionId;

use crate::app::TestApp;
use crate::records;

/// Many more than a server has threads.
const SUBSCRIPTIONS: i64 = 400;

/// A ledger that says nothing while it is locked, and then fails.
#[derive(Default)]
struct Lockable(RwLock<()>);

impl Lockable {
    fn answer<T>(&self) -> Result<T, KeyStoreError> {
        drop(self.0.read());
        Err(KeyStoreError::Missing {
            location: Location::File("memory".to_owned()),
        })
    }
}

impl QuotaLedger for Lockable {
    fn lease(&self, _: SubscriptionId, _: Period, _: u64) -> Result<Lease, KeyStoreError> {
        self.answer()
    }

    fn charged(&self, _: SubscriptionId, _: Period) -> Result<u64, KeyStoreError> {
        self.answer()
    }

    fn give_back(&self, _: SubscriptionId, _: Period, _: u64) -> Result<(), KeyStoreError> {
        self.answer()
    }
}

#[test]
fn lists_are_answered_while_the_ledger_is_locked_and_hundreds_of_subscriptions_wait_for_it() {
    let runtime = server::threads::runtime(records::settings()).unwrap();
    let (app, ledger) = (TestApp::new(), Arc::new(Lockable::default()));
    let list = |limit| {
        let target = format!("/v1/boats?lengthMin=1&limit={limit}");
        let answer = app.get(&target).key("reader").send();
        runtime.block_on(answer).status
    };
    // From here on the key has units of a ledger of its own.
    assert_eq!(list(1), 200);
    let locked = ledger.0.write().unwrap();
    let quotas = Quotas::new(Arc::clone(&ledger) as _);
    let entered = runtime.enter();
    let mut subscription = app.keys.snapshot().subscriptions.remove(0);
    for id in 1..=SUBSCRIPTIONS {
        subscription.id = SubscriptionId(id);
        let charge = quotas.demand(
            Demand::Charge,
            Duration::MAX,
            &subscription,
            app.clock.now(),
        );
        assert!(charge.now_or_never().is_none());
    }
    drop(entered);
    assert_eq!(list(2), 200);
    drop(locked);
}
