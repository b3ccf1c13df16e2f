//! The monthly quota of a subscription, shared by all its keys and by every server of its ledger.
//!
//! A request checks before it works and is charged when its response is known to be a 200. Charging
//! is a step in memory within a lease; the next lease is requested before it is used up, outside
//! the async threads, one at a time for each subscription. Checking leases nothing, so that a
//! response that turns out to be free does not cost another request the last unit; idle units are
//! given back. If the ledger cannot answer, the quota is unavailable, never guessed.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use parking_lot::Mutex;
use shared::base::clock::Moment;
use shared::keys::ledger::QuotaLedger;
use shared::keys::store::KeyStoreError;
use shared::keys::subscription::Subscription;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::account::{Account, Demand, LeaseSize, Verdict};
use super::accounts::{AccountId, Accounts, Pending, Waiting};
use super::quota_error::{LedgerFailure, QuotaError};
use super::usage::Usage;

/// How long a request waits for the ledger unless set otherwise, at its check and again at its
/// charge: together less than the second within which a client gets a 503.
pub(super) const LEDGER_WAIT_MAX: Duration = Duration::from_millis(400);

/// Most calls to the ledger at a time, since each takes a thread that may block: a ledger that
/// hangs must not take those of lists. The others wait for their turn without a thread.
pub(crate) const LEDGER_CALLS_MAX: usize = 64;

/// Quotas of all subscriptions.
pub struct Quotas {
    ledger: Arc<dyn QuotaLedger>,
    /// One permit for each call to it.
    turns: Arc<Semaphore>,
    size: LeaseSize,
    wait_budget: Duration,
    /// Locked for a step in memory only, never while anything waits.
    pub(super) accounts: Arc<Mutex<Accounts>>,
}

/// What a request has to do next.
enum Step {
    Done(Result<Usage, Usage>),
    Wait(AccountId, Pending),
}

impl Quotas {
    /// Quotas that are counted in `ledger`.
    pub fn new(ledger: Arc<dyn QuotaLedger>) -> Self {
        Self::with_lease_size(ledger, LeaseSize::default())
    }

    /// Quotas with another lease size.
    pub fn with_lease_size(ledger: Arc<dyn QuotaLedger>, size: LeaseSize) -> Self {
        Self {
            ledger,
            turns: Arc::new(Semaphore::new(LEDGER_CALLS_MAX)),
            size,
            wait_budget: LEDGER_WAIT_MAX,
            accounts: Arc::default(),
        }
    }

    /// The same, with another wait for the ledger.
    #[must_use]
    pub fn with_wait(mut self, wait_budget: Duration) -> Self {
        self.wait_budget = wait_budget;
        self
    }

    /// How much of each quota is used, as far as it is known: the ledger is asked for at most
    /// `waited` in all, and one question at a time, since requests need its connections.
    pub(crate) async fn usages(
        &self,
        subscriptions: &[Arc<Subscription>],
        now: Moment,
        waited: Duration,
    ) -> Vec<Option<Usage>> {
        let mut usages = Vec::with_capacity(subscriptions.len());
        let ask_for_all = async {
            for subscription in subscriptions {
                let check = self.demand(Demand::Check, Duration::MAX, subscription, now);
                usages.push(match check.await {
                    Ok(usage) | Err(QuotaError::Exceeded(usage)) => Some(usage),
                    Err(QuotaError::Unavailable(_)) => None,
                });
            }
        };
        // Whatever is missing then is not asked for.
        let _in_time = timeout(waited, ask_for_all).await;
        let rest = subscriptions.iter().skip(usages.len());
        usages.extend(rest.map(|one| self.known(one, now)));
        usages
    }

    /// How much of a quota is used, if that is known without asking.
    fn known(&self, subscription: &Subscription, now: Moment) -> Option<Usage> {
        let mut accounts = self.accounts.lock();
        let account = &mut accounts.entry(subscription, now).account;
        match account.decide(Demand::Check, subscription.quota, self.size, now) {
            Verdict::Granted(usage) | Verdict::Exceeded(usage) => Some(usage),
            Verdict::Lease(_) | Verdict::Ask => None,
        }
    }

    /// Checks or charges, waiting for the ledger at most the usual time and at most `left`: a request
    /// that finds no unit waits for the lease under way, then tries again.
    pub async fn demand(
        &self,
        demand: Demand,
        left: Duration,
        subscription: &Subscription,
        now: Moment,
    ) -> Result<Usage, QuotaError> {
        let step = || self.step(demand, subscription, now);
        let (id, mut pending) = match step() {
            // The usual case needs no timer.
            Step::Done(usage) => return usage.map_err(QuotaError::Exceeded),
            Step::Wait(id, pending) => (id, pending),
        };
        let waited = self.wait_budget.min(left);
        let answered = Box::pin(timeout(waited, async {
            loop {
                let count = || Waiting::count(&self.accounts, id);
                let counted = (demand == Demand::Charge).then(count);
                let answered = pending.await;
                // From here on it asks the ledger itself.
                drop(counted);
                answered.map_err(QuotaError::Unavailable)?;
                match step() {
                    Step::Done(usage) => return usage.map_err(QuotaError::Exceeded),
                    Step::Wait(_, next) => pending = next,
                }
            }
        }));
        let too_slow = |_elapsed| Err(QuotaError::Unavailable(LedgerFailure::TooSlow { waited }));
        answered.await.unwrap_or_else(too_slow)
    }

    fn step(&self, demand: Demand, subscription: &Subscription, now: Moment) -> Step {
        let mut accounts = self.accounts.lock();
        let entry = accounts.entry(subscription, now);
        let (id, quota) = ((subscription.id, entry.period()), subscription.quota);
        let verdict = entry.account.decide(demand, quota, self.size, now);
        let pending = match (verdict, entry.under_way()) {
            (Verdict::Granted(usage), under_way) => {
                if demand == Demand::Charge && under_way.is_none() {
                    let ahead = entry.account.ahead(quota, self.size, now);
                    entry.pending = ahead.map(|units| self.lease(id, quota, units, now));
                }
                return Step::Done(Ok(usage));
            }
            (Verdict::Exceeded(usage), _) => return Step::Done(Err(usage)),
            (Verdict::Lease(_) | Verdict::Ask, Some(pending)) => pending,
            (Verdict::Lease(wanted), None) => {
                self.lease(id, quota, wanted.max(entry.waiting + 1), now)
            }
            (Verdict::Ask, None) => self.ask(id, now),
        };
        entry.pending = Some(pending.clone());
        Step::Wait(id, pending)
    }

    fn lease(&self, id: AccountId, quota: u64, wanted: u64, now: Moment) -> Pending {
        let (subscription, period) = id;
        let lease = move |ledger: &dyn QuotaLedger| ledger.lease(subscription, period, wanted);
        self.call_ledger(id, lease, move |account, outcome| {
            if let Ok(lease) = outcome {
                account.receive(*lease, quota, now);
            }
        })
    }

    fn ask(&self, id: AccountId, now: Moment) -> Pending {
        let (subscription, period) = id;
        let ask = move |ledger: &dyn QuotaLedger| ledger.charged(subscription, period);
        self.call_ledger(id, ask, move |account, outcome| {
            if let Ok(charged) = outcome {
                account.learn(*charged, now);
            }
        })
    }

    /// Starts a call to the ledger once it has its turn. The outcome enters the account even if
    /// nobody waits for it any more, so a client that goes away loses nothing.
    pub(super) fn call_ledger<T: 'static>(
        &self,
        id: AccountId,
        ask: impl FnOnce(&dyn QuotaLedger) -> Result<T, KeyStoreError> + Send + 'static,
        enter: impl FnOnce(&mut Account, &Result<T, KeyStoreError>) + Send + 'static,
    ) -> Pending {
        let (ledger, accounts) = (Arc::clone(&self.ledger), Arc::clone(&self.accounts));
        let call = move || {
            let outcome = ask(&*ledger);
            if let Some(entry) = accounts.lock().get_mut(id) {
                entry.pending = None;
                enter(&mut entry.account, &outcome);
            }
            let failure = |source| LedgerFailure::Ledger {
                source: Arc::new(source),
            };
            outcome.map(|_entered| ()).map_err(failure)
        };
        let turns = Arc::clone(&self.turns);
        let answer = tokio::spawn(async move {
            let _turn = turns.acquire_owned().await;
            spawn_blocking(call).await
        });
        let broken_off = |_joined| Err(LedgerFailure::BrokenOff);
        let answer = answer.map(move |called| called.flatten().unwrap_or_else(broken_off));
        answer.boxed().shared()
    }

    pub(super) fn pending(&self) -> Vec<Pending> {
        let accounts = self.accounts.lock();
        let pending = accounts
            .all()
            .filter_map(|(_, entry)| entry.pending.clone());
        pending.collect()
    }
}

#[cfg(test)]
mod tests;
