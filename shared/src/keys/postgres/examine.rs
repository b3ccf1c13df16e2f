//! Examining a store, without changing anything.

use std::collections::HashMap;

use crate::keys::key::KeyId;
use crate::keys::last_use::LastUse;
use crate::keys::postgres::client::{PgClient, Timeout};
use crate::keys::postgres::database::Database;
use crate::keys::statements;
use crate::keys::store::{KeySnapshot, KeyStoreError, Revision};
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
    /// The state that it is in.
    pub revision: Revision,
    /// Its keys and subscriptions.
    pub contents: KeySnapshot,
    /// The last use of each key that was used.
    pub last_uses: HashMap<KeyId, LastUse>,
    /// Time of the last change in the audit log, Unix time.
    pub last_change: Option<i64>,
    /// Start of the latest period with a charge, Unix time.
    pub latest_charged: Option<i64>,
}

const LOOK: &str = "SELECT current_setting('server_version') AS server,
    (SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class
        WHERE relnamespace = 'catalogue'::regnamespace AND relkind = 'r') AS bytes,
    NOT pg_is_in_recovery() AND current_setting('default_transaction_read_only') = 'off' AS is_writable,
    current_setting('fsync') = 'on' AND current_setting('full_page_writes') = 'on' AS is_durable,
    current_setting('max_connections')::bigint - (SELECT count(*) FROM pg_stat_activity
        WHERE backend_type = 'client backend') AS connections_left";

/// Examines the store in the database of `client`.
pub fn examine(client: &PgClient) -> Result<Examination, KeyStoreError> {
    let mut database = Database::open(client, Timeout::LOOKS)?;
    database.transact(Access::Read, |transaction| {
        let transaction: &dyn Transaction = transaction;
        let looked = transaction.first(LOOK, &[], |row| {
            let (server, bytes) = (row.get("server")?, row.get("bytes")?);
            let (is_writable, is_durable) = (row.get("is_writable")?, row.get("is_durable")?);
            let connections_left = row.get("connections_left")?;
            Ok((server, bytes, is_writable, is_durable, connections_left))
        })?;
        let location = transaction.location();
        let (server, bytes, is_writable, is_durable, connections_left) =
            looked.ok_or(KeyStoreError::Missing { location })?;
        Ok(Examination {
            server,
            bytes,
            is_writable,
            is_durable,
            connections_left,
            revision: statements::revision(transaction)?,
            contents: statements::snapshot(transaction)?,
            last_uses: statements::last_uses(transaction)?,
            last_change: statements::last_change(transaction)?,
            latest_charged: statements::latest_charged(transaction)?,
        })
    })
}
