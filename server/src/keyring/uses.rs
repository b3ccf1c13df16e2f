//! When keys were last accepted, kept in memory until it is written to the store.
//!
//! A request costs one comparison, and once a second a store to memory.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use parking_lot::Mutex;
use shared::keys::key::KeyId;
use shared::keys::last_use::LastUses;
use shared::keys::store::KeyStoreError;

const NEVER: i64 = i64::MIN;

/// When one key was last accepted, in Unix seconds.
#[derive(Debug)]
pub(super) struct Accepted(AtomicI64);

impl Accepted {
    pub(super) fn note(&self, at: i64) {
        // Most requests find the second already recorded, and then no core waits for another.
        if self.0.load(Ordering::Relaxed) < at {
            self.0.fetch_max(at, Ordering::Relaxed);
        }
    }
}

/// The last uses of all keys that this server has known, from whichever snapshot.
/// Requests never take the lock.
#[derive(Debug, Default)]
pub(super) struct Uses(Mutex<HashMap<KeyId, Use>>);

#[derive(Debug)]
struct Use {
    accepted: Arc<Accepted>,
    written: i64,
}

impl Uses {
    /// Where uses of that key are recorded: always the same place.
    pub(super) fn of(&self, key: &KeyId) -> Arc<Accepted> {
        let mut uses = self.0.lock();
        let known = uses.entry(key.clone()).or_insert_with(|| Use {
            accepted: Arc::new(Accepted(AtomicI64::new(NEVER))),
            written: NEVER,
        });
        Arc::clone(&known.accepted)
    }

    /// Writes what is not written yet; after a failure it is kept for the next time.
    pub(super) fn write(&self, to: &dyn LastUses) -> Result<(), KeyStoreError> {
        let unwritten = self.unwritten();
        if unwritten.is_empty() {
            return Ok(());
        }
        to.record(&unwritten)?;
        let mut uses = self.0.lock();
        for (key, at) in unwritten {
            if let Some(known) = uses.get_mut(&key) {
                known.written = at;
            }
        }
        Ok(())
    }

    fn unwritten(&self) -> Vec<(KeyId, i64)> {
        let uses = self.0.lock();
        let latest = uses.iter().map(|(key, known)| {
            let at = known.accepted.0.load(Ordering::Relaxed);
            (key, at, known.written)
        });
        let unwritten = latest.filter(|(_, at, written)| written < at);
        unwritten.map(|(key, at, _)| (key.clone(), at)).collect()
    }
}
