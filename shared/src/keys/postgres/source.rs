//! The keys of a database, followed by a server.
//!
//! A server has one connection for this, on which notifications tell it of changes at once.
//! Meanwhile it holds a lock that keeps the store from being moved elsewhere. Each poll asks for
//! the revision, since a notification may be lost with a connection, and reloads keys when it
//! changed.

use crate::keys::postgres::client::{PgClient, Timeout};
use crate::keys::postgres::connection::PgConnection;
use crate::keys::postgres::database::PgTransaction;
use crate::keys::postgres::schema::Found;
use crate::keys::statements;
use crate::keys::store::{KeySnapshot, KeySource, KeyStoreError, Revision, Wake};
use crate::keys::transaction::{Row, Unreadable};

/// The lock, by its two numbers: `BOAT` in ASCII, and what it is for.
const LOCK: [i32; 2] = [0x424F_4154, 1];

/// The revision, whether this program can work with the tables, and whether the store is writable.
const LOOK: &str = "SELECT revision.number || '-' || revision.token AS revision,
        schema.version, schema.oldest_reader,
        current_setting('transaction_read_only') = 'on' AS is_read_only
    FROM catalogue.revision, catalogue.schema";

/// Follows the keys of a PostgreSQL database, which need not exist yet.
pub struct PostgresKeySource {
    client: PgClient,
    wake: Option<Wake>,
    connection: Option<PgConnection>,
    known: Option<Revision>,
}

impl PostgresKeySource {
    /// Follows the keys in the database of `client`.
    pub fn new(client: &PgClient) -> Self {
        Self {
            client: client.clone(),
            wake: None,
            connection: None,
            known: None,
        }
    }

    /// Takes the known state out first, so that an error leaves nothing half known.
    fn look(
        &mut self,
        known: Option<Revision>,
    ) -> Result<(Revision, Option<KeySnapshot>), KeyStoreError> {
        let mut connection = self.connected()?;
        let revision = self.revision_on(&connection)?;
        let looked = match known {
            Some(known) if known == revision => (revision, None),
            _ => self.snapshot(&mut connection)?,
        };
        self.connection = Some(connection);
        Ok(looked)
    }

    /// Takes the connection out: one on which anything fails is not used again.
    fn connected(&mut self) -> Result<PgConnection, KeyStoreError> {
        if let Some(connection) = self.connection.take() {
            return Ok(connection);
        }
        let (timeout, wake) = (Timeout::POLLS, self.wake.clone());
        let connection = PgConnection::open(&self.client, timeout, "read", wake)?;
        let held = self.client.ask("read", timeout, async {
            let client = &connection.client;
            client.batch_execute("LISTEN catalogue_keys").await?;
            let row = client.query_one(&shared_lock(), &[]).await?;
            Ok(row.try_get(0)?)
        })?;
        if held {
            return Ok(connection);
        }
        Err(KeyStoreError::Locked {
            attempt: "follow",
            location: self.client.address().location(),
            source: "it is being copied".into(),
        })
    }

    fn revision_on(&self, connection: &PgConnection) -> Result<Revision, KeyStoreError> {
        let asked = async { Ok(connection.client.query_opt(LOOK, &[]).await?) };
        let location = || self.client.address().location();
        let Some(row) = self.client.ask("read", Timeout::POLLS, asked)? else {
            let location = location();
            return Err(KeyStoreError::Missing { location });
        };
        let looked = look_at(&row).map_err(|unreadable| unreadable.in_store(location()))?;
        let (found, is_read_only, revision) = looked;
        found.usable(self.client.address())?;
        if is_read_only {
            let location = location();
            return Err(KeyStoreError::ReadOnly { location });
        }
        Ok(revision)
    }

    fn snapshot(
        &self,
        connection: &mut PgConnection,
    ) -> Result<(Revision, Option<KeySnapshot>), KeyStoreError> {
        let timeout = Timeout::SNAPSHOTS;
        let transaction = PgTransaction::begin(&self.client, timeout, connection, "read")?;
        let snapshot = statements::snapshot(&transaction)?;
        let revision = statements::revision(&transaction)?;
        transaction.commit()?;
        Ok((revision, Some(snapshot)))
    }
}

fn look_at(row: &dyn Row) -> Result<(Found, bool, Revision), Unreadable> {
    let found = Found::of(row.get("version")?, row.get("oldest_reader")?);
    let revision = Revision(row.get("revision")?);
    Ok((found, row.get("is_read_only")?, revision))
}

impl KeySource for PostgresKeySource {
    fn poll(&mut self) -> Result<Option<KeySnapshot>, KeyStoreError> {
        let known = self.known.take();
        let (revision, changed) = self.look(known)?;
        self.known = Some(revision);
        Ok(changed)
    }

    fn revision(&self) -> Option<Revision> {
        self.known.clone()
    }

    fn wake_with(&mut self, wake: Wake) {
        self.wake = Some(wake);
    }
}

/// Keeps servers from using a database until it is dropped: each server holds a shared lock for as
/// long as it follows the keys.
#[derive(Debug)]
pub struct WithoutServers {
    client: PgClient,
    connection: PgConnection,
}

impl WithoutServers {
    /// Refuses a database that a server uses. One that lost its connection a moment ago may act on
    /// what it knows for [`CHANGES_HOLD_WITHIN`](crate::keys::limits::CHANGES_HOLD_WITHIN).
    pub fn hold(client: &PgClient) -> Result<Self, KeyStoreError> {
        let timeout = Timeout::COMMANDS;
        let connection = PgConnection::open(client, timeout, "lock", None)?;
        let is_taken = client.ask("lock", timeout, async {
            let sql = exclusive_lock();
            Ok(connection.client.query_one(&sql, &[]).await?.try_get(0)?)
        })?;
        if is_taken {
            let client = client.clone();
            return Ok(Self { client, connection });
        }
        let location = client.address().location();
        Err(KeyStoreError::InUse { location })
    }

    /// Fails if the lock may be gone: with its connection it is lost, and servers may have started.
    pub fn confirm(&self) -> Result<(), KeyStoreError> {
        let asked = async { Ok(self.connection.client.batch_execute("SELECT").await?) };
        self.client.ask("lock", Timeout::COMMANDS, asked)
    }
}

/// Takes the lock beside other servers, if none has it alone.
fn shared_lock() -> String {
    let [program, purpose] = LOCK;
    format!("SELECT pg_try_advisory_lock_shared({program}, {purpose})")
}

/// Takes the lock alone, if no server has it.
fn exclusive_lock() -> String {
    let [program, purpose] = LOCK;
    format!("SELECT pg_try_advisory_lock({program}, {purpose})")
}
