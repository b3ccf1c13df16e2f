//! Work that blocks, away from the threads that answer requests.

use std::panic::resume_unwind;

use tokio::task::spawn_blocking;

/// The runtime is stopping, so the work was not begun.
#[derive(Debug, thiserror::Error)]
#[error("the server is stopping")]
pub struct Stopping;

/// Runs `work` on a thread that may block. A panic in it goes on in the caller, as if the work had
/// been done there: whoever catches it decides what of its message may be kept.
pub(super) async fn run<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Stopping> {
    let joined = spawn_blocking(work).await;
    joined.map_err(|broken_off| match broken_off.try_into_panic() {
        Ok(panic) => resume_unwind(panic),
        Err(_cancelled) => Stopping,
    })
}
