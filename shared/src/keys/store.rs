//! The store of keys as commands and servers use it: the seam behind which the database is chosen.
//!
//! Each change is one durable transaction: it happened wholly or not at all, and once a function
//! returns it survives a power cut. Rules about keys live in [`crate::keys::key`] and
//! [`crate::keys::change`]; a store keeps what they decide, and who had it changed.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use rand::RngCore;

use crate::keys::audit::{Entry, EntryQuery};
use crate::keys::contents::Contents;
use crate::keys::environment::Environment;
use crate::keys::key::{Key, KeyId};
use crate::keys::last_use::LastUse;
use crate::keys::name::Name;
use crate::keys::quota::Period;
use crate::keys::scope::Scopes;
use crate::keys::secret::{KeyPrefix, PlainKey};
use crate::keys::subscription::{Plan, Subscription, SubscriptionId, SubscriptionStatus};

pub use crate::keys::store_error::{CHANGE, Cause, KeyStoreError};

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

    /// The state that the store is in, which has all the changes that were made here.
    fn revision(&mut self) -> Result<Revision, KeyStoreError>;

    /// The latest entries of the audit log, the last one first. Every change above enters itself,
    /// unless everything was so already.
    fn audit_log(&mut self, query: &EntryQuery) -> Result<Vec<Entry>, KeyStoreError>;

    /// Everything there is, to be copied.
    fn contents(&mut self) -> Result<Contents, KeyStoreError>;

    /// Enters everything of another store, numbers included, into this one, which must be empty.
    fn fill(&mut self, contents: &Contents) -> Result<(), KeyStoreError>;
}

/// Names one state of a store's keys and subscriptions: every change makes another one, unlike
/// those of every store, also of one that was restored or replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revision(pub String);

/// All keys and subscriptions at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeySnapshot {
    /// Keys in the order of their issue, revoked and expired ones included.
    pub keys: Vec<Key>,
    /// Subscriptions in the order of their creation.
    pub subscriptions: Vec<Subscription>,
}

/// Wakes whoever polls a source.
pub type Wake = Arc<dyn Fn() + Send + Sync>;

/// Follows the keys of a store, for a server.
pub trait KeySource: Send {
    /// `Some` the first time and whenever anything may have changed; `None` confirms that nothing
    /// did. An error confirms nothing: whoever waits too long for a confirmation must refuse.
    fn poll(&mut self) -> Result<Option<KeySnapshot>, KeyStoreError>;

    /// What the last poll confirmed, if it did.
    fn revision(&self) -> Option<Revision>;

    /// Has `wake` called whenever something has probably changed, so that nobody has to wait for
    /// the next poll. A source that cannot know never calls it.
    fn wake_with(&mut self, _wake: Wake) {}
}
