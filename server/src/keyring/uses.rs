//! How keys were used, kept in memory until it is written to the store: when they were last accepted,
//! and how many of their requests were charged.
//!
//! A request costs one comparison, and once a second a store to memory. One that is charged takes a
//! lock, for which only requests of the same key and the writer wait.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use parking_lot::Mutex;
use shared::keys::key::KeyId;
use shared::keys::last_use::{KeyUse, LastUses, USES_MAX};
use shared::keys::store::KeyStoreError;

const NEVER: i64 = i64::MIN;

/// How one key was used.
#[derive(Debug)]
pub(super) struct Used {
    /// When it was last accepted, in Unix seconds.
    accepted: AtomicI64,
    /// Charged requests that are not written yet, by the end of their month: nearly always one.
    charged: Mutex<Vec<(i64, u64)>>,
}

impl Used {
    const fn never() -> Self {
        Self {
            accepted: AtomicI64::new(NEVER),
            charged: Mutex::new(Vec::new()),
        }
    }

    /// Notes that the key was accepted at `at`.
    pub(super) fn accept(&self, at: i64) {
        // Most requests find the second already recorded, and then no core waits for another.
        if self.accepted.load(Ordering::Relaxed) < at {
            self.accepted.fetch_max(at, Ordering::Relaxed);
        }
    }

    /// Counts a request that was charged in the month that ends at `period_end`.
    pub(super) fn charge(&self, period_end: i64) {
        let mut charged = self.charged.lock();
        match charged.iter_mut().find(|(end, _)| *end == period_end) {
            Some((_, requests)) => *requests += 1,
            None => charged.push((period_end, 1)),
        }
    }

    /// Forgets requests that are written.
    fn forget(&self, period_end: i64, written: u64) {
        let mut charged = self.charged.lock();
        charged.retain_mut(|(end, requests)| {
            if *end == period_end {
                *requests -= written;
            }
            *requests != 0
        });
    }
}

/// The uses of all keys that this server has known, from whichever snapshot. Requests never take the
/// lock.
#[derive(Debug, Default)]
pub(super) struct Uses(Mutex<HashMap<KeyId, Use>>);

#[derive(Debug)]
struct Use {
    used: Arc<Used>,
    written: i64,
}

impl Uses {
    /// Where uses of that key are recorded: always the same place.
    pub(super) fn of(&self, key: &KeyId) -> Arc<Used> {
        let mut uses = self.0.lock();
        let known = uses.entry(key.clone()).or_insert_with(|| Use {
            used: Arc::new(Used::never()),
            written: NEVER,
        });
        Arc::clone(&known.used)
    }

    /// Writes what is not written yet; after a failure it is kept for the next time. Requests of
    /// which it is not known whether they were added are not added again: better too few than twice.
    /// Only one thread may write.
    pub(super) fn write(&self, to: &dyn LastUses) -> Result<(), KeyStoreError> {
        for batch in self.unwritten().chunks(USES_MAX) {
            let outcome = to.record(batch);
            let is_unchanged = |error: &KeyStoreError| error.is_known_unchanged();
            if !outcome.as_ref().is_err_and(is_unchanged) {
                self.enter_written(batch, outcome.is_ok());
            }
            outcome?;
        }
        Ok(())
    }

    fn enter_written(&self, batch: &[KeyUse], is_certain: bool) {
        let mut uses = self.0.lock();
        for written in batch {
            let Some(known) = uses.get_mut(&written.key) else {
                continue;
            };
            known.used.forget(written.period_end, written.charged);
            if is_certain {
                known.written = written.at;
            }
        }
    }

    fn unwritten(&self) -> Vec<KeyUse> {
        let mut unwritten = Vec::new();
        for (key, known) in &*self.0.lock() {
            let at = known.used.accepted.load(Ordering::Relaxed);
            let charged = known.used.charged.lock();
            if charged.is_empty() && known.written < at {
                unwritten.push(KeyUse::free(key.clone(), at));
            }
            unwritten.extend(charged.iter().map(|&(period_end, charged)| KeyUse {
                period_end,
                charged,
                ..KeyUse::free(key.clone(), at)
            }));
        }
        unwritten
    }
}
