//! Revoked keys, as this process has seen them.
//!
//! A revocation is for good, but a failover to an asynchronous standby may lose it. Whoever has
//! seen it goes on refusing the key. Nothing here asks the database.

use std::collections::HashMap;

use crate::keys::key::{Key, KeyId};
use crate::keys::store::Loss;

/// When keys were revoked, Unix seconds.
type RevokedAt = HashMap<KeyId, i64>;

/// The keys that were seen revoked.
#[derive(Debug, Default)]
pub(super) struct Revocations {
    seen: RevokedAt,
    /// Those whose revocation the store has lost.
    lost: RevokedAt,
}

impl Revocations {
    /// Revokes those of all `keys` whose revocation was lost, also before. The store `may_have_lost`
    /// something since this was last called, or else whoever withdrew a revocation meant it.
    pub(super) fn keep(&mut self, keys: &mut [Key], may_have_lost: bool) -> Option<Loss> {
        let mut found = Vec::new();
        for key in &mut *keys {
            if let (true, None, Some(&at)) = (may_have_lost, key.revoked_at, self.seen.get(&key.id))
            {
                self.lost.insert(key.id.clone(), at);
                found.push(key.prefix.clone());
            }
        }
        for key in &mut *keys {
            let lost = || self.lost.get(&key.id).copied();
            key.revoked_at = key.revoked_at.or_else(lost);
        }
        let revoked = |key: &Key| Some((key.id.clone(), key.revoked_at?));
        self.seen = keys.iter().filter_map(revoked).collect();
        (!found.is_empty()).then_some(Loss::Revocations { keys: found })
    }
}
