//! How a server handles signals. SIGTERM, SIGINT and SIGQUIT stop it, after a pause in which load
//! balancers see that it is no longer ready, and route requests elsewhere. Other signals that it is
//! likely to get, and that would end it by default, do not.

use std::time::Duration;

use anyhow::Context as _;
use nix::sys::signal::Signal::SIGXFSZ;
use sd_notify::NotifyState;
use server::app::App;
use server::serve::STOP_SECONDS_MAX;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::timeout;

use crate::process::service_manager::ServiceManager;
use crate::terminal::quantity::TypedDuration;

/// Longest pause. Load balancers check every few seconds; a longer pause gains nothing.
pub const DRAIN_MAX: Duration = Duration::from_mins(5);
/// How long stopping may take after the pause: for requests in progress, and then for writing
/// quotas and last uses.
const END_MAX: Duration = Duration::from_secs(STOP_SECONDS_MAX + 7);

/// The signals that stop a server.
pub struct StopSignals {
    terminate: Signal,
    interrupt: Signal,
    quit: Signal,
}

/// From now on this process survives SIGHUP, which log rotation sends, and SIGXFSZ, so that a file
/// at its size limit is a failed write. Needs a runtime, which logs each SIGHUP.
pub fn outlive_others() -> anyhow::Result<()> {
    let mut hangup = watched(SignalKind::hangup(), "SIGHUP")?;
    // Once it is watched, the signal does nothing, even if nobody waits for it.
    _ = watched(SignalKind::from_raw(SIGXFSZ as i32), "SIGXFSZ")?;
    tokio::spawn(async move {
        while hangup.recv().await.is_some() {
            tracing::info!(
                "SIGHUP does nothing: the log goes to standard error, and settings hold until the \
                 server is started again"
            );
        }
    });
    Ok(())
}

fn watched(kind: SignalKind, name: &str) -> anyhow::Result<Signal> {
    signal(kind).with_context(|| format!("could not watch for {name}"))
}

impl StopSignals {
    /// Watches for them from now on.
    pub fn watch() -> anyhow::Result<Self> {
        Ok(Self {
            terminate: watched(SignalKind::terminate(), "SIGTERM")?,
            interrupt: watched(SignalKind::interrupt(), "SIGINT")?,
            quit: watched(SignalKind::quit(), "SIGQUIT")?,
        })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
            _ = self.quit.recv() => {}
        }
    }

    /// Completes when `app` should stop: `drain` after the first signal, or at the second. The app
    /// drains from the first signal on.
    pub async fn stop(mut self, app: &App, drain: Duration, manager: &ServiceManager) {
        self.next().await;
        app.begin_draining();
        // Without this, the manager would kill a server that drains for longer than its stop
        // timeout.
        let extension = u32::try_from((drain + END_MAX).as_micros()).unwrap_or(u32::MAX);
        manager.notify(&[
            NotifyState::Stopping,
            NotifyState::ExtendTimeoutUsec(extension),
        ]);
        if !drain.is_zero() {
            let pause = TypedDuration(drain);
            tracing::info!(
                "not ready any more; accepting requests for {pause}, or until another signal"
            );
            manager.notify(&[NotifyState::Status(&format!("draining for {pause}"))]);
            // A second signal means not to wait.
            let _ended_early = timeout(drain, self.next()).await;
        }
        tracing::info!("stopping: requests under way are finished first");
        manager.notify(&[NotifyState::Status("finishing requests under way")]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_service_manager_can_be_asked_for_as_long_as_the_longest_pause_takes() {
        assert!(u32::try_from((DRAIN_MAX + END_MAX).as_micros()).is_ok());
    }
}
