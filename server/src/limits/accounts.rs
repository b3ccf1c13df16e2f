//! The accounts of all subscriptions, and who waits for the ledger's word on them.
//!
//! Nothing here asks the ledger or decides about a request.

use std::collections::HashMap;
use std::sync::PoisonError;

use futures_util::FutureExt;
use shared::clock::Moment;
use shared::keys::subscription::{Subscription, SubscriptionId};

use super::account::Account;
use super::quota_error::LedgerFailure;
use crate::primitives::{Mutex, MutexGuard, Shared};

/// The end of a conversation with the ledger, for everybody who waits for it.
pub(super) type Pending = Shared<Result<(), LedgerFailure>>;

/// Accounts by subscription.
#[derive(Default)]
pub(super) struct Accounts(pub(super) HashMap<SubscriptionId, Entry>);

/// One account, and what is being said about it.
pub(super) struct Entry {
    pub(super) account: Account,
    /// The conversation under way: one at a time, so that its outcome says how things are.
    pub(super) pending: Option<Pending>,
    /// Charges that wait for it. The next lease has a unit for each of them, or they would wait
    /// for one commit after the other where the quota is nearly used up.
    pub(super) waiting: u64,
}

/// A charge that waits.
pub(super) struct Waiting<'a>(&'a Mutex<Accounts>, SubscriptionId);

impl Accounts {
    /// The account of a subscription, which is a new one at its first request.
    pub(super) fn entry(&mut self, subscription: &Subscription, now: Moment) -> &mut Entry {
        self.0.entry(subscription.id).or_insert_with(|| Entry {
            account: Account::new(subscription.period(now.unix_seconds())),
            pending: None,
            waiting: 0,
        })
    }
}

impl Entry {
    /// Only a conversation that was broken off is over and still here. It is polled to know that,
    /// since nobody may wait for it.
    pub(super) fn under_way(&mut self) -> Option<Pending> {
        let is_over = |pending: &mut Pending| pending.clone().now_or_never().is_some();
        self.pending.take_if(is_over);
        self.pending.clone()
    }
}

impl<'a> Waiting<'a> {
    /// Counts a charge among those that wait, until what is returned is dropped.
    pub(super) fn count(accounts: &'a Mutex<Accounts>, id: SubscriptionId) -> Self {
        if let Some(entry) = lock(accounts).0.get_mut(&id) {
            entry.waiting += 1;
        }
        Self(accounts, id)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if let Some(entry) = lock(self.0).0.get_mut(&self.1) {
            entry.waiting -= 1;
        }
    }
}

/// The lock is held for a step in memory only, never while anything waits.
pub(super) fn lock(accounts: &Mutex<Accounts>) -> MutexGuard<'_, Accounts> {
    accounts.lock().unwrap_or_else(PoisonError::into_inner)
}
