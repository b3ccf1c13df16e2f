//! How far a server is on its way to the end.
//!
//! Everything that must act on it hears of it; nothing here decides when a phase begins.

use std::future::pending;
use std::pin::Pin;

use tokio::sync::watch;

/// What a server does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Phase {
    /// It accepts connections and answers requests.
    Serving,
    /// It accepts no more connections, and an answer is the last of its connection.
    Stopping,
    /// It waits no longer for requests that have not arrived.
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
            // Once the sender is gone, the phase changes no more.
            pending::<()>().await;
        }
    })
}
