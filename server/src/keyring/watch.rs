//! Keeping a keyring current, on its own thread, and reporting how current it is.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use shared::base::clock::Clock;
use shared::base::error_chain::chain;
use shared::keys::store::{KeySource, Revision};

use super::{Keyring, RefreshError};
use crate::base::periodic_task::{PeriodicTask, repeat};

/// Pause between two polls of the store: several fit into the second within which keys must be
/// confirmed.
pub const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// Reports that the server acts on the keys as they are at a revision.
pub type Confirm = Box<dyn FnMut(&Revision) -> io::Result<()> + Send>;

/// Starts to refresh `keyring` from `source`, at once and then every [`POLL_INTERVAL`], and to
/// `confirm` each revision once requests are judged by it.
pub fn watch(
    keyring: Arc<Keyring>,
    mut source: Box<dyn KeySource>,
    clock: Arc<dyn Clock>,
    confirm: Confirm,
) -> io::Result<PeriodicTask> {
    let mut was_current = true;
    let mut confirmations = Confirmations {
        confirm,
        confirmed: None,
        was_heard: true,
    };
    repeat("keyring", POLL_INTERVAL, move || {
        let now = clock.now();
        let outcome = keyring.refresh(source.as_mut(), now);
        if outcome.is_ok() {
            confirmations.report(source.revision());
        }
        log_change(&outcome, was_current);
        was_current = outcome.is_ok();
    })
}

struct Confirmations {
    confirm: Confirm,
    confirmed: Option<Revision>,
    was_heard: bool,
}

impl Confirmations {
    /// Reports each revision once, and again while that fails.
    fn report(&mut self, revision: Option<Revision>) {
        let Some(new) = revision.filter(|new| self.confirmed.as_ref() != Some(new)) else {
            return;
        };
        let confirmed = (self.confirm)(&new);
        match &confirmed {
            Ok(()) => self.confirmed = Some(new),
            Err(error) if self.was_heard => {
                let why = chain(error);
                tracing::warn!("no command can see which changes of keys hold here: {why}");
            }
            Err(_again) => {}
        }
        self.was_heard = confirmed.is_ok();
    }
}

/// A store that stays unreachable is logged once, not five times a second.
fn log_change(outcome: &Result<(), RefreshError>, was_current: bool) {
    match outcome {
        Err(error) if was_current => {
            let why = chain(error);
            tracing::warn!("the key store is not confirmed, so keys cannot be verified: {why}");
        }
        Ok(()) if !was_current => tracing::info!("the key store is confirmed again"),
        _ => {}
    }
}
