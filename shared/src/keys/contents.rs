//! What a store holds: an overview of it, and everything, to copy it into another.
//!
//! The revision is left out: the copy is another store, with its own state.

use std::collections::HashMap;

use crate::base::operator::Operator;
use crate::keys::audit::NewEntry;
use crate::keys::key::{Key, KeyId};
use crate::keys::last_use::LastUse;
use crate::keys::quota::Period;
use crate::keys::store::{KeySnapshot, Revision};
use crate::keys::subscription::{Subscription, SubscriptionId};

/// A store at one moment, for whoever examines it.
#[derive(Clone, Debug)]
pub struct Overview {
    /// The state of its keys and subscriptions.
    pub revision: Revision,
    /// Its keys and subscriptions.
    pub snapshot: KeySnapshot,
    /// The last use of each key that was used.
    pub last_uses: HashMap<KeyId, LastUse>,
    /// Time of the last change in the audit log, Unix time.
    pub last_change: Option<i64>,
    /// Start of the latest period with a charge, Unix time.
    pub latest_charged: Option<i64>,
}

/// All rows of a store, with their numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contents {
    /// By number.
    pub subscriptions: Vec<Subscription>,
    /// With their numbers, in that order.
    pub keys: Vec<(i64, Key)>,
    /// What is charged of each quota and period.
    pub usage: Vec<Usage>,
    /// When each key was last used, in Unix seconds.
    pub last_uses: Vec<(KeyId, i64)>,
    /// What is charged of each key and period.
    pub key_usage: Vec<KeyUsage>,
    /// The audit log, the first entry first.
    pub entries: Vec<NumberedEntry>,
}

/// What is charged of one quota in one period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    /// Whose quota.
    pub subscription: SubscriptionId,
    /// The period.
    pub period: Period,
    /// How much.
    pub charged: u64,
}

/// What is charged of one key in one period.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyUsage {
    /// The key.
    pub key: KeyId,
    /// The end of the period, in Unix seconds.
    pub period_end: i64,
    /// How much.
    pub charged: u64,
}

/// An entry of the audit log as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NumberedEntry {
    /// Its number.
    pub number: i64,
    /// When, in Unix seconds.
    pub at: i64,
    /// Who.
    pub operator: Operator,
    /// What.
    pub entry: NewEntry,
}
