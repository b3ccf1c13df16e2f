//! The monthly quota under requests that come at once, with a ledger that answers on other threads.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::join;
use loom::future::block_on;
use loom::sync::Arc;
use loom::thread;
use models::limits::{LeaseSize, Quotas};
use shared::base::clock::Moment;
use shared::keys::ledger::{Lease, QuotaLedger};
use shared::keys::name::Name;
use shared::keys::quota::Period;
use shared::keys::store::KeyStoreError;
use shared::keys::subscription::{Plan, Subscription, SubscriptionId, SubscriptionStatus};

use crate::check;

const ID: SubscriptionId = SubscriptionId(1);

fn subscription(quota: u64) -> Subscription {
    Subscription {
        id: ID,
        name: Name::parse("Acme").unwrap(),
        plan: Plan::Pro,
        status: SubscriptionStatus::Active,
        quota,
        started_at: 0,
        created_at: 0,
    }
}

/// Counts leases of one month as a store does.
struct Ledger {
    quota: u64,
    charged: Mutex<HashMap<i64, u64>>,
}

impl Ledger {
    fn charged(&self) -> MutexGuard<'_, HashMap<i64, u64>> {
        self.charged.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl QuotaLedger for Ledger {
    fn lease(
        &self,
        _: SubscriptionId,
        period: Period,
        wanted: u64,
    ) -> Result<Lease, KeyStoreError> {
        let mut charged = self.charged();
        let charged = charged.entry(period.start).or_default();
        let granted = wanted.min(self.quota - *charged);
        *charged += granted;
        Ok(Lease {
            granted,
            charged: *charged,
        })
    }

    fn charged(&self, _: SubscriptionId, period: Period) -> Result<u64, KeyStoreError> {
        Ok(self.charged().get(&period.start).copied().unwrap_or(0))
    }

    fn give_back(
        &self,
        _: SubscriptionId,
        period: Period,
        unused: u64,
    ) -> Result<(), KeyStoreError> {
        let mut charged = self.charged();
        let charged = charged.get_mut(&period.start).unwrap();
        *charged = charged.checked_sub(unused).unwrap();
        Ok(())
    }
}

fn now() -> Moment {
    Moment {
        unix_nanos: 1_790_000_000_000_000_000,
        monotonic: Duration::from_secs(1),
    }
}

fn quotas(ledger: &std::sync::Arc<Ledger>) -> Arc<Quotas> {
    let all_at_once = LeaseSize {
        share: 1,
        max: 8,
        ahead_min: 1,
    };
    let ledger = std::sync::Arc::clone(ledger);
    Arc::new(Quotas::with_lease_size(ledger, all_at_once))
}

/// A server that leases ahead whatever is left.
fn quotas_ahead(ledger: &std::sync::Arc<Ledger>) -> Quotas {
    let half = LeaseSize {
        share: 2,
        max: 8,
        ahead_min: 1,
    };
    Quotas::with_lease_size(std::sync::Arc::clone(ledger) as _, half)
}

fn ledger(quota: u64) -> std::sync::Arc<Ledger> {
    std::sync::Arc::new(Ledger {
        quota,
        charged: Mutex::default(),
    })
}

/// Charges one request of each of the servers, all at once: how many were granted.
fn charge(servers: [&Arc<Quotas>; 2], quota: u64) -> u64 {
    let charging = servers.map(|quotas| {
        let quotas = Arc::clone(quotas);
        thread::spawn(move || block_on(quotas.charge(&subscription(quota), now())).is_ok())
    });
    charging
        .map(|thread| u64::from(thread.join().unwrap()))
        .iter()
        .sum()
}

#[test]
fn two_requests_at_once_are_charged_exactly_and_the_rest_of_the_lease_goes_back() {
    for quota in [1, 2] {
        check(2, move || {
            let ledger = ledger(quota);
            let quotas = quotas(&ledger);
            assert_eq!(charge([&quotas; 2], quota), quota);
            block_on(quotas.give_back_all());
            assert_eq!(ledger.charged().values().sum::<u64>(), quota);
        });
    }
}

#[test]
fn two_servers_at_once_charge_no_more_than_their_quota() {
    check(2, || {
        let ledger = ledger(1);
        let servers = [quotas(&ledger), quotas(&ledger)];
        assert_eq!(charge(servers.each_ref(), 1), 1);
        assert_eq!(ledger.charged().values().sum::<u64>(), 1);
    });
}

#[test]
fn a_client_that_goes_away_leaves_nothing_charged_that_was_not_granted() {
    check(2, || {
        let ledger = ledger(3);
        let quotas = quotas(&ledger);
        let leaving = Arc::clone(&quotas);
        let left = thread::spawn(move || {
            let charged = leaving.charge(&subscription(3), now()).now_or_never();
            charged.is_some_and(|charged| charged.is_ok())
        });
        let stayed = block_on(quotas.charge(&subscription(3), now()));
        assert!(stayed.is_ok());
        let granted = 1 + u64::from(left.join().unwrap());
        block_on(quotas.give_back_all());
        assert_eq!(ledger.charged().values().sum::<u64>(), granted);
    });
}

#[test]
fn a_lease_ahead_beside_a_charge_and_a_stop_loses_no_unit_and_counts_none_twice() {
    const QUOTA: u64 = 6;
    for is_charged_first in [true, false] {
        check(2, move || {
            let ledger = ledger(QUOTA);
            let quotas = quotas_ahead(&ledger);
            let charge = async || quotas.charge(&subscription(QUOTA), now()).await;
            // The lease of its unit is over, and the one ahead, of two units, under way.
            assert!(block_on(charge()).is_ok());
            let charged = if is_charged_first {
                block_on(join(charge(), quotas.give_back_all())).0
            } else {
                block_on(join(quotas.give_back_all(), charge())).1
            };
            assert!(charged.is_ok());
            // What the ledger counts and nobody was granted is here, and no more than that.
            let counted = ledger.charged().values().sum::<u64>();
            for granted in 3..=counted {
                let usage = charge().now_or_never().unwrap().unwrap();
                assert_eq!(usage.remaining, QUOTA - granted);
            }
            let left = quotas.check(&subscription(QUOTA), now()).now_or_never();
            assert_eq!(left.unwrap().unwrap().remaining, QUOTA - counted);
        });
    }
}

#[test]
fn charges_go_on_beside_a_lease_ahead_and_a_stop_gives_back_the_rest_of_both() {
    const QUOTA: u64 = 16;
    check(2, || {
        let ledger = ledger(QUOTA);
        let quotas = quotas_ahead(&ledger);
        let mut now = now();
        // The first leases its unit, and the second takes one of seven that were leased ahead; the
        // seventh leaves one of these, and the eighth takes it while four more are leased.
        for granted in 1..=8 {
            let usage = block_on(quotas.charge(&subscription(QUOTA), now)).unwrap();
            assert_eq!(usage.remaining, QUOTA - granted);
            now.monotonic += Duration::from_secs(1);
        }
        block_on(quotas.give_back_all());
        assert_eq!(ledger.charged().values().sum::<u64>(), 8);
    });
}
