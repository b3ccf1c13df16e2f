//! Examining a store, without changing anything.

use crate::keys::contents::Overview;
use crate::keys::postgres::client::{PgClient, Timeout};
use crate::keys::postgres::database::Database;
use crate::keys::statements;
use crate::keys::store::{KeyStoreError, Revision};
use crate::keys::transaction::{Access, Transaction};

/// What a store was found to be.
#[derive(Clone, Debug)]
pub struct Examination {
    /// The version of PostgreSQL, for people.
    pub server: String,
    /// Size of its tables and indexes, in bytes.
    pub bytes: u64,
    /// Whether it may be written to.
    pub is_writable: bool,
    /// Whether the server syncs commits to disk: otherwise a power cut may lose the last ones.
    pub is_durable: bool,
    /// How many more connections the server allows.
    pub connections_left: i64,
    /// What it holds.
    pub overview: Overview,
}

const EXAMINE: &str = "SELECT current_setting('server_version') AS server,
    (SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class
        WHERE relnamespace = 'catalogue'::regnamespace AND relkind = 'r') AS bytes,
    NOT pg_is_in_recovery() AND current_setting('default_transaction_read_only') = 'off' AS is_writable,
    current_setting('fsync') = 'on' AND current_setting('full_page_writes') = 'on' AS is_durable,
    current_setting('max_connections')::bigint - (SELECT count(*) FROM pg_stat_activity
        WHERE backend_type = 'client backend') AS connections_left";

/// Examines the store in the database of `client`.
pub fn examine(client: &PgClient) -> Result<Examination, KeyStoreError> {
    let mut database = Database::open(client, Timeout::EXAMINATIONS)?;
    database.transact(Access::Read, |transaction| {
        let transaction: &dyn Transaction = transaction;
        let examined = transaction.first(EXAMINE, &[], |row| {
            let (server, bytes) = (row.get("server")?, row.get("bytes")?);
            let (is_writable, is_durable) = (row.get("is_writable")?, row.get("is_durable")?);
            let connections_left = row.get("connections_left")?;
            Ok((server, bytes, is_writable, is_durable, connections_left))
        })?;
        let location = transaction.location();
        let (server, bytes, is_writable, is_durable, connections_left) =
            examined.ok_or(KeyStoreError::Missing { location })?;
        Ok(Examination {
            server,
            bytes,
            is_writable,
            is_durable,
            connections_left,
            overview: statements::overview(transaction)?,
        })
    })
}

/// The state that the store in the database of `client` is in.
pub fn revision(client: &PgClient) -> Result<Revision, KeyStoreError> {
    Database::open(client, Timeout::EXAMINATIONS)?.transact(Access::Read, |transaction| {
        statements::revision(transaction)
    })
}
