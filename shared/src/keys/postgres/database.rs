//! A database with our tables, and its transactions. Each step blocks, and an error means that
//! nothing was changed, except at the commit.

use std::borrow::Cow;
use std::error::Error;

use futures_util::FutureExt;
use tokio_postgres::Client;
use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};

use crate::keys::postgres::client::{PgClient, Timeout};
use crate::keys::postgres::connection::PgConnection;
use crate::keys::postgres::failure::{CommitOutcome, Failure};
use crate::keys::postgres::once::{Mode, Parameter};
use crate::keys::postgres::schema;
use crate::keys::statements;
use crate::keys::store::{CHANGE, KeyStoreError, Location};
use crate::keys::tables::Found;
use crate::keys::transaction::{Access, Dialect, Row, Transaction, Unreadable, Value};

/// Keeps others from making tables until the transaction ends.
const LOCK: &str = "SELECT pg_advisory_xact_lock(hashtext('catalogue.schema'))";
/// Serialises changes: each locks the row with the revision.
const TAKE_TURN: &str = "SELECT number FROM catalogue.revision FOR UPDATE";

/// A database with our tables, on one connection that is reopened when it breaks.
#[derive(Debug)]
pub(crate) struct Database {
    client: PgClient,
    timeout: Timeout,
    connection: Option<PgConnection>,
}

/// A transaction whose steps block.
pub(crate) struct PgTransaction<'c> {
    client: &'c PgClient,
    timeout: Timeout,
    connection: &'c PgConnection,
    /// What it does to the store: a verb, for errors.
    attempt: &'static str,
    /// Whether its end was asked for.
    is_over: bool,
}

/// Makes the tables in the empty database of `client`: all of them or none. Where they exist, nothing
/// changes, and the answer is no.
pub fn make(client: &PgClient) -> Result<bool, KeyStoreError> {
    let mut database = Database::unchecked(client, Timeout::ALL_ROWS);
    database.in_transaction(CHANGE, |transaction| {
        transaction.execute(LOCK, &[])?;
        let found = transaction.wait(schema::find(transaction.library()))?;
        if found != Found::Nothing {
            found.usable(transaction.location())?;
            return Ok(false);
        }
        transaction.wait(schema::make(transaction.library()))?;
        statements::raise_revision(transaction)?;
        Ok(true)
    })
}

impl Database {
    /// The database of `client`, in which nothing takes longer than `timeout`.
    pub(crate) fn open(client: &PgClient, timeout: Timeout) -> Result<Self, KeyStoreError> {
        let mut database = Self::unchecked(client, timeout);
        let found = database.in_transaction("open", |transaction| {
            transaction.wait(schema::find(transaction.library()))
        })?;
        // Refuses one without our tables, or with tables that this program cannot work with.
        found.usable(client.address().location())?;
        Ok(database)
    }

    /// The same, whatever it holds.
    fn unchecked(client: &PgClient, timeout: Timeout) -> Self {
        Self {
            client: client.clone(),
            timeout,
            connection: None,
        }
    }

    /// Runs `work` in a transaction that is rolled back unless all of it succeeds.
    pub(crate) fn transact<T>(
        &mut self,
        access: Access,
        work: impl FnOnce(&PgTransaction<'_>) -> Result<T, KeyStoreError>,
    ) -> Result<T, KeyStoreError> {
        match access {
            Access::Read => self.in_transaction("read", work),
            Access::Change | Access::UrgentChange => self.in_transaction(CHANGE, |transaction| {
                transaction.execute(TAKE_TURN, &[])?;
                work(transaction)
            }),
        }
    }

    /// The same for an `attempt`, a verb, that does not wait for its turn.
    pub(super) fn in_transaction<T>(
        &mut self,
        attempt: &'static str,
        work: impl FnOnce(&PgTransaction<'_>) -> Result<T, KeyStoreError>,
    ) -> Result<T, KeyStoreError> {
        let connection = match self.connection.take() {
            Some(connection) if !connection.client.is_closed() => connection,
            _ => PgConnection::open(&self.client, self.timeout, attempt)?,
        };
        let begun = PgTransaction::begin(&self.client, self.timeout, &connection, attempt);
        let done = begun.and_then(|transaction| {
            let value = work(&transaction)?;
            transaction.commit()?;
            Ok(value)
        });
        if !connection.is_broken.get() {
            self.connection = Some(connection);
        }
        done
    }
}

impl<'c> PgTransaction<'c> {
    /// Begins a transaction for an `attempt`, a verb. Its statements may take as long as `timeout`
    /// lasts.
    pub(super) fn begin(
        client: &'c PgClient,
        timeout: Timeout,
        connection: &'c PgConnection,
        attempt: &'static str,
    ) -> Result<Self, KeyStoreError> {
        let is_change = attempt == CHANGE;
        let mode = if is_change { Mode::Change } else { Mode::Read };
        let begin = mode.begin(client, timeout);
        let transaction = Self {
            client,
            timeout,
            connection,
            attempt,
            is_over: false,
        };
        transaction.wait(async { Ok(transaction.library().batch_execute(&begin).await?) })?;
        Ok(transaction)
    }

    /// The library's connection.
    pub(super) fn library(&self) -> &Client {
        &self.connection.client
    }

    /// Waits for a statement of the transaction. If it fails, no change was made.
    pub(super) fn wait<T>(
        &self,
        asked: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, KeyStoreError> {
        self.wait_with(CommitOutcome::NotMade, asked)
    }

    fn wait_with<T>(
        &self,
        outcome: CommitOutcome,
        asked: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, KeyStoreError> {
        let answered = self.client.wait(self.timeout, asked);
        answered.map_err(|failure| {
            let is_broken = &self.connection.is_broken;
            is_broken.set(is_broken.get() || failure.breaks());
            failure.explained(self.attempt, outcome, self.client.address())
        })
    }

    /// Commits. If that fails, the changes may have been made.
    pub(super) fn commit(mut self) -> Result<(), KeyStoreError> {
        self.is_over = true;
        let committed = async { Ok(self.library().batch_execute("COMMIT").await?) };
        self.wait_with(CommitOutcome::Unknown, committed)
    }
}

impl Drop for PgTransaction<'_> {
    /// Rolls back what was not committed. That is sent when it is first polled; the reply is
    /// discarded.
    fn drop(&mut self) {
        if !self.is_over {
            let _sent = self.library().batch_execute("ROLLBACK").now_or_never();
        }
    }
}

impl Transaction for PgTransaction<'_> {
    fn dialect(&self) -> &'static Dialect {
        &DIALECT
    }

    fn location(&self) -> Location {
        self.client.address().location()
    }

    fn query(
        &self,
        sql: &str,
        parameters: &[Value<'_>],
        each: &mut dyn FnMut(&dyn Row) -> Result<(), KeyStoreError>,
    ) -> Result<(), KeyStoreError> {
        let parameters = in_postgres(parameters);
        let rows = async { Ok(self.library().query_typed(sql, &parameters).await?) };
        let rows = self.wait(rows)?;
        rows.iter().try_for_each(|row| each(row))
    }

    fn execute(&self, sql: &str, parameters: &[Value<'_>]) -> Result<(), KeyStoreError> {
        let parameters = in_postgres(parameters);
        let done = async { Ok(self.library().execute_typed(sql, &parameters).await?) };
        self.wait(done).map(drop)
    }
}

/// Parameters with their types.
pub(super) fn in_postgres<'p>(parameters: &'p [Value<'_>]) -> Vec<Parameter<'p>> {
    let with_type = |value: &'p Value<'_>| {
        let ty = match value {
            // As the statement needs it.
            Value::Null => Type::UNKNOWN,
            Value::Integer(_) => Type::INT8,
            Value::Text(_) => Type::TEXT,
            Value::Bytes(_) => Type::BYTEA,
        };
        (value as &(dyn ToSql + Sync), ty)
    };
    parameters.iter().map(with_type).collect()
}

pub(super) const DIALECT: Dialect = Dialect {
    new_token: "gen_random_uuid()::text",
    defer_references: "SET CONSTRAINTS ALL DEFERRED",
    count_on: Some(
        "SELECT setval(pg_get_serial_sequence('catalogue.TABLE', 'COLUMN'), max(COLUMN))
        FROM catalogue.TABLE",
    ),
};

impl Row for tokio_postgres::Row {
    fn value(&self, column: &str) -> Result<Value<'_>, Unreadable> {
        let value = self.try_get(column);
        value.map_err(|error| Unreadable::new(column, error))
    }
}

impl<'v> FromSql<'v> for Value<'v> {
    fn from_sql(ty: &Type, raw: &'v [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(match *ty {
            Type::BOOL => Self::Integer(bool::from_sql(ty, raw)?.into()),
            Type::INT8 => Self::Integer(i64::from_sql(ty, raw)?),
            Type::BYTEA => Self::Bytes(Cow::Borrowed(<&[u8]>::from_sql(ty, raw)?)),
            _ => Self::Text(Cow::Borrowed(<&str>::from_sql(ty, raw)?)),
        })
    }

    fn from_sql_null(_ty: &Type) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self::Null)
    }

    fn accepts(ty: &Type) -> bool {
        [Type::BOOL, Type::INT8, Type::BYTEA].contains(ty) || <&str as FromSql>::accepts(ty)
    }
}

impl ToSql for Value<'_> {
    fn to_sql(
        &self,
        ty: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match self {
            Self::Null => Ok(IsNull::Yes),
            Self::Integer(integer) => integer.to_sql_checked(ty, out),
            Self::Text(text) => text.as_ref().to_sql_checked(ty, out),
            Self::Bytes(bytes) => bytes.as_ref().to_sql_checked(ty, out),
        }
    }

    /// Each value looks by itself.
    fn accepts(_ty: &Type) -> bool {
        true
    }

    to_sql_checked!();
}
