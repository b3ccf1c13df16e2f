//! The phases of a server, from serving to its end.
//!
//! Whoever must act on a phase watches it; nothing here decides when it begins.

use std::future::pending;
use std::pin::Pin;

use tokio::sync::watch;

/// What a server does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Phase {
    /// It accepts connections and answers requests.
    Serving,
    /// It accepts no more connections, and closes each one after its current response.
    Stopping,
    /// It no longer waits for requests that have not fully arrived.
    Closing,
}

/// Completes, once, when the phase is [`Phase::Closing`].
pub(super) type Closing = Pin<Box<dyn Future<Output = ()> + Send + Sync>>;

pub(super) fn closing(mut phase: watch::Receiver<Phase>) -> Closing {
    Box::pin(async move {
        if phase
            .wait_for(|phase| *phase == Phase::Closing)
            .await
            .is_err()
        {
            // Once the sender is gone, the phase never changes.
            pending::<()>().await;
        }
    })
}
