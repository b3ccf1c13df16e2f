//! The store of keys for commands, in a PostgreSQL database: opening it, making it, and making sure
//! that no server uses it.

use crate::keys::audit::Operator;
use crate::keys::postgres::client::PgClient;
use crate::keys::postgres::connection::Connection;
use crate::keys::postgres::database::Database;
use crate::keys::postgres::failure::{Failure, Reach, Stop};
use crate::keys::postgres::patience::Patience;
use crate::keys::postgres::schema::VERSION;
use crate::keys::postgres::{schema, source};
use crate::keys::store::{CHANGE, KeyStoreError};
use crate::keys::table_store::TableStore;

/// Keys, subscriptions and usage in a PostgreSQL database.
pub type PostgresKeyStore = TableStore<Database>;

/// What was done to bring a database up to date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completed {
    /// The version before; 0 for none.
    pub before: i64,
    /// The version now.
    pub now: i64,
}

impl PostgresKeyStore {
    /// Opens the store that `client` reaches, which must have been made.
    pub fn open(client: &PgClient, operator: Operator) -> Result<Self, KeyStoreError> {
        let database = Database::open(client, Patience::OF_COMMANDS)?;
        Ok(Self::new(database, operator))
    }

    /// The same for a copy, which works on all rows at once.
    pub fn open_to_copy(client: &PgClient, operator: Operator) -> Result<Self, KeyStoreError> {
        let database = Database::open(client, Patience::OF_ALL_ROWS)?;
        Ok(Self::new(database, operator))
    }
}

/// Makes the tables in a database that is empty: all of them or none. Where they are already,
/// nothing is changed.
pub fn make(client: &PgClient) -> Result<Completed, KeyStoreError> {
    complete(client, |before| before == 0)
}

/// Takes the steps that a store of an earlier version lacks: all of them or none.
pub fn migrate(client: &PgClient) -> Result<Completed, KeyStoreError> {
    let completed = complete(client, |before| before != 0)?;
    if completed.now == 0 {
        let location = client.address().to_string();
        return Err(KeyStoreError::Missing { location });
    }
    Ok(completed)
}

fn complete(client: &PgClient, is_meant: fn(i64) -> bool) -> Result<Completed, KeyStoreError> {
    let mut database = Database::unchecked(client, Patience::OF_ALL_ROWS);
    let address = client.address();
    database.transact(CHANGE, |session| {
        session.wait(async |transaction| {
            let before = schema::begin(transaction, address).await?;
            if !is_meant(before) || VERSION <= before {
                return Ok(Completed {
                    before,
                    now: before,
                });
            }
            schema::take(transaction, before, &schema::STEPS).await?;
            let now = VERSION;
            Ok(Completed { before, now })
        })
    })
}

/// Keeps servers from using a database, until it is dropped: each of them holds a lock there, shared
/// with the others, for as long as it follows the keys.
#[derive(Debug)]
pub struct WithoutServers {
    client: PgClient,
    connection: Connection,
}

impl WithoutServers {
    /// Refuses a database that a server uses. One that lost its connection a moment ago may act on
    /// what it knows for [`CHANGES_HOLD_WITHIN`](crate::keys::limits::CHANGES_HOLD_WITHIN).
    pub fn hold(client: &PgClient) -> Result<Self, KeyStoreError> {
        let connection = Connection::open(client, Patience::OF_COMMANDS, None);
        let connection = explained(client, connection)?;
        let take = async {
            let sql = source::exclusive_lock();
            Ok(connection.client.query_one(&sql, &[]).await?.try_get(0)?)
        };
        if explained(client, client.wait(Patience::OF_COMMANDS, take))? {
            let client = client.clone();
            return Ok(Self { client, connection });
        }
        let location = client.address().to_string();
        Err(KeyStoreError::InUse { location })
    }

    /// Refuses what may have changed since: with its connection the lock would be gone, and servers
    /// could have begun.
    pub fn confirm(&self) -> Result<(), KeyStoreError> {
        let asked = async { Ok(self.connection.client.batch_execute("SELECT").await?) };
        explained(&self.client, self.client.wait(Patience::OF_COMMANDS, asked))
    }
}

fn explained<T>(client: &PgClient, outcome: Result<T, Failure>) -> Result<T, KeyStoreError> {
    let explain =
        |failure| Stop::Failure(failure).explained("lock", Reach::Surely, client.address());
    outcome.map_err(explain)
}
