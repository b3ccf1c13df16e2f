//! The keys of a database, followed by a server.
//!
//! A server has one connection for this. Each poll asks for the revision, and reloads keys when it
//! changed, under a lock that whoever moves the store elsewhere holds alone.

use crate::keys::postgres::client::{PgClient, Timeout};
use crate::keys::postgres::connection::PgConnection;
use crate::keys::postgres::database::PgTransaction;
use crate::keys::postgres::once::{Mode, once};
use crate::keys::statements;
use crate::keys::store::{KeySnapshot, KeySource, KeyStoreError, Revision};
use crate::keys::tables::Found;
use crate::keys::transaction::{Row, Unreadable};

/// The numbers of the lock: `BOAT` in ASCII, and what it is for.
macro_rules! lock {
    ($sql:literal) => {
        concat!($sql, "(1112490324, 1)")
    };
}

/// The revision, whether this program can work with the tables, and whether the store is writable;
/// once nobody has the lock alone.
const STATE: &str = concat!(
    "SELECT revision.number || '-' || revision.token AS revision,
        schema.version, schema.oldest_reader,
        current_setting('transaction_read_only') = 'on' AS is_read_only
    FROM catalogue.revision, catalogue.schema, ",
    lock!("pg_advisory_xact_lock_shared")
);
/// Takes the lock alone until the end of the transaction, once all polls under way are done.
const TAKE: &str = lock!("SELECT pg_advisory_xact_lock");
/// Whether a server waits for the lock.
const IS_WAITED_FOR: &str = "SELECT EXISTS (SELECT FROM pg_locks
    WHERE locktype = 'advisory' AND classid = 1112490324 AND objid = 1 AND NOT granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))";

/// Follows the keys of a PostgreSQL database, which need not exist yet.
pub struct PostgresKeySource {
    client: PgClient,
    connection: Option<PgConnection>,
    known: Option<Revision>,
}

impl PostgresKeySource {
    /// Follows the keys in the database of `client`.
    pub fn new(client: &PgClient) -> Self {
        Self {
            client: client.clone(),
            connection: None,
            known: None,
        }
    }

    /// Takes the known state out first, so that an error leaves nothing half known.
    fn read(
        &mut self,
        known: Option<&Revision>,
    ) -> Result<(Revision, Option<KeySnapshot>), KeyStoreError> {
        let connection = self.connected()?;
        let revision = self.revision_on(&connection)?;
        if known == Some(&revision) {
            self.connection = Some(connection);
            return Ok((revision, None));
        }
        let (revision, snapshot) = self.snapshot(&connection)?;
        self.connection = Some(connection);
        Ok((revision, Some(snapshot)))
    }

    /// Takes the connection out: one on which anything fails is not used again.
    fn connected(&mut self) -> Result<PgConnection, KeyStoreError> {
        if let Some(connection) = self.connection.take() {
            return Ok(connection);
        }
        PgConnection::open(&self.client, Timeout::POLLS, "read")
    }

    fn revision_on(&self, connection: &PgConnection) -> Result<Revision, KeyStoreError> {
        let asked = once(&self.client, Timeout::POLLS, &connection.client, STATE, &[]);
        let location = || self.client.address().location();
        let rows = self.client.ask("read", Timeout::POLLS, asked);
        let rows = rows.map_err(|error| match error {
            KeyStoreError::Locked { location, .. } => KeyStoreError::Locked {
                attempt: "follow",
                location,
                source: "it is being copied or changed as a whole".into(),
            },
            error => error,
        })?;
        let Some(row) = rows.first() else {
            let location = location();
            return Err(KeyStoreError::Missing { location });
        };
        let state = read_state(row).map_err(|unreadable| unreadable.in_store(location()))?;
        let (found, is_read_only, revision) = state;
        found.usable(location())?;
        if is_read_only {
            let location = location();
            return Err(KeyStoreError::ReadOnly { location });
        }
        Ok(revision)
    }

    fn snapshot(
        &self,
        connection: &PgConnection,
    ) -> Result<(Revision, KeySnapshot), KeyStoreError> {
        let timeout = Timeout::SNAPSHOTS;
        let transaction = PgTransaction::begin(&self.client, timeout, connection, "read")?;
        let snapshot = statements::snapshot(&transaction)?;
        let revision = statements::revision(&transaction)?;
        transaction.commit()?;
        Ok((revision, snapshot))
    }
}

fn read_state(row: &dyn Row) -> Result<(Found, bool, Revision), Unreadable> {
    let found = Found::Ours {
        version: row.get("version")?,
        oldest_reader: row.get("oldest_reader")?,
    };
    let revision = Revision(row.get("revision")?);
    Ok((found, row.get("is_read_only")?, revision))
}

impl KeySource for PostgresKeySource {
    fn poll(&mut self) -> Result<Option<KeySnapshot>, KeyStoreError> {
        let known = self.known.take();
        let (revision, changed) = self.read(known.as_ref())?;
        self.known = Some(revision);
        Ok(changed)
    }

    fn revision(&self) -> Option<Revision> {
        self.known.clone()
    }
}

/// Keeps servers from using a database until it is dropped: each of their polls waits for the lock
/// that this holds.
#[derive(Debug)]
pub struct WithoutServers {
    client: PgClient,
    connection: PgConnection,
}

impl WithoutServers {
    /// Takes the lock. Servers that run are noticed by [`confirm`](Self::confirm) within half a
    /// second: then the lock is to be dropped, before their keys are a second old. One that lost
    /// its connection a moment ago may act on what it knows for
    /// [`CHANGES_HOLD_WITHIN`](crate::keys::limits::CHANGES_HOLD_WITHIN).
    pub fn hold(client: &PgClient) -> Result<Self, KeyStoreError> {
        let timeout = Timeout::COMMANDS;
        let connection = PgConnection::open(client, timeout, "lock")?;
        let begin = Mode::Once.begin(client, timeout);
        client.ask("lock", timeout, async {
            let library = &connection.client;
            library.batch_execute(&begin).await?;
            // It is held for as long as a copy takes.
            let patient = "SET LOCAL idle_in_transaction_session_timeout = 0";
            library.batch_execute(patient).await?;
            Ok(library.batch_execute(TAKE).await?)
        })?;
        Ok(Self {
            client: client.clone(),
            connection,
        })
    }

    /// Fails if a server waits for the lock, or if the lock is gone with its connection.
    pub fn confirm(&self) -> Result<(), KeyStoreError> {
        let library = &self.connection.client;
        let is_waited_for = self.client.ask("lock", Timeout::COMMANDS, async {
            let row = library.query_typed_one(IS_WAITED_FOR, &[]).await?;
            Ok(row.try_get(0)?)
        })?;
        if is_waited_for {
            let location = self.client.address().location();
            return Err(KeyStoreError::InUse { location });
        }
        Ok(())
    }
}
