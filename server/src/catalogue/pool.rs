//! Connections to the tables in memory, a few of them, each used by one query at a time.
//!
//! DuckDB blocks the thread that asks, so queries run on the runtime's blocking threads; a
//! semaphore keeps their number at that of the connections.

use std::sync::{Arc, Mutex, PoisonError};

use duckdb::Connection;
use shared::release::Release;
use tokio::sync::Semaphore;

use super::sql::{self, Statement};

/// How many prepared statements a connection keeps: the common combinations of filters.
const STATEMENTS_MAX: usize = 128;

/// Connections to one release's tables.
#[derive(Debug)]
pub(super) struct Pool {
    connections: Arc<Mutex<Vec<Connection>>>,
    permits: Arc<Semaphore>,
}

/// Why a query gave no answer.
#[derive(Debug, thiserror::Error)]
pub enum QueryError {
    /// DuckDB refused or failed.
    #[error("could not run a list query")]
    DuckDb(#[from] duckdb::Error),
    /// The query panicked, or the runtime is stopping.
    #[error("a list query was broken off")]
    BrokenOff(#[from] tokio::task::JoinError),
    /// Every connection was lost to a panic.
    #[error("no connection is left for list queries")]
    NoConnection,
}

impl Pool {
    /// Loads the tables of `release`, then shuts the database off from everything else.
    pub(super) fn load(release: &Release, connections: usize) -> duckdb::Result<Self> {
        let first = Connection::open_in_memory()?;
        for table in sql::TABLES {
            let path = release.path(table.file);
            first.execute_batch(&table.load(&path.to_string_lossy()))?;
        }
        first.execute_batch(sql::LOCK_DOWN)?;
        let mut all = Vec::with_capacity(connections);
        for _ in 1..connections {
            all.push(first.try_clone()?);
        }
        all.push(first);
        for connection in &all {
            connection.set_prepared_statement_cache_capacity(STATEMENTS_MAX);
        }
        let permits = Arc::new(Semaphore::new(all.len()));
        Ok(Self {
            connections: Arc::new(Mutex::new(all)),
            permits,
        })
    }

    /// Runs `ask` with a connection, as soon as one is free, on a thread that may block.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        ask: impl FnOnce(&Connection) -> duckdb::Result<T> + Send + 'static,
    ) -> Result<T, QueryError> {
        let permit = Arc::clone(&self.permits).acquire_owned().await;
        let connections = Arc::clone(&self.connections);
        let answer = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            let free = lock(&connections).pop();
            let connection = free.ok_or(QueryError::NoConnection)?;
            let answer = ask(&connection);
            lock(&connections).push(connection);
            Ok(answer?)
        });
        answer.await?
    }
}

fn lock(connections: &Mutex<Vec<Connection>>) -> std::sync::MutexGuard<'_, Vec<Connection>> {
    // A list of connections is whole at every moment, so a panic elsewhere does not spoil it.
    connections.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The first column of every row.
pub(super) fn integers(connection: &Connection, asked: &Statement) -> duckdb::Result<Vec<i64>> {
    let mut statement = connection.prepare_cached(&asked.text)?;
    let rows = statement.query_map(duckdb::params_from_iter(&asked.values), |row| row.get(0))?;
    rows.collect()
}
