//! A thread that keeps a keyring current.
//!
//! It is a thread and not an async task because asking the store may block, and because a busy
//! runtime must not make keys grow stale.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use shared::clock::Clock;
use shared::keys::store::KeySource;

use super::{Keyring, RefreshError};

/// Pause between two questions to the store: several fit into the second within which keys must
/// be confirmed.
pub const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// A running watch. Dropping it stops the thread and waits for it.
#[derive(Debug)]
pub struct Watch {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// Starts to refresh `keyring` from `source`, at once and then every [`POLL_INTERVAL`].
pub fn watch(
    keyring: Arc<Keyring>,
    mut source: Box<dyn KeySource>,
    clock: Arc<dyn Clock>,
) -> io::Result<Watch> {
    let (stop, stopped) = channel();
    let thread = std::thread::Builder::new()
        .name("keyring".to_owned())
        .spawn(move || {
            follow(&keyring, source.as_mut(), clock.as_ref(), &stopped);
        })?;
    Ok(Watch {
        stop: Some(stop),
        thread: Some(thread),
    })
}

impl Drop for Watch {
    fn drop(&mut self) {
        // Without a sender the thread's wait ends at once.
        drop(self.stop.take());
        if self
            .thread
            .take()
            .is_some_and(|thread| thread.join().is_err())
        {
            tracing::error!("the thread that watched the key store had panicked");
        }
    }
}

fn follow(
    keyring: &Keyring,
    source: &mut dyn KeySource,
    clock: &dyn Clock,
    stopped: &Receiver<()>,
) {
    let mut was_confirmed = true;
    loop {
        let now = clock.now();
        let outcome = keyring.refresh(source, now);
        log_change(&outcome, was_confirmed);
        was_confirmed = outcome.is_ok();
        if stopped.recv_timeout(POLL_INTERVAL) != Err(RecvTimeoutError::Timeout) {
            return;
        }
    }
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
