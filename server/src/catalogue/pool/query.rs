//! One query, from its turn to its end, and how it is stopped from outside.
//!
//! DuckDB's interrupt belongs to a connection, not to a query: it stops whatever runs there at
//! that moment, and nothing where nothing runs. So a query hands out the means to interrupt it
//! only while it runs, under a lock: an interrupt never meets the connection's next query. And an
//! interrupt that comes between two statements is forgotten when the next begins, so it is
//! repeated until the query is over.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use duckdb::{Connection, InterruptHandle};
use tokio::runtime::Handle;
use tokio::time::sleep;

/// Pause between two interrupts of one query.
const AGAIN: Duration = Duration::from_millis(10);

/// A query that some request asked for.
#[derive(Default)]
pub(super) struct Query(Mutex<Progress>);

#[derive(Default)]
enum Progress {
    #[default]
    NotBegun,
    Runs(Arc<InterruptHandle>),
    /// It has ended, or it must not begin any more.
    IsOver,
}

impl Query {
    /// Asks over `connection`; nothing where the query was stopped before.
    pub(super) fn ask<T>(
        &self,
        connection: &Connection,
        ask: impl FnOnce(&Connection) -> T,
    ) -> Option<T> {
        let _running = self.begin(connection)?;
        Some(ask(connection))
    }

    fn begin(&self, connection: &Connection) -> Option<Running<'_>> {
        let mut progress = self.progress();
        if matches!(*progress, Progress::IsOver) {
            return None;
        }
        *progress = Progress::Runs(connection.interrupt_handle());
        Some(Running(self))
    }

    /// Interrupts the query where it runs, and keeps it from beginning where it does not yet.
    /// Whether it runs, so that it may have to be interrupted again.
    fn stop(&self) -> bool {
        let mut progress = self.progress();
        match &*progress {
            Progress::Runs(running) => {
                running.interrupt();
                true
            }
            Progress::NotBegun | Progress::IsOver => {
                *progress = Progress::IsOver;
                false
            }
        }
    }

    fn progress(&self) -> MutexGuard<'_, Progress> {
        // Progress is whole at every moment, so a panic elsewhere does not spoil it.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A query runs as long as this lives, whether it ends with an answer or in a panic.
struct Running<'a>(&'a Query);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        *self.0.progress() = Progress::IsOver;
    }
}

/// A request waits for a query. Once this is dropped none does, and the query is stopped.
pub(super) struct Wanted {
    query: Arc<Query>,
    runtime: Handle,
}

impl Wanted {
    /// Of a query of the runtime that this is called on.
    pub(super) fn new(query: &Arc<Query>) -> Self {
        Self {
            query: Arc::clone(query),
            runtime: Handle::current(),
        }
    }
}

impl Drop for Wanted {
    fn drop(&mut self) {
        if !self.query.stop() {
            return;
        }
        let query = Arc::clone(&self.query);
        self.runtime.spawn(async move {
            while query.stop() {
                sleep(AGAIN).await;
            }
        });
    }
}

#[cfg(test)]
mod tests;
