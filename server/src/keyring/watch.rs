//! Keeping a keyring current, on a thread of its own.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use shared::clock::Clock;
use shared::keys::store::KeySource;

use super::{Keyring, RefreshError};
use crate::repeating::{Repeating, repeat};

/// Pause between two questions to the store: several fit into the second within which keys must
/// be confirmed.
pub const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// Starts to refresh `keyring` from `source`, at once and then every [`POLL_INTERVAL`].
pub fn watch(
    keyring: Arc<Keyring>,
    mut source: Box<dyn KeySource>,
    clock: Arc<dyn Clock>,
) -> io::Result<Repeating> {
    let mut was_confirmed = true;
    repeat("keyring", POLL_INTERVAL, move || {
        let now = clock.now();
        let outcome = keyring.refresh(source.as_mut(), now);
        log_change(&outcome, was_confirmed);
        was_confirmed = outcome.is_ok();
    })
}

/// A store that stays out of reach is logged once and not five times a second.
fn log_change(outcome: &Result<(), RefreshError>, was_confirmed: bool) {
    match outcome {
        Err(error) if was_confirmed => {
            let error: &dyn std::error::Error = error;
            tracing::warn!(
                error,
                "the key store is not confirmed, so keys cannot be verified"
            );
        }
        Ok(()) if !was_confirmed => tracing::info!("the key store is confirmed again"),
        _ => {}
    }
}
