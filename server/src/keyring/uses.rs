//! When keys were last accepted: noted in memory by requests, written down by a thread of its own.
//!
//! A request pays one comparison, and once a second a store to memory. What is not written yet is
//! lost in a crash, at most [`WRITE_INTERVAL`] of it, and in no graceful stop.

use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use shared::keys::key::KeyId;
use shared::keys::last_use::LastUses;
use shared::keys::store::KeyStoreError;

use super::Keyring;
use crate::repeating::{Repeating, repeat};

/// Pause between two times of writing down what was used since.
pub const WRITE_INTERVAL: Duration = Duration::from_secs(5);

/// Attempts to write down the last uses when the server stops: somebody may hold the store.
const LAST_ATTEMPTS: u32 = 10;

const NEVER: i64 = i64::MIN;

/// When one key was last accepted, in Unix seconds.
#[derive(Debug)]
pub(super) struct Accepted(AtomicI64);

impl Accepted {
    pub(super) fn note(&self, at: i64) {
        // Most requests find the second noted already, and then no processor waits for another.
        if self.0.load(Ordering::Relaxed) < at {
            self.0.fetch_max(at, Ordering::Relaxed);
        }
    }
}

/// The last uses of all keys that this server has known, whichever snapshot they stood in.
#[derive(Debug, Default)]
pub(super) struct Uses(Mutex<HashMap<KeyId, Use>>);

#[derive(Debug)]
struct Use {
    accepted: Arc<Accepted>,
    written: i64,
}

impl Uses {
    /// Where uses of that key are noted: the same place as ever.
    pub(super) fn of(&self, key: &KeyId) -> Arc<Accepted> {
        let mut uses = self.lock();
        let known = uses.entry(key.clone()).or_insert_with(|| Use {
            accepted: Arc::new(Accepted(AtomicI64::new(NEVER))),
            written: NEVER,
        });
        Arc::clone(&known.accepted)
    }

    /// Writes down what was not written yet; what could not be stays noted.
    pub(super) fn write(&self, to: &dyn LastUses) -> Result<(), KeyStoreError> {
        let unwritten = self.unwritten();
        if unwritten.is_empty() {
            return Ok(());
        }
        to.record(&unwritten)?;
        let mut uses = self.lock();
        for (key, at) in unwritten {
            if let Some(known) = uses.get_mut(&key) {
                known.written = at;
            }
        }
        Ok(())
    }

    fn unwritten(&self) -> Vec<(KeyId, i64)> {
        let uses = self.lock();
        let latest = uses.iter().map(|(key, known)| {
            let at = known.accepted.0.load(Ordering::Relaxed);
            (key, at, known.written)
        });
        let unwritten = latest.filter(|(_, at, written)| written < at);
        unwritten.map(|(key, at, _)| (key.clone(), at)).collect()
    }

    /// Requests never take this lock.
    fn lock(&self) -> MutexGuard<'_, HashMap<KeyId, Use>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes down uses until it is dropped, and then those that are left.
pub struct UseWriter {
    keyring: Arc<Keyring>,
    to: Arc<dyn LastUses>,
    repeating: Option<Repeating>,
}

/// Starts to write down every [`WRITE_INTERVAL`] when the keys of `keyring` were used.
pub fn write_uses(keyring: Arc<Keyring>, to: Arc<dyn LastUses>) -> io::Result<UseWriter> {
    let (watched, target) = (Arc::clone(&keyring), Arc::clone(&to));
    let mut was_written = true;
    let repeating = repeat("key uses", WRITE_INTERVAL, move || {
        let outcome = watched.write_uses(&*target);
        log_change(&outcome, was_written);
        was_written = outcome.is_ok();
    })?;
    Ok(UseWriter {
        keyring,
        to,
        repeating: Some(repeating),
    })
}

/// A store that stays out of reach is logged once.
fn log_change(outcome: &Result<(), KeyStoreError>, was_written: bool) {
    match outcome {
        Err(error) if was_written => {
            let error: &dyn std::error::Error = error;
            tracing::warn!(
                error,
                "could not write down when keys were last used; trying again"
            );
        }
        Ok(()) if !was_written => tracing::info!("uses of keys are written down again"),
        _ => {}
    }
}

impl Drop for UseWriter {
    fn drop(&mut self) {
        drop(self.repeating.take());
        let mut outcome = Ok(());
        for _attempt in 0..LAST_ATTEMPTS {
            outcome = self.keyring.write_uses(&*self.to);
            if outcome.is_ok() {
                return;
            }
        }
        if let Err(error) = outcome {
            let error: &dyn std::error::Error = &error;
            tracing::warn!(error, "the last uses of keys are lost");
        }
    }
}
