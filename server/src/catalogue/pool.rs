//! Connections to the tables in memory, a few of them, each used by one query at a time.
//!
//! DuckDB blocks the calling thread, so queries wait in a [`Queue`] with one turn for each
//! connection. A query whose request is gone is stopped, and whatever happens to a query, its
//! connection comes back.

mod query;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use duckdb::Connection;
use parking_lot::Mutex;
use shared::release::reader::Listing;
use shared::release::throttle::Throttle;

use self::query::{Query, Wanted};
use super::fill;
use super::queue::{Queue, QueueError, QueueLimits};
use super::sql::Statement;

/// Prepared statements that a connection keeps: the common combinations of filters.
const STATEMENTS_MAX: usize = 128;

/// Connections to one release's tables.
#[derive(Debug)]
pub(super) struct Pool {
    /// Idle connections.
    connections: Arc<Mutex<Vec<Connection>>>,
    /// One turn a connection.
    queue: Queue,
}

/// Why a query failed.
#[derive(Debug, thiserror::Error)]
pub enum QueryError {
    /// DuckDB refused or failed.
    #[error("could not run a list query")]
    DuckDb(#[from] duckdb::Error),
    /// DuckDB gave a plan in an unknown form.
    #[error("could not read the plan of a list query")]
    Plan(#[from] serde_json::Error),
    /// The query was not started, or not finished.
    #[error(transparent)]
    Queue(#[from] QueueError),
}

impl Pool {
    /// Connections to the tables of a listing.
    pub(super) fn load(
        listing: &Listing,
        connections: usize,
        limits: QueueLimits,
        throttle: &dyn Throttle,
    ) -> duckdb::Result<Self> {
        let first = fill::filled(listing, throttle)?;
        let mut all = Vec::with_capacity(connections);
        for _ in 1..connections {
            all.push(first.try_clone()?);
        }
        all.push(first);
        for connection in &all {
            connection.set_prepared_statement_cache_capacity(STATEMENTS_MAX);
        }
        Ok(Self {
            queue: Queue::new("list query", all.len(), limits),
            connections: Arc::new(Mutex::new(all)),
        })
    }

    pub(super) const fn queue(&self) -> &Queue {
        &self.queue
    }

    /// Runs `ask` with a connection, as soon as one is free, on a thread that may block.
    ///
    /// If the future is dropped, or `ask` takes too long, a waiting query is not started and a
    /// running one is interrupted.
    pub(super) async fn run<T, E>(
        &self,
        ask: impl FnOnce(&Connection) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<QueryError> + Send + 'static,
    {
        let query = Arc::new(Query::default());
        let _wanted = Wanted::new(&query);
        let connections = Arc::clone(&self.connections);
        let answer = self.queue.run(move || {
            let free = connections.lock().pop();
            let connection = free.unwrap_or_else(|| unreachable!("a turn is a connection"));
            // A connection is sound after a panic: unwinding returns what it lent.
            let asked = || query.ask(&connection, ask);
            let answer = catch_unwind(AssertUnwindSafe(asked));
            connections.lock().push(connection);
            answer.unwrap_or_else(|panic| resume_unwind(panic))
        });
        let answer = answer.await.map_err(QueryError::from)?;
        answer.unwrap_or_else(|| unreachable!("this waits for the query, so it was not stopped"))
    }
}

/// The first column of every row.
pub(super) fn integers(connection: &Connection, asked: &Statement) -> Result<Vec<i64>, QueryError> {
    let mut statement = connection.prepare_cached(&asked.text)?;
    let rows = statement.query_map(duckdb::params_from_iter(&asked.values), |row| row.get(0))?;
    Ok(rows.collect::<duckdb::Result<_>>()?)
}

/// The first columns of every row.
pub(super) fn rows_of<const COLUMNS: usize>(
    connection: &Connection,
    asked: &Statement,
) -> Result<Vec<[i64; COLUMNS]>, QueryError> {
    let mut statement = connection.prepare_cached(&asked.text)?;
    let rows = statement.query_map(duckdb::params_from_iter(&asked.values), |row| {
        let mut columns = [0; COLUMNS];
        for (place, column) in columns.iter_mut().enumerate() {
            *column = row.get(place)?;
        }
        Ok(columns)
    })?;
    Ok(rows.collect::<duckdb::Result<_>>()?)
}

#[cfg(test)]
mod tests;
