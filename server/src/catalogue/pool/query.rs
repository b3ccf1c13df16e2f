//! One query, from its turn to its end, and how to stop it from outside.
//!
//! DuckDB's interrupt belongs to a connection, not to a query: it stops whatever runs there at that
//! moment. So a query can be interrupted only while it runs, under a lock: an interrupt never hits
//! the connection's next query. An interrupt between two statements is forgotten when the next
//! begins, so it is repeated until the query is over.

use std::sync::Arc;
use std::time::Duration;

use duckdb::{Connection, InterruptHandle};
use parking_lot::Mutex;
use tokio::runtime::Handle;
use tokio::time::sleep;

/// Pause between two interrupts of one query.
const AGAIN: Duration = Duration::from_millis(10);

/// A query of a request.
#[derive(Default)]
pub(super) struct Query(Mutex<Progress>);

#[derive(Default)]
enum Progress {
    #[default]
    NotBegun,
    Runs(Arc<InterruptHandle>),
    /// It has ended, or must not begin any more.
    IsOver,
}

impl Query {
    /// Runs on `connection`; none if the query was stopped before.
    pub(super) fn ask<T>(
        &self,
        connection: &Connection,
        ask: impl FnOnce(&Connection) -> T,
    ) -> Option<T> {
        let _running = self.begin(connection)?;
        Some(ask(connection))
    }

    fn begin(&self, connection: &Connection) -> Option<Running<'_>> {
        let mut progress = self.0.lock();
        if matches!(*progress, Progress::IsOver) {
            return None;
        }
        *progress = Progress::Runs(connection.interrupt_handle());
        Some(Running(self))
    }

    /// Interrupts a running query, or keeps it from starting. Returns whether it runs, and so may
    /// have to be interrupted again.
    fn stop(&self) -> bool {
        let mut progress = self.0.lock();
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
}

/// A query runs as long as this lives, whether it ends normally or in a panic.
struct Running<'a>(&'a Query);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        *self.0.0.lock() = Progress::IsOver;
    }
}

/// A request waits for a query. Dropping this stops the query.
pub(super) struct Wanted {
    query: Arc<Query>,
    runtime: Handle,
}

impl Wanted {
    /// For a query; must be called on a runtime.
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
