//! The tables of keys, subscriptions, usage and the audit log, whichever database holds them: what
//! can be done with their rows in one transaction.
//!
//! Nothing here decides anything: the rules are in [`super::table_store`], once for all databases.

use std::collections::HashMap;

use crate::keys::audit::{Change, Entry, EntryQuery, Event, Operator};
use crate::keys::contents::Contents;
use crate::keys::key::{Key, KeyId};
use crate::keys::last_use::LastUse;
use crate::keys::name::Name;
use crate::keys::quota::Period;
use crate::keys::store::{KeyReference, KeyStoreError, NewSubscription, Revision};
use crate::keys::subscription::{Subscription, SubscriptionId};

/// A database with the tables.
pub trait Transactions {
    /// What ends a transaction early, undoing it.
    type Stop: From<KeyStoreError>;

    /// Reads at one moment of the database.
    fn read<T>(
        &mut self,
        work: impl FnOnce(&dyn Tables<Stop = Self::Stop>) -> Result<T, Self::Stop>,
    ) -> Result<T, KeyStoreError>;

    /// Changes the database: wholly and durably, or not at all, and after whoever else does.
    fn change<T>(
        &mut self,
        work: impl FnOnce(&dyn Tables<Stop = Self::Stop>) -> Result<T, Self::Stop>,
    ) -> Result<T, KeyStoreError>;

    /// The same for a change that refuses keys, which must be possible while a disk is full.
    fn change_urgently<T>(
        &mut self,
        work: impl FnOnce(&dyn Tables<Stop = Self::Stop>) -> Result<T, Self::Stop>,
    ) -> Result<T, KeyStoreError> {
        self.change(work)
    }
}

/// The rows, within a transaction.
pub trait Tables {
    /// What ends the transaction early, undoing it.
    type Stop;

    /// The state that keys and subscriptions are in.
    fn revision(&self) -> Result<Revision, Self::Stop>;

    /// All subscriptions, in the order of their creation.
    fn subscriptions(&self) -> Result<Vec<Subscription>, Self::Stop>;

    /// The subscription of that name.
    fn subscription_named(&self, name: &Name) -> Result<Option<Subscription>, Self::Stop>;

    /// The subscription of that number.
    fn subscription_numbered(&self, id: SubscriptionId)
    -> Result<Option<Subscription>, Self::Stop>;

    /// Enters an active subscription that starts `now`.
    fn insert_subscription(&self, new: &NewSubscription, now: i64) -> Result<(), Self::Stop>;

    /// Stores what may change of a subscription.
    fn update_subscription(&self, subscription: &Subscription) -> Result<(), Self::Stop>;

    /// All keys, in the order of their issue.
    fn keys(&self) -> Result<Vec<Key>, Self::Stop>;

    /// The key with that id or prefix.
    fn find_key(&self, reference: &KeyReference) -> Result<Option<Key>, Self::Stop>;

    /// Enters a new key.
    fn insert_key(&self, key: &Key) -> Result<(), Self::Stop>;

    /// Stores what may change of a key.
    fn update_key(&self, key: &Key) -> Result<(), Self::Stop>;

    /// What is charged of a period so far.
    fn charged(&self, subscription: SubscriptionId, period: Period) -> Result<u64, Self::Stop>;

    /// The last use of each key that was ever used.
    fn last_uses(&self) -> Result<HashMap<KeyId, LastUse>, Self::Stop>;

    /// Enters into the audit log what `operator` did at `at`, in Unix seconds.
    fn insert_entry(
        &self,
        entry: &NewEntry,
        operator: &Operator,
        at: i64,
    ) -> Result<(), Self::Stop>;

    /// The latest entries of the audit log, the last one first.
    fn entries(&self, query: &EntryQuery) -> Result<Vec<Entry>, Self::Stop>;

    /// Everything there is.
    fn contents(&self) -> Result<Contents, Self::Stop>;

    /// Enters everything of another store, numbers included, into empty tables.
    fn fill(&self, contents: &Contents) -> Result<(), Self::Stop>;
}

/// What is entered into the audit log of a change, besides who made it and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewEntry {
    /// What happened.
    pub event: Event,
    /// The subscription that was changed, or owns the key that was.
    pub subscription: SubscriptionId,
    /// The key, where it was one that was changed.
    pub key: Option<KeyId>,
    /// Old and new values.
    pub changes: Vec<Change>,
}

impl NewEntry {
    /// What became of a key, of a new one where there is none `before`.
    pub(super) fn of_key(event: Event, before: Option<&Key>, after: &Key) -> Self {
        Self {
            event,
            subscription: after.subscription,
            key: Some(after.id.clone()),
            changes: Change::of_key(before, after),
        }
    }

    /// What became of a subscription, of a new one where there is none `before`.
    pub(super) fn of_subscription(
        event: Event,
        before: Option<&Subscription>,
        after: &Subscription,
    ) -> Self {
        Self {
            event,
            subscription: after.id,
            key: None,
            changes: Change::of_subscription(before, after),
        }
    }
}
