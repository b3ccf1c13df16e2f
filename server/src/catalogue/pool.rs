//! Connections to the tables in memory, a few of them, each used by one query at a time.
//!
//! DuckDB blocks the thread that asks, so queries run on the runtime's blocking threads; a
//! semaphore keeps their number at that of the connections, and another the number of those that
//! wait for one.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use duckdb::Connection;
use shared::release::Release;
use tokio::sync::Semaphore;

use super::blocking::{self, Stopping};
use super::sql::{self, Statement};

/// How many prepared statements a connection keeps: the common combinations of filters.
const STATEMENTS_MAX: usize = 128;
/// Most queries that wait for a connection. Whoever would come after these is told to come later
/// instead of being kept waiting.
const WAITING_MAX: usize = 1024;

/// Connections to one release's tables.
#[derive(Debug)]
pub(super) struct Pool {
    connections: Arc<Mutex<Vec<Connection>>>,
    /// One permit a connection.
    free: Arc<Semaphore>,
    /// One permit a query that runs or waits.
    admitted: Arc<Semaphore>,
}

/// Why the tables of a release could not be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The data directory has a name that cannot be passed on.
    #[error("{} cannot be named to DuckDB: a path must be UTF-8 and without backslashes", path.display())]
    Path {
        /// The file.
        path: PathBuf,
    },
    /// DuckDB refused or failed.
    #[error(transparent)]
    DuckDb(#[from] duckdb::Error),
}

/// Why a query gave no answer.
#[derive(Debug, thiserror::Error)]
pub enum QueryError {
    /// DuckDB refused or failed.
    #[error("could not run a list query")]
    DuckDb(#[from] duckdb::Error),
    /// The query was not begun.
    #[error("a list query was broken off")]
    BrokenOff(#[from] Stopping),
    /// Every connection was lost to a panic.
    #[error("no connection is left for list queries")]
    NoConnection,
    /// More queries wait already than may.
    #[error("{} list queries are waiting already", WAITING_MAX)]
    TooManyWaiting,
}

impl Pool {
    /// Loads the tables of `release`, then shuts the database off from everything else.
    pub(super) fn load(release: &Release, connections: usize) -> Result<Self, LoadError> {
        let first = Connection::open_in_memory()?;
        for table in sql::TABLES {
            let path = release.path(table.file);
            let load = table.load(&path).ok_or(LoadError::Path { path })?;
            first.execute_batch(&load)?;
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
        Ok(Self {
            free: Arc::new(Semaphore::new(all.len())),
            admitted: Arc::new(Semaphore::new(all.len() + WAITING_MAX)),
            connections: Arc::new(Mutex::new(all)),
        })
    }

    /// Runs `ask` with a connection, as soon as one is free, on a thread that may block.
    pub(super) async fn run<T, E>(
        &self,
        ask: impl FnOnce(&Connection) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<QueryError> + Send + 'static,
    {
        let admitted = Arc::clone(&self.admitted).try_acquire_owned();
        let admitted = admitted.map_err(|_none_left| QueryError::TooManyWaiting)?;
        let permit = Arc::clone(&self.free).acquire_owned().await;
        let connections = Arc::clone(&self.connections);
        let answer = blocking::run(move || {
            let _permits = (admitted, permit);
            let free = lock(&connections).pop();
            let connection = free.ok_or(QueryError::NoConnection)?;
            let answer = ask(&connection);
            lock(&connections).push(connection);
            answer
        });
        answer.await.map_err(QueryError::from)?
    }
}

fn lock(connections: &Mutex<Vec<Connection>>) -> std::sync::MutexGuard<'_, Vec<Connection>> {
    // A list of connections is whole at every moment, so a panic elsewhere does not spoil it.
    connections.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The first column of every row.
pub(super) fn integers(connection: &Connection, asked: &Statement) -> Result<Vec<i64>, QueryError> {
    let mut statement = connection.prepare_cached(&asked.text)?;
    let rows = statement.query_map(duckdb::params_from_iter(&asked.values), |row| row.get(0))?;
    Ok(rows.collect::<duckdb::Result<_>>()?)
}

#[cfg(test)]
mod tests;
