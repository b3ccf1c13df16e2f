//! The monthly quota of a subscription, shared by all its keys and by every server of its ledger.
//!
//! A request checks before it works and is charged when its answer is known to be a 200. Charging
//! is a step in memory within a lease; only when the lease is used up is the ledger asked, outside
//! the async threads, once at a time for each subscription. When the ledger cannot say, the answer
//! is that the quota is unavailable, never a guess.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared};
use shared::clock::Moment;
use shared::keys::ledger::QuotaLedger;
use shared::keys::quota::Period;
use shared::keys::store::KeyStoreError;
use shared::keys::subscription::{Subscription, SubscriptionId};

use super::Usage;
use super::account::{Account, Demand, Verdict};

pub use super::account::LeaseSize;

/// Why a request may not go on.
#[derive(Debug, thiserror::Error)]
pub enum QuotaError {
    /// The quota of the period is used up.
    #[error("the quota of {} requests is used up", .0.limit)]
    Exceeded(Usage),
    /// It is not known whether it is.
    #[error("could not count the request against its quota")]
    Unavailable(#[source] LedgerFailure),
}

/// Why the ledger did not answer.
#[derive(Clone, Debug, thiserror::Error)]
pub enum LedgerFailure {
    /// It failed.
    #[error("could not lease requests from the quota ledger")]
    Ledger {
        /// What it says.
        #[source]
        source: Arc<KeyStoreError>,
    },
    /// The thread that asked it was stopped.
    #[error("the lease from the quota ledger was broken off")]
    BrokenOff,
}

/// The answer to a lease, for everybody who waits for it.
type PendingLease = Shared<BoxFuture<'static, Result<(), LedgerFailure>>>;

/// Quotas of all subscriptions.
pub struct Quotas {
    ledger: Arc<dyn QuotaLedger>,
    size: LeaseSize,
    accounts: Arc<Mutex<Accounts>>,
}

#[derive(Default)]
struct Accounts(HashMap<SubscriptionId, Entry>);

struct Entry {
    account: Account,
    pending: Option<PendingLease>,
}

/// What a request has to do next.
enum Step {
    Done(Result<Usage, Usage>),
    Wait(PendingLease),
}

impl Quotas {
    /// Quotas that are counted in `ledger`.
    pub fn new(ledger: Arc<dyn QuotaLedger>) -> Self {
        Self::with_lease_size(ledger, LeaseSize::default())
    }

    /// Quotas that lease other amounts than usual.
    pub fn with_lease_size(ledger: Arc<dyn QuotaLedger>, size: LeaseSize) -> Self {
        Self {
            ledger,
            size,
            accounts: Arc::default(),
        }
    }

    /// Whether there is a request left. Takes none.
    pub async fn check(
        &self,
        subscription: &Subscription,
        now: Moment,
    ) -> Result<Usage, QuotaError> {
        self.demand(Demand::Check, subscription, now).await
    }

    /// Charges one request, or refuses it. What is charged stays charged.
    pub async fn charge(
        &self,
        subscription: &Subscription,
        now: Moment,
    ) -> Result<Usage, QuotaError> {
        self.demand(Demand::Charge, subscription, now).await
    }

    /// Gives back to the ledger what is leased and not charged: for a graceful stop, when no
    /// request is under way any more. What cannot be given back stays counted as used.
    pub async fn give_back_all(&self) {
        for pending in self.pending() {
            // A failed lease brings nothing that could be given back.
            let _outcome = pending.await;
        }
        let unused = self.take_unused();
        let ledger = Arc::clone(&self.ledger);
        let given_back = tokio::task::spawn_blocking(move || {
            for (subscription, period, units) in unused {
                if let Err(error) = ledger.give_back(subscription, period, units) {
                    log_lost(subscription, units, &error);
                }
            }
        });
        if let Err(error) = given_back.await {
            tracing::warn!(%error, "unused requests may stay counted as used");
        }
    }

    /// A request that finds no unit waits for the lease that is under way, then looks again.
    async fn demand(
        &self,
        demand: Demand,
        subscription: &Subscription,
        now: Moment,
    ) -> Result<Usage, QuotaError> {
        loop {
            match self.step(demand, subscription, now) {
                Step::Done(usage) => return usage.map_err(QuotaError::Exceeded),
                Step::Wait(pending) => pending.await.map_err(QuotaError::Unavailable)?,
            }
        }
    }

    fn step(&self, demand: Demand, subscription: &Subscription, now: Moment) -> Step {
        let mut accounts = lock(&self.accounts);
        let entry = accounts.0.entry(subscription.id).or_insert_with(|| Entry {
            account: Account::new(subscription.period(now.unix_seconds())),
            pending: None,
        });
        match entry.account.decide(demand, subscription, self.size, now) {
            Verdict::Granted(usage) => Step::Done(Ok(usage)),
            Verdict::Exceeded(usage) => Step::Done(Err(usage)),
            Verdict::Lease(period, wanted) => {
                // Only a lease that was broken off is over and still here.
                let under_way = entry
                    .pending
                    .take()
                    .filter(|pending| pending.peek().is_none());
                let pending =
                    under_way.unwrap_or_else(|| self.lease(subscription, period, wanted, now));
                entry.pending = Some(pending.clone());
                Step::Wait(pending)
            }
        }
    }

    /// Starts a lease. It enters the account whether or not anybody still waits for it, so a
    /// client that goes away loses nothing.
    fn lease(
        &self,
        subscription: &Subscription,
        period: Period,
        wanted: u64,
        now: Moment,
    ) -> PendingLease {
        let (id, quota) = (subscription.id, subscription.quota);
        let (ledger, accounts) = (Arc::clone(&self.ledger), Arc::clone(&self.accounts));
        let answer = tokio::task::spawn_blocking(move || {
            let lease = ledger.lease(id, period, wanted);
            if let Some(entry) = lock(&accounts).0.get_mut(&id) {
                entry.pending = None;
                if let Ok(lease) = &lease {
                    entry.account.receive(period, *lease, quota, now);
                }
            }
            let failure = |source| LedgerFailure::Ledger {
                source: Arc::new(source),
            };
            lease.map(|_entered| ()).map_err(failure)
        });
        let answer = answer.map(|joined| joined.unwrap_or(Err(LedgerFailure::BrokenOff)));
        answer.boxed().shared()
    }

    fn pending(&self) -> Vec<PendingLease> {
        lock(&self.accounts)
            .0
            .values()
            .filter_map(|entry| entry.pending.clone())
            .collect()
    }

    /// Takes units out before they are given back, so that none can be given back twice.
    fn take_unused(&self) -> Vec<(SubscriptionId, Period, u64)> {
        let mut accounts = lock(&self.accounts);
        let take = |(&id, entry): (&SubscriptionId, &mut Entry)| {
            entry
                .account
                .take_unused()
                .map(|(period, units)| (id, period, units))
        };
        accounts.0.iter_mut().filter_map(take).collect()
    }
}

/// The lock is held for a step in memory only, never while anything waits.
fn lock(accounts: &Mutex<Accounts>) -> MutexGuard<'_, Accounts> {
    accounts.lock().unwrap_or_else(PoisonError::into_inner)
}

fn log_lost(subscription: SubscriptionId, units: u64, error: &KeyStoreError) {
    let error: &dyn std::error::Error = error;
    let subscription = subscription.0;
    tracing::warn!(
        error,
        subscription,
        units,
        "unused requests stay counted as used"
    );
}

#[cfg(test)]
mod tests;
