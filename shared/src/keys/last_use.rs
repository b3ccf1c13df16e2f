//! How keys were used: what servers write down, and what commands show.
//!
//! Servers note a use in memory and write many at once, so the store lags a little, and a crash loses
//! the last few. Quotas do not depend on it: the ledger counts them. A use is not a change of a key:
//! no server reloads keys because of it, and the audit log has no entry for it.

use crate::keys::key::KeyId;
use crate::keys::store::KeyStoreError;

/// The last time that a server accepted a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastUse {
    /// When, in Unix seconds.
    pub at: i64,
    /// Whether that was after its rotation: its owner has not switched to the new key yet.
    pub is_after_rotation: bool,
}

/// How a key was used since the last record, in one quota month of its subscription.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyUse {
    /// The key.
    pub key: KeyId,
    /// When a server last accepted it, in Unix seconds.
    pub at: i64,
    /// The end of the month, in Unix seconds; of no meaning if nothing was charged.
    pub period_end: i64,
    /// Its requests that were charged to the quota.
    pub charged: u64,
}

/// Most uses that are recorded at once.
pub const USES_MAX: usize = 1000;

/// Where servers record how keys were used.
pub trait LastUses: Send + Sync {
    /// Records the latest use of each of these keys, and adds its requests; at most [`USES_MAX`], and
    /// none twice for a key and month. A later time that is already recorded stays. If the error is
    /// [known to have changed nothing](KeyStoreError::is_known_unchanged), the requests were not
    /// added, and the same can be recorded again.
    fn record(&self, uses: &[KeyUse]) -> Result<(), KeyStoreError>;

    /// Refills the disk space that a store reserves for changes that refuse keys, if it has a
    /// reserve and charges or uses took from it. On a full disk that may fail, and is tried again.
    fn keep_reserve(&self) {}
}

impl KeyUse {
    /// A use of which nothing was charged.
    pub const fn free(key: KeyId, at: i64) -> Self {
        Self {
            key,
            at,
            period_end: 0,
            charged: 0,
        }
    }
}
