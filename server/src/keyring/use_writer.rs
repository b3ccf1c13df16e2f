//! Recording how keys were used, on its own thread.
//!
//! A crash loses at most the uses of one [`WRITE_INTERVAL`]; a graceful stop loses none.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use shared::base::error_chain::chain;
use shared::keys::last_use::LastUses;
use shared::keys::store::KeyStoreError;

use super::Keyring;
use crate::base::periodic_task::{PeriodicTask, repeat};

/// Pause between two writes.
pub const WRITE_INTERVAL: Duration = Duration::from_secs(5);

/// Attempts to write the last uses when the server stops: another process may lock the store. Each
/// may take two seconds, and a stop has twenty in all.
const LAST_ATTEMPTS: u32 = 3;

/// Pause between them. A store known to be away refuses at once, and may soon be back.
const LAST_ATTEMPTS_PAUSE: Duration = Duration::from_millis(250);

/// Writes uses until it is dropped, and then the remaining ones.
pub struct UseWriter {
    keyring: Arc<Keyring>,
    to: Arc<dyn LastUses>,
    repeating: Option<PeriodicTask>,
    pause: Box<dyn Fn(Duration) + Send>,
}

/// Starts to write, every [`WRITE_INTERVAL`], how the keys of `keyring` were used. It also refills
/// the reserve of the store, which charges draw on.
pub fn write_uses(keyring: Arc<Keyring>, to: Arc<dyn LastUses>) -> io::Result<UseWriter> {
    let (watched, target) = (Arc::clone(&keyring), Arc::clone(&to));
    let mut was_written = true;
    let repeating = repeat("key uses", WRITE_INTERVAL, move || {
        let outcome = watched.write_uses(&*target);
        log_change(&outcome, was_written);
        was_written = outcome.is_ok();
        target.keep_reserve();
    })?;
    Ok(UseWriter {
        keyring,
        to,
        repeating: Some(repeating),
        pause: Box::new(std::thread::sleep),
    })
}

impl UseWriter {
    /// The same, with another way to let time pass between its last attempts.
    #[must_use]
    pub fn pausing(mut self, pause: impl Fn(Duration) + Send + 'static) -> Self {
        self.pause = Box::new(pause);
        self
    }
}

/// A store that stays unreachable is logged once.
fn log_change(outcome: &Result<(), KeyStoreError>, was_written: bool) {
    match outcome {
        Err(error) if was_written => {
            let why = chain(error);
            tracing::warn!("could not write down how keys were used; trying again: {why}");
        }
        Ok(()) if !was_written => tracing::info!("uses of keys are written down again"),
        _ => {}
    }
}

impl Drop for UseWriter {
    fn drop(&mut self) {
        drop(self.repeating.take());
        let mut outcome = Ok(());
        for attempt in 0..LAST_ATTEMPTS {
            if attempt != 0 {
                (self.pause)(LAST_ATTEMPTS_PAUSE);
            }
            outcome = self.keyring.write_uses(&*self.to);
            if outcome.is_ok() {
                return;
            }
        }
        if let Err(error) = outcome {
            tracing::warn!("the last uses of keys are lost: {}", chain(&error));
        }
    }
}
