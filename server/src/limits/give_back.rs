//! Giving back to the ledger leased units that were not charged: regularly those that are idle, and
//! at a stop all of them.
//!
//! Units are taken out of the account before they are given back, so that none is used or given
//! back twice. Nothing here leases or charges.

use std::time::Duration;

use futures_util::future::ready;
use futures_util::{StreamExt, stream};
use shared::base::clock::Moment;
use shared::keys::ledger::QuotaLedger;
use shared::keys::store::KeyStoreError;
use tokio::time::{sleep, timeout};

use super::account::Account;
use super::accounts::{AccountId, Pending};
use super::quota::Quotas;
use super::quota_error::log_lost;

/// Attempts to give back what is left when the server stops.
const LAST_ATTEMPTS: u32 = 10;

/// Their longest total time. A stop has 20 seconds, of which requests under way may take 8, and
/// last uses must still be written.
pub(super) const LAST_ATTEMPTS_MAX: Duration = Duration::from_secs(5);

/// Pause between them. A ledger known to be away refuses at once, and may soon be back.
const LAST_ATTEMPTS_PAUSE: Duration = Duration::from_millis(250);

/// Subscriptions given back for at a time. Requests wait for leases meanwhile, and the ledger may
/// have few connections.
pub(super) const GIVE_BACKS_MAX: usize = 16;

impl Quotas {
    /// Gives back all unused units: for a graceful stop, when no request is under way. Another
    /// process may lock the ledger, so it retries for a while; what cannot be given back stays
    /// counted as used.
    pub async fn give_back_all(&self) {
        let attempts = timeout(LAST_ATTEMPTS_MAX, self.try_to_give_back_all());
        if attempts.await.unwrap_or(false) {
            return;
        }
        let mut accounts = self.accounts.lock();
        for id in accounts.ids() {
            let taken = accounts
                .get_mut(id)
                .and_then(|entry| entry.account.take_unused());
            if let Some(units) = taken {
                log_lost(id.0, units, None);
            }
        }
    }

    /// Whether the ledger took all of it in the end.
    async fn try_to_give_back_all(&self) -> bool {
        for pending in self.pending() {
            // A failed lease has nothing to give back.
            let _outcome = pending.await;
        }
        for attempt in 0..LAST_ATTEMPTS {
            if attempt != 0 {
                sleep(LAST_ATTEMPTS_PAUSE).await;
            }
            if self.give_back(Account::take_unused).await {
                return true;
            }
        }
        false
    }

    /// Gives back idle units, so that other servers get them. Call it about twice a second while
    /// serving. Units are given back once a later call finds them unused for a second.
    pub async fn give_back_idle(&self, now: Moment) {
        self.give_back(|account| account.take_idle(now)).await;
        self.accounts.lock().forget_others(now);
    }

    /// Gives back what `take` takes out, for several accounts at once, since a ledger answers
    /// concurrent calls together. Whether the ledger took all of it.
    async fn give_back(&self, take: impl Fn(&mut Account) -> Option<u64>) -> bool {
        let ids = self.accounts.lock().ids();
        // Each starts when it is its turn.
        let started = ids
            .into_iter()
            .filter_map(|id| self.start_to_give_back(id, &take));
        let answered = stream::iter(started).buffer_unordered(GIVE_BACKS_MAX);
        let all = |is_all, outcome: Result<_, _>| ready(is_all && outcome.is_ok());
        answered.fold(true, all).await
    }

    /// `None` if there is nothing to give back, or a call to the ledger is under way.
    fn start_to_give_back(
        &self,
        id: AccountId,
        take: impl Fn(&mut Account) -> Option<u64>,
    ) -> Option<Pending> {
        let mut accounts = self.accounts.lock();
        let entry = accounts.get_mut(id)?;
        if entry.under_way().is_some() {
            return None;
        }
        // Taken out before they are given back, so that none is used or given back twice.
        let units = take(&mut entry.account)?;
        let (subscription, period) = id;
        let give_back =
            move |ledger: &dyn QuotaLedger| ledger.give_back(subscription, period, units);
        let enter = move |account: &mut Account, outcome: &Result<(), KeyStoreError>| match outcome
        {
            Ok(()) => {}
            Err(error) if error.is_known_unchanged() => account.put_back(units),
            Err(error) => log_lost(subscription, units, Some(error)),
        };
        let pending = self.call_ledger(id, give_back, enter);
        entry.pending = Some(pending.clone());
        Some(pending)
    }
}
