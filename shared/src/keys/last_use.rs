//! When keys were last used: what servers write down, and what commands show.
//!
//! Servers note a use in memory and write many at once, so the store lags a little. A use is not a
//! change of a key: no server reloads keys because of it, and the audit log has no entry for it.

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

/// Where servers record when keys were used.
pub trait LastUses: Send + Sync {
    /// Records when each of these keys was last used, in Unix seconds. A later time that is already
    /// recorded stays, so after an error the same can be recorded again.
    fn record(&self, uses: &[(KeyId, i64)]) -> Result<(), KeyStoreError>;

    /// Refills the disk space that a store reserves for changes that refuse keys, if it has a
    /// reserve and charges or uses took from it. On a full disk that may fail, and is tried again.
    fn keep_reserve(&self) {}
}
