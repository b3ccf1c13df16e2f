//! The keys of a database, followed by a server.
//!
//! A server has one connection for this, on which it also hears of changes at once. While it has
//! it, it holds a lock that keeps the store from being taken elsewhere. Each poll asks for the
//! state, since a notification may be lost with a connection; keys are read when it is another one.

use crate::keys::postgres::client::PgClient;
use crate::keys::postgres::connection::{self, Connection};
use crate::keys::postgres::failure::{Reach, Stop};
use crate::keys::postgres::patience::Patience;
use crate::keys::postgres::rows::value;
use crate::keys::postgres::schema::Found;
use crate::keys::postgres::tables::Session;
use crate::keys::store::{KeySnapshot, KeySource, KeyStoreError, Revision, Wake};
use crate::keys::tables::Tables;

/// The lock, by its two numbers: `BOAT` in ASCII, and what it is for.
const LOCK: [i32; 2] = [0x424F_4154, 1];

/// The state, whether this program can work with the tables, and whether anything can be counted.
const LOOK: &str = "SELECT revision.number || '-' || revision.token AS revision,
        schema.version, schema.oldest_reader,
        current_setting('transaction_read_only') = 'on' AS is_read_only
    FROM catalogue.revision, catalogue.schema";

/// Follows the keys of a PostgreSQL database, which need not be there yet.
pub struct PostgresKeySource {
    client: PgClient,
    wake: Option<Wake>,
    connection: Option<Connection>,
    known: Option<Revision>,
}

impl PostgresKeySource {
    /// Follows the keys that `client` reaches.
    pub fn new(client: &PgClient) -> Self {
        Self {
            client: client.clone(),
            wake: None,
            connection: None,
            known: None,
        }
    }

    /// What is known is taken out before, so that an error on the way leaves nothing half known.
    fn look(&mut self, known: Option<Revision>) -> Result<(Revision, Option<KeySnapshot>), Stop> {
        let mut connection = self.connected()?;
        let revision = self.revision_on(&connection)?;
        let looked = match known {
            Some(known) if known == revision => (revision, None),
            _ => self.snapshot(&mut connection)?,
        };
        self.connection = Some(connection);
        Ok(looked)
    }

    /// The connection, taken out: one on which anything fails is not used again.
    fn connected(&mut self) -> Result<Connection, Stop> {
        if let Some(connection) = self.connection.take() {
            return Ok(connection);
        }
        let connection = Connection::open(&self.client, Patience::OF_POLLS, self.wake.clone())?;
        let held = self.client.wait(Patience::OF_POLLS, async {
            connection
                .client
                .batch_execute("LISTEN catalogue_keys")
                .await?;
            let row = connection.client.query_one(&shared_lock(), &[]).await?;
            Ok(row.try_get(0)?)
        })?;
        if held {
            return Ok(connection);
        }
        let refused = KeyStoreError::Locked {
            attempt: "follow",
            location: self.client.address().to_string(),
            source: "it is being copied".into(),
        };
        Err(refused.into())
    }

    fn revision_on(&self, connection: &Connection) -> Result<Revision, Stop> {
        let asked = async { Ok(connection.client.query_opt(LOOK, &[]).await?) };
        let location = || self.client.address().to_string();
        let Some(row) = self.client.wait(Patience::OF_POLLS, asked)? else {
            let location = location();
            return Err(KeyStoreError::Missing { location }.into());
        };
        let found = Found::of(value(&row, "version")?, value(&row, "oldest_reader")?);
        found.usable(self.client.address())?;
        if value(&row, "is_read_only")? {
            let location = location();
            return Err(KeyStoreError::ReadOnly { location }.into());
        }
        Ok(Revision(value(&row, "revision")?))
    }

    fn snapshot(
        &self,
        connection: &mut Connection,
    ) -> Result<(Revision, Option<KeySnapshot>), Stop> {
        let patience = Patience::OF_SNAPSHOTS;
        let begin = connection.client.build_transaction().read_only(true);
        let begin = begin.isolation_level(tokio_postgres::IsolationLevel::RepeatableRead);
        let begin = async {
            let transaction = begin.start().await?;
            // The connection itself allows no more than a poll may take.
            connection::lengthen(&transaction, &self.client, patience).await?;
            Ok(transaction)
        };
        let transaction = self.client.wait(patience, begin)?;
        let session = Session::new(&self.client, patience, &transaction);
        let snapshot = KeySnapshot {
            keys: session.keys()?,
            subscriptions: session.subscriptions()?,
        };
        let revision = session.revision()?;
        self.client
            .wait(patience, async { Ok(transaction.commit().await?) })?;
        Ok((revision, Some(snapshot)))
    }
}

impl KeySource for PostgresKeySource {
    fn poll(&mut self) -> Result<Option<KeySnapshot>, KeyStoreError> {
        let known = self.known.take();
        let looked = self.look(known);
        let (revision, changed) =
            looked.map_err(|stop| stop.explained("read", Reach::Surely, self.client.address()))?;
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

/// Takes the lock beside other servers, if nobody has it for himself.
fn shared_lock() -> String {
    let [program, purpose] = LOCK;
    format!("SELECT pg_try_advisory_lock_shared({program}, {purpose})")
}

/// Takes the lock for oneself, if no server has it.
pub(super) fn exclusive_lock() -> String {
    let [program, purpose] = LOCK;
    format!("SELECT pg_try_advisory_lock({program}, {purpose})")
}
