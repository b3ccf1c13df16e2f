//! Whether there is any use in asking: a store that did not answer is not asked again by every
//! request, only by one probe in the background, until it answers.
//!
//! What requests had asked meanwhile, a store that was stopped and goes on would do all at once,
//! for nobody.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::keys::postgres::client::PgClient;
use crate::keys::postgres::connection::Plan;
use crate::keys::postgres::failure::Failure;

/// Pause before each probe.
const PROBE_PAUSE: Duration = Duration::from_millis(100);
/// How long a probe waits for an answer.
const PROBE_WAIT_MAX: Duration = Duration::from_millis(500);

/// Open while the store is known to be away.
#[derive(Clone, Debug, Default)]
pub(super) struct Circuit(Arc<AtomicBool>);

impl Circuit {
    /// Lets whoever asks pass, unless nothing is to be asked.
    pub(super) fn pass(&self) -> Result<(), Failure> {
        if self.0.load(Ordering::Relaxed) {
            return Err(Failure::Away);
        }
        Ok(())
    }

    /// Lets nobody ask until a probe, with connections made as `plan` says, is answered.
    pub(super) fn open(&self, client: &PgClient, plan: Plan) {
        if self.0.swap(true, Ordering::Relaxed) {
            return;
        }
        let is_open = Arc::clone(&self.0);
        client.spawn(async move {
            loop {
                tokio::time::sleep(PROBE_PAUSE).await;
                let probe = tokio::time::timeout(PROBE_WAIT_MAX, plan.connect(None));
                if let Ok(Ok(_answered)) = probe.await {
                    is_open.store(false, Ordering::Relaxed);
                    return;
                }
            }
        });
    }
}
