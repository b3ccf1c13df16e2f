//! When keys were last used: what servers write down, and what commands show.
//!
//! Servers note a use in memory and write many at once, so what is written lags a little. It is no
//! change of a key: no server reads keys again because of it, and the audit log has no entry of it.

use crate::keys::key::KeyId;
use crate::keys::store::KeyStoreError;

/// The last time that a server accepted a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastUse {
    /// When, in Unix seconds.
    pub at: i64,
    /// Whether that was after another key took its place: its owner has not changed over yet.
    pub is_after_rotation: bool,
}

/// Where servers write down when keys were used.
pub trait LastUses: Send + Sync {
    /// Writes down when each of these keys was last used, in Unix seconds: all at once or none. A
    /// later time that is there already stays.
    fn record(&self, uses: &[(KeyId, i64)]) -> Result<(), KeyStoreError>;

    /// Puts back what charges and uses took of the room that a store keeps to itself for changes
    /// that refuse keys, where it keeps any. On a full disk that may fail, and is tried again.
    fn keep_reserve(&self) {}
}
