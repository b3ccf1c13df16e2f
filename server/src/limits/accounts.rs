//! The accounts of all subscriptions, and the requests that wait for the ledger.
//!
//! A subscription has an account for each period with requests. Usually that is one; around a
//! renewal, and after a jump of the wall clock, there are more, until their leases are given back.
//! So the clock is followed wherever it goes, and no unit changes its period. Nothing here asks the
//! ledger or decides about a request.

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared};
use hashbrown::HashMap;
use parking_lot::Mutex;
use shared::base::clock::Moment;
use shared::keys::quota::Period;
use shared::keys::subscription::{Subscription, SubscriptionId};

use super::account::Account;
use super::quota_error::LedgerFailure;

/// The outcome of a call to the ledger, for all who wait for it.
pub(super) type Pending = Shared<BoxFuture<'static, Result<(), LedgerFailure>>>;

/// The key of an account: its subscription and its period.
pub(super) type AccountId = (SubscriptionId, Period);

/// Accounts by subscription, those of one in no order. Quickly hashed: ids of subscriptions are
/// ours.
#[derive(Default)]
pub(super) struct Accounts(HashMap<SubscriptionId, Vec<Entry>>);

/// One account, and the call to the ledger about it.
pub(super) struct Entry {
    pub(super) account: Account,
    /// The call under way: one at a time, so that its outcome is up to date.
    pub(super) pending: Option<Pending>,
    /// Charges that wait for it. The next lease has a unit for each of them, or they would wait for
    /// one commit after the other when the quota is nearly used up.
    pub(super) waiting: u64,
}

/// A waiting charge and its account; none if the account was dropped before.
pub(super) struct Waiting<'a>(&'a Mutex<Accounts>, Option<AccountId>);

impl Accounts {
    /// The account of a subscription for the period of `now`, created at the first request.
    pub(super) fn entry(&mut self, subscription: &Subscription, now: Moment) -> &mut Entry {
        let (entries, now) = (
            self.0.entry(subscription.id).or_default(),
            now.unix_seconds(),
        );
        let found = entries
            .iter()
            .position(|entry| entry.period().contains(now));
        let index = found.unwrap_or_else(|| position_or_new(entries, subscription.period(now)));
        &mut entries[index]
    }

    /// An existing account.
    pub(super) fn get_mut(&mut self, (id, period): AccountId) -> Option<&mut Entry> {
        let mut entries = self.0.get_mut(&id)?.iter_mut();
        entries.find(|entry| entry.period() == period)
    }

    /// The ids of all accounts.
    pub(super) fn ids(&self) -> Vec<AccountId> {
        self.all().map(|(id, _)| id).collect()
    }

    /// All of them.
    pub(super) fn all(&self) -> impl Iterator<Item = (AccountId, &Entry)> {
        self.0.iter().flat_map(|(id, entries)| {
            let with_id = |entry: &'_ Entry| (*id, entry.period());
            entries.iter().map(move |entry| (with_id(entry), entry))
        })
    }

    /// Drops accounts of other periods that have nothing left to do.
    pub(super) fn forget_others(&mut self, now: Moment) {
        for entries in self.0.values_mut() {
            let is_of_now = |entry: &Entry| entry.period().contains(now.unix_seconds());
            entries.retain_mut(|entry| is_of_now(entry) || !entry.is_at_rest());
        }
    }
}

/// Times before the first period or after the last count as in these, but are not contained.
fn position_or_new(entries: &mut Vec<Entry>, period: Period) -> usize {
    let found = entries.iter().position(|entry| entry.period() == period);
    found.unwrap_or_else(|| {
        entries.push(Entry {
            account: Account::new(period),
            pending: None,
            waiting: 0,
        });
        entries.len() - 1
    })
}

impl Entry {
    /// Which period it is of.
    pub(super) const fn period(&self) -> Period {
        self.account.period
    }

    /// Only an aborted call is over and still here. Polling tells, since no request may be waiting
    /// for it.
    pub(super) fn under_way(&mut self) -> Option<Pending> {
        let is_over = |pending: &mut Pending| pending.clone().now_or_never().is_some();
        self.pending.take_if(is_over);
        self.pending.clone()
    }

    fn is_at_rest(&mut self) -> bool {
        self.account.unused() == 0 && self.waiting == 0 && self.under_way().is_none()
    }
}

impl<'a> Waiting<'a> {
    /// Counts a charge as waiting until the guard is dropped.
    pub(super) fn count(accounts: &'a Mutex<Accounts>, id: AccountId) -> Self {
        let counted = accounts.lock().get_mut(id).map(|entry| {
            entry.waiting += 1;
            id
        });
        Self(accounts, counted)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let mut accounts = self.0.lock();
        if let Some(entry) = self.1.and_then(|id| accounts.get_mut(id)) {
            entry.waiting -= 1;
        }
    }
}
