//! The keys that a server knows, and how current they are.
//!
//! A request is verified against a snapshot of the key store, without touching the store. So that a
//! revoked key is refused everywhere within a second, a snapshot not confirmed within the last
//! second verifies nothing: unknown means not allowed. The keyring holds only hashes.

mod confirmed;
mod use_writer;
mod uses;
mod watch;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use hashbrown::HashMap;
use shared::base::clock::Moment;
use shared::keys::environment::Environment;
use shared::keys::key::{Key, KeyId, KeyRefusal};
use shared::keys::last_use::LastUses;
use shared::keys::limits::CHANGES_HOLD_WITHIN;
use shared::keys::secret::KeyHash;
use shared::keys::store::{KeySnapshot, KeySource, KeyStoreError};
use shared::keys::subscription::Subscription;

pub use use_writer::{UseWriter, WRITE_INTERVAL, write_uses};
pub use watch::{Confirm, POLL_INTERVAL, watch};

use confirmed::Confirmed;
use uses::{Used, Uses};

/// A key that the store knows, and its owner.
#[derive(Clone, Debug)]
pub struct Caller {
    /// The key.
    pub key: Arc<Key>,
    /// Its subscription.
    pub subscription: Arc<Subscription>,
    /// Where its uses are recorded.
    used: Arc<Used>,
}

/// Two are equal that say the same of the key and its owner.
impl PartialEq for Caller {
    fn eq(&self, other: &Self) -> bool {
        (&self.key, &self.subscription) == (&other.key, &other.subscription)
    }
}

impl Eq for Caller {}

impl Caller {
    /// Counts a request of it that was charged to the quota month that ends at `period_end`.
    pub(crate) fn count_charge(&self, period_end: i64) {
        self.used.charge(period_end);
    }
}

/// Why a key is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VerifyError {
    /// It is unknown whether it works.
    #[error("the key store was not confirmed within the last second")]
    NotCurrent,
    /// This key was never issued.
    #[error("the key is unknown")]
    Unknown,
    /// It is known but refused.
    #[error("the key is refused")]
    Refused(KeyRefusal, Caller),
}

/// Why the keys were not confirmed.
#[derive(Debug, thiserror::Error)]
pub enum RefreshError {
    /// The store did not answer.
    #[error("could not confirm the keys")]
    Poll {
        /// What the store says.
        #[source]
        source: KeyStoreError,
    },
    /// Nothing changed in a store that was inconsistent.
    #[error("the key store still contradicts itself")]
    NoKeys,
    /// The store is inconsistent: a key has no subscription.
    #[error("key {key} belongs to a subscription that the key store does not have")]
    NoSubscription {
        /// The key.
        key: KeyId,
    },
}

/// The keys of the last snapshot and when it was last confirmed. By default it is empty, and verifies
/// no key before its first refresh.
#[derive(Debug, Default)]
pub struct Keyring {
    keys: Confirmed<Keys>,
    uses: Uses,
    /// Refreshes that failed.
    failures: AtomicU64,
}

/// With a fast hasher: its keys are hashes already, so callers cannot cause collisions.
type Keys = HashMap<KeyHash, Caller>;

impl Keyring {
    /// Asks the store whether anything changed. `now` is a moment before asking, so that a slow
    /// store does not count as more current than it is.
    pub fn refresh(&self, source: &mut dyn KeySource, now: Moment) -> Result<(), RefreshError> {
        let failed = |_: &_| _ = self.failures.fetch_add(1, Ordering::Relaxed);
        self.poll(source, now).inspect_err(failed)
    }

    fn poll(&self, source: &mut dyn KeySource, now: Moment) -> Result<(), RefreshError> {
        let changed = source
            .poll()
            .map_err(|source| RefreshError::Poll { source })?;
        if let Some(snapshot) = changed {
            // Even if the new keys are unusable, the old ones are no longer valid.
            let keys =
                by_hash(snapshot, &self.uses).inspect_err(|_useless| self.keys.replace(None))?;
            self.keys.replace(Some(Arc::new(keys)));
        }
        if !self.keys.is_there() {
            return Err(RefreshError::NoKeys);
        }
        self.keys.confirm(now.monotonic);
        Ok(())
    }

    /// Whether the key of this hash works on a server of `environment`; if so, it counts as used. If
    /// there are several reasons to refuse it, the first in the contract's order is the error.
    pub fn verify(
        &self,
        key: &KeyHash,
        environment: Environment,
        now: Moment,
    ) -> Result<Caller, VerifyError> {
        let verify = |keys: &Keys| {
            let caller = keys.get(key).ok_or(VerifyError::Unknown)?;
            let refusal = caller.key.refusal(&caller.subscription, environment, now);
            if let Some(refusal) = refusal {
                return Err(VerifyError::Refused(refusal, caller.clone()));
            }
            caller.used.accept(now.unix_seconds());
            Ok(caller.clone())
        };
        let verified = self.keys.read(CHANGES_HOLD_WITHIN, now.monotonic, verify);
        verified.unwrap_or(Err(VerifyError::NotCurrent))
    }

    /// Records how keys were used since the last time.
    pub fn write_uses(&self, to: &dyn LastUses) -> Result<(), KeyStoreError> {
        self.uses.write(to)
    }

    /// How many refreshes have failed.
    pub(crate) fn failures(&self) -> u64 {
        self.failures.load(Ordering::Relaxed)
    }

    /// The monotonic time of the last refresh that succeeded.
    pub(crate) fn confirmed_at(&self) -> Option<Duration> {
        self.keys.confirmed_at()
    }

    /// The subscriptions that have a key and are not deleted, as last known, in no order.
    pub(crate) fn subscriptions(&self) -> Vec<Arc<Subscription>> {
        let all = |keys: &Keys| {
            let owners = keys.values().map(|caller| &caller.subscription);
            let owners = owners.filter(|owner| !owner.is_deleted());
            let by_id: HashMap<_, _> = owners.map(|owner| (owner.id, Arc::clone(owner))).collect();
            by_id.into_values().collect()
        };
        let known = self.keys.read(Duration::MAX, Duration::ZERO, all);
        known.unwrap_or_default()
    }

    /// Whether keys can be verified at `now`.
    pub fn is_current(&self, now: Moment) -> bool {
        let found = self
            .keys
            .read(CHANGES_HOLD_WITHIN, now.monotonic, |_keys| ());
        found.is_some()
    }
}

fn by_hash(snapshot: KeySnapshot, noted: &Uses) -> Result<Keys, RefreshError> {
    let subscriptions = snapshot
        .subscriptions
        .into_iter()
        .map(|one| (one.id, Arc::new(one)));
    let subscriptions: HashMap<_, _> = subscriptions.collect();
    let entry = |key: Key| match subscriptions.get(&key.subscription) {
        None => Err(RefreshError::NoSubscription { key: key.id }),
        Some(subscription) => {
            let (hash, used) = (key.hash, noted.of(&key.id));
            let caller = Caller {
                key: Arc::new(key),
                subscription: Arc::clone(subscription),
                used,
            };
            Ok((hash, caller))
        }
    };
    snapshot.keys.into_iter().map(entry).collect()
}

#[cfg(test)]
mod tests;
