//! The store of keys as commands and servers use it: the seam behind which the database is chosen.
//!
//! Each change is one durable transaction: it happened wholly or not at all, and once a function
//! returns it survives a power cut. Rules about keys live in [`crate::keys::key`] and
//! [`crate::keys::change`]; a store keeps what they decide, and who had it changed.

use std::collections::HashMap;
use std::error::Error;
use std::fmt;
use std::time::Duration;

use rand::RngCore;

use crate::keys::audit::{Entry, EntryQuery};
use crate::keys::change::KeyUnchangeable;
use crate::keys::environment::Environment;
use crate::keys::key::{Key, KeyId};
use crate::keys::last_use::LastUse;
use crate::keys::name::Name;
use crate::keys::quota::Period;
use crate::keys::scope::Scopes;
use crate::keys::secret::{KeyPrefix, PlainKey};
use crate::keys::subscription::{Plan, Subscription, SubscriptionId, SubscriptionStatus};

/// What a new subscription is to be.
#[derive(Clone, Debug)]
pub struct NewSubscription {
    /// Its name, not yet taken.
    pub name: Name,
    /// What it pays for.
    pub plan: Plan,
    /// Requests a month.
    pub quota: u64,
}

/// What to change of a subscription; `None` leaves it as it is.
#[derive(Clone, Copy, Debug, Default)]
pub struct SubscriptionChange {
    /// Whether its keys work.
    pub status: Option<SubscriptionStatus>,
    /// Requests a month.
    pub quota: Option<u64>,
}

/// What a new key is to be.
#[derive(Clone, Debug)]
pub struct NewKey {
    /// Name of the subscription that is to own it.
    pub subscription: Name,
    /// Which servers are to accept it.
    pub environment: Environment,
    /// What it may read; not empty.
    pub scopes: Scopes,
    /// What its owner calls it.
    pub name: Option<Name>,
    /// Its own minute limit.
    pub rate_limit: Option<u32>,
    /// When it is to expire, Unix seconds.
    pub expires_at: Option<i64>,
}

/// A key at the one moment when its plaintext is known.
#[derive(Clone, Debug)]
pub struct IssuedKey {
    /// What the store keeps.
    pub key: Key,
    /// What its owner keeps.
    pub secret: PlainKey,
}

/// The two keys of a rotation.
#[derive(Clone, Debug)]
pub struct Rotation {
    /// The key that was replaced.
    pub old: Key,
    /// The key in its place.
    pub new: IssuedKey,
}

/// What names a key to a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyReference {
    /// Its public id.
    Id(KeyId),
    /// Its prefix.
    Prefix(KeyPrefix),
}

impl fmt::Display for KeyReference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Id(id) => write!(f, "id {id}"),
            Self::Prefix(prefix) => write!(f, "prefix {prefix}"),
        }
    }
}

/// Keeps subscriptions, keys and usage. Times are Unix seconds and passed in.
pub trait KeyStore {
    /// Enters a subscription that starts `now`.
    fn create_subscription(
        &mut self,
        new: NewSubscription,
        now: i64,
    ) -> Result<Subscription, KeyStoreError>;

    /// All subscriptions, in the order of their creation.
    fn subscriptions(&mut self) -> Result<Vec<Subscription>, KeyStoreError>;

    /// The subscription of that name.
    fn subscription(&mut self, name: &Name) -> Result<Subscription, KeyStoreError>;

    /// Changes a subscription and returns it as it is then.
    fn update_subscription(
        &mut self,
        name: &Name,
        change: SubscriptionChange,
        now: i64,
    ) -> Result<Subscription, KeyStoreError>;

    /// Issues a key on an active subscription.
    fn issue_key(
        &mut self,
        new: NewKey,
        random: &mut dyn RngCore,
        now: i64,
    ) -> Result<IssuedKey, KeyStoreError>;

    /// All keys, in the order of their issue.
    fn keys(&mut self) -> Result<Vec<Key>, KeyStoreError>;

    /// The key with that id or prefix.
    fn find_key(&mut self, reference: &KeyReference) -> Result<Key, KeyStoreError>;

    /// Replaces a working key by a new one of the same rights; the old one works for `grace` and
    /// never beyond its own expiry.
    fn rotate_key(
        &mut self,
        id: &KeyId,
        grace: Duration,
        random: &mut dyn RngCore,
        now: i64,
    ) -> Result<Rotation, KeyStoreError>;

    /// Makes a key be refused until it is enabled again.
    fn disable_key(&mut self, id: &KeyId, now: i64) -> Result<Key, KeyStoreError>;

    /// Takes back a disabling.
    fn enable_key(&mut self, id: &KeyId, now: i64) -> Result<Key, KeyStoreError>;

    /// Makes a key be refused for good.
    fn revoke_key(&mut self, id: &KeyId, now: i64) -> Result<Key, KeyStoreError>;

    /// Requests of a period that are charged or taken by running servers.
    fn usage(&mut self, subscription: SubscriptionId, period: Period)
    -> Result<u64, KeyStoreError>;

    /// The last use of each key that was ever used.
    fn last_uses(&mut self) -> Result<HashMap<KeyId, LastUse>, KeyStoreError>;

    /// How far the store has come: at least as far as with the last change that was made here.
    fn revision(&mut self) -> Result<Revision, KeyStoreError>;

    /// The latest entries of the audit log, the last one first. Every change above enters itself,
    /// unless everything was so already.
    fn audit_log(&mut self, query: &EntryQuery) -> Result<Vec<Entry>, KeyStoreError>;
}

/// Numbers the states of a store's keys and subscriptions in their order: every change is a later
/// one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Revision(pub i64);

/// All keys and subscriptions at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeySnapshot {
    /// Keys in the order of their issue, revoked and expired ones included.
    pub keys: Vec<Key>,
    /// Subscriptions in the order of their creation.
    pub subscriptions: Vec<Subscription>,
}

/// Follows the keys of a store, for a server.
pub trait KeySource: Send {
    /// `Some` the first time and whenever anything may have changed; `None` confirms that nothing
    /// did. An error confirms nothing: whoever waits too long for a confirmation must refuse.
    fn poll(&mut self) -> Result<Option<KeySnapshot>, KeyStoreError>;

    /// What the last poll confirmed, if it did.
    fn revision(&self) -> Option<Revision>;
}

/// The attempt, in a [`KeyStoreError::Failed`], that may have changed the store.
pub const CHANGE: &str = "change";

/// Why a store could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum KeyStoreError {
    /// Nothing is there.
    #[error("there is no key store at {location}")]
    Missing {
        /// Where it was looked for.
        location: String,
    },
    /// Something else is there.
    #[error("{location} is not a key store of this program")]
    Foreign {
        /// Where it lies.
        location: String,
    },
    /// It can be read and not changed, so nothing can be counted in it.
    #[error("the key store {location} cannot be written to")]
    ReadOnly {
        /// Where it lies.
        location: String,
    },
    /// Written by a newer program.
    #[error(
        "the key store {location} has version {found}, newer than {known}: use a newer program"
    )]
    Newer {
        /// Where it lies.
        location: String,
        /// Its version.
        found: i64,
        /// The newest version that this program knows.
        known: i64,
    },
    /// Somebody else held the store for too long. Nothing was changed.
    #[error("could not {attempt} the key store {location}")]
    Locked {
        /// What was attempted, as a verb.
        attempt: &'static str,
        /// Where the store lies.
        location: String,
        /// What the store's own library says.
        #[source]
        source: Box<dyn Error + Send + Sync>,
    },
    /// The store itself failed: damaged, out of reach.
    #[error("could not {attempt} the key store {location}")]
    Failed {
        /// What was attempted, as a verb.
        attempt: &'static str,
        /// Where the store lies.
        location: String,
        /// What the store's own library says.
        #[source]
        source: Box<dyn Error + Send + Sync>,
    },
    /// No such subscription.
    #[error("there is no subscription named \"{name}\"")]
    NoSubscription {
        /// The name that was asked for.
        name: Name,
    },
    /// No subscription of that number, which a server was told by this very store.
    #[error("there is no subscription with the number {}", id.0)]
    NoSubscriptionId {
        /// The number that was asked for.
        id: SubscriptionId,
    },
    /// The name is taken.
    #[error("there is a subscription named \"{name}\" already")]
    SubscriptionExists {
        /// The name that was wanted.
        name: Name,
    },
    /// Keys are issued on active subscriptions only.
    #[error("the subscription \"{name}\" is inactive")]
    SubscriptionInactive {
        /// Its name.
        name: Name,
    },
    /// No such key.
    #[error("there is no key with the {reference}")]
    NoKey {
        /// What was asked for.
        reference: KeyReference,
    },
    /// The state of the key does not allow the change.
    #[error(transparent)]
    Unchangeable(#[from] KeyUnchangeable),
}

impl KeyStoreError {
    /// Whether the store is surely as it was before: only a change that failed at its end may have
    /// been made.
    pub fn left_all_as_it_was(&self) -> bool {
        !matches!(
            self,
            Self::Failed {
                attempt: CHANGE,
                ..
            }
        )
    }
}
