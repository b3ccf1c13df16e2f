//! A bounded queue before blocking work: how much runs at once, how much waits, and for how long.
//!
//! The runtime has a hundred threads for such work and an unbounded queue before them; without our
//! own bounds, a burst would delay all requests. A request that cannot be served soon is refused at
//! once, and may be retried.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::task::{JoinError, spawn_blocking};
use tokio::time::timeout;

/// The bounds of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueLimits {
    /// Most work that waits for its turn. More is refused at once.
    pub waiting_max: usize,
    /// Longest wait for a turn.
    pub waiting: Duration,
    /// Longest time that work may take after its turn has come.
    pub working: Duration,
}

impl QueueLimits {
    /// Longest time from arrival to end: how long a request waits for another's identical one.
    pub(crate) fn longest(self) -> Duration {
        self.waiting + self.working
    }
}

impl Default for QueueLimits {
    /// A list query takes a millisecond or two, so one connection works through 250 waiting ones in
    /// a quarter of a second. Under overload a longer queue would answer no more requests, only
    /// delay all of them. Three seconds is forty times the slowest query measured over a million
    /// boats.
    fn default() -> Self {
        Self {
            waiting_max: 256,
            waiting: Duration::from_millis(250),
            working: Duration::from_secs(3),
        }
    }
}

/// Why work was not done. A retry may succeed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QueueError {
    /// The queue is full.
    #[error("no place is left for a {what}: {waiting_max} are waiting")]
    Full {
        /// The kind of work.
        what: &'static str,
        /// See [`QueueLimits`].
        waiting_max: usize,
    },
    /// The turn did not come in time, so the work was not started.
    #[error("no turn came for a {what} within {waiting:?}")]
    WaitedTooLong {
        /// The kind of work.
        what: &'static str,
        /// See [`QueueLimits`].
        waiting: Duration,
    },
    /// The work was not finished in time.
    #[error("a {what} was not done within {working:?}")]
    TookTooLong {
        /// The kind of work.
        what: &'static str,
        /// See [`QueueLimits`].
        working: Duration,
    },
    /// The runtime is stopping, so the work was not started.
    #[error("the server is stopping and begins no {what}")]
    Stopping {
        /// The kind of work.
        what: &'static str,
    },
}

/// A queue before one kind of work.
#[derive(Debug)]
pub(crate) struct Queue {
    /// The kind of work, in the singular, for the log.
    what: &'static str,
    limits: QueueLimits,
    /// One permit for each piece of work that waits or runs.
    places: Arc<Semaphore>,
    /// One permit for each piece of work that runs.
    turns: Arc<Semaphore>,
}

impl Queue {
    /// A queue before work of which `at_once` pieces run at a time.
    pub(crate) fn new(what: &'static str, at_once: usize, limits: QueueLimits) -> Self {
        Self {
            what,
            limits,
            places: Arc::new(Semaphore::new(at_once + limits.waiting_max)),
            turns: Arc::new(Semaphore::new(at_once)),
        }
    }

    /// The kind of work.
    pub(crate) const fn what(&self) -> &'static str {
        self.what
    }

    /// How many wait for their turn. Read at two moments, so it may be off by those who come or go
    /// meanwhile.
    pub(crate) fn waiting(&self) -> usize {
        let turns_left = self.turns.available_permits();
        (self.limits.waiting_max + turns_left).saturating_sub(self.places.available_permits())
    }

    /// Does `work` when its turn has come, on a thread that may block.
    ///
    /// Work whose request is gone, because this was dropped or took too long, keeps its turn until
    /// it ends: a hanging thread is not available to others. A panic resumes in the caller, which
    /// decides what of its message may be kept.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, QueueError> {
        let what = self.what;
        let QueueLimits {
            waiting_max,
            waiting,
            working,
        } = self.limits;
        let place = Arc::clone(&self.places).try_acquire_owned();
        let place = place.map_err(|_none_left| QueueError::Full { what, waiting_max })?;
        let turn = timeout(waiting, Arc::clone(&self.turns).acquire_owned()).await;
        let turn = turn.map_err(|_elapsed| QueueError::WaitedTooLong { what, waiting })?;
        let work = spawn_blocking(move || {
            let _held = (place, turn);
            work()
        });
        let joined = timeout(working, work).await;
        let joined = joined.map_err(|_elapsed| QueueError::TookTooLong { what, working })?;
        finished(joined).ok_or(QueueError::Stopping { what })
    }
}

/// The result of a task; none if the runtime stopped before. Its panic goes on here.
pub(crate) fn finished<T>(joined: Result<T, JoinError>) -> Option<T> {
    joined
        .map_err(|broken_off| {
            broken_off
                .try_into_panic()
                .map(|panic| resume_unwind(panic))
        })
        .ok()
}

#[cfg(test)]
mod tests;
