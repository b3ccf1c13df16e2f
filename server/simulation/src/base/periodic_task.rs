//! What the sources of `server` find under the name `periodic_task`: a thread that takes turns, and
//! pauses in virtual time.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;

use crate::turns::{self, JoinHandle};

/// A running repetition. Dropping it stops the thread.
#[derive(Debug)]
pub struct PeriodicTask(JoinHandle<()>);

/// Wakes a repetition, also one that has not started yet.
#[derive(Clone, Debug)]
pub(crate) struct Waker(Arc<Notify>);

/// A repetition that can be woken before it begins.
#[derive(Debug, Default)]
pub(crate) struct Wakeable(Arc<Notify>);

/// Starts to do `act`, at once and then with a pause of `interval` after each time.
pub(crate) fn repeat(
    name: &'static str,
    interval: Duration,
    act: impl FnMut() + Send + 'static,
) -> io::Result<PeriodicTask> {
    Wakeable::new().repeat(name, interval, act)
}

impl Waker {
    /// Ends the current pause. Several wakes during one run cause one more.
    pub(crate) fn wake(&self) {
        self.0.notify_one();
    }
}

impl Wakeable {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn waker(&self) -> Waker {
        Waker(Arc::clone(&self.0))
    }

    /// Starts to do `act`, as [`repeat`] does.
    #[expect(clippy::unnecessary_wraps, reason = "it is called as the server's")]
    pub(crate) fn repeat(
        self,
        _name: &'static str,
        interval: Duration,
        mut act: impl FnMut() + Send + 'static,
    ) -> io::Result<PeriodicTask> {
        let woken = self.0;
        Ok(PeriodicTask(turns::spawn(async move {
            loop {
                act();
                _ = turns::timeout(interval, woken.notified()).await;
            }
        })))
    }
}

impl Drop for PeriodicTask {
    fn drop(&mut self) {
        self.0.abort();
    }
}
