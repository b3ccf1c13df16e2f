//! A database with our tables, and its transactions. Each step blocks, and an error means that
//! nothing was changed, except at the commit.

use std::borrow::Cow;
use std::cell::Cell;
use std::error::Error;

use tokio_postgres::IsolationLevel;
use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};

use crate::keys::postgres::client::{PgClient, Timeout};
use crate::keys::postgres::connection::PgConnection;
use crate::keys::postgres::failure::{CommitOutcome, Failure};
use crate::keys::postgres::schema;
use crate::keys::store::{CHANGE, KeyStoreError, Location};
use crate::keys::transaction::{Access, Dialect, Row, Transaction, Unreadable, Value};

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
    pub(super) inner: tokio_postgres::Transaction<'c>,
    /// What it does to the store: a verb, for errors.
    attempt: &'static str,
    /// Whether its connection is unusable.
    is_broken: &'c Cell<bool>,
}

impl Database {
    /// The database of `client`, in which nothing takes longer than `timeout`.
    pub(crate) fn open(client: &PgClient, timeout: Timeout) -> Result<Self, KeyStoreError> {
        let mut database = Self::unchecked(client, timeout);
        let connection = PgConnection::open(client, timeout, "open", None)?;
        let found = client.ask("open", timeout, schema::find(&connection.client))?;
        // Refuses one without our tables, or with tables that this program cannot work with.
        found.usable(client.address())?;
        database.connection = Some(connection);
        Ok(database)
    }

    /// The same, whatever it holds.
    pub(super) fn unchecked(client: &PgClient, timeout: Timeout) -> Self {
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
        let mut connection = match self.connection.take() {
            Some(connection) if !connection.client.is_closed() => connection,
            _ => PgConnection::open(&self.client, self.timeout, attempt, None)?,
        };
        let begun = PgTransaction::begin(&self.client, self.timeout, &mut connection, attempt);
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
    /// lasts, also on a connection for shorter ones.
    pub(super) fn begin(
        client: &'c PgClient,
        timeout: Timeout,
        connection: &'c mut PgConnection,
        attempt: &'static str,
    ) -> Result<Self, KeyStoreError> {
        let is_change = attempt == CHANGE;
        let isolation = if is_change {
            IsolationLevel::ReadCommitted
        } else {
            IsolationLevel::RepeatableRead
        };
        let lengthen = (connection.timeout < timeout).then(|| client.lengthen(timeout));
        let builder = connection.client.build_transaction();
        let builder = builder.isolation_level(isolation).read_only(!is_change);
        let begun = client.wait(timeout, async {
            let transaction = builder.start().await?;
            if let Some(lengthen) = lengthen {
                transaction.batch_execute(&lengthen).await?;
            }
            Ok(transaction)
        });
        match begun {
            Ok(inner) => Ok(Self {
                client,
                timeout,
                inner,
                attempt,
                is_broken: &connection.is_broken,
            }),
            Err(failure) => {
                connection.is_broken.set(failure.breaks());
                Err(failure.explained(attempt, CommitOutcome::NotMade, client.address()))
            }
        }
    }

    /// Waits for a statement of the transaction. If it fails, no change was made.
    pub(super) fn wait<T>(
        &self,
        asked: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, KeyStoreError> {
        let answered = self.client.wait(self.timeout, asked);
        answered.map_err(|failure| {
            self.is_broken.set(self.is_broken.get() || failure.breaks());
            failure.explained(self.attempt, CommitOutcome::NotMade, self.client.address())
        })
    }

    /// Commits. If that fails, the changes may have been made.
    pub(super) fn commit(self) -> Result<(), KeyStoreError> {
        let Self {
            client,
            timeout,
            inner,
            attempt,
            is_broken,
        } = self;
        let committed = client.wait(timeout, async { Ok(inner.commit().await?) });
        committed.map_err(|failure| {
            is_broken.set(is_broken.get() || failure.breaks());
            failure.explained(attempt, CommitOutcome::Unknown, client.address())
        })
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
        let rows = async { Ok(self.inner.query(sql, &parameters).await?) };
        let rows = self.wait(rows)?;
        rows.iter().try_for_each(|row| each(row))
    }

    fn execute(&self, sql: &str, parameters: &[Value<'_>]) -> Result<(), KeyStoreError> {
        let parameters = in_postgres(parameters);
        let done = async { Ok(self.inner.execute(sql, &parameters).await?) };
        self.wait(done).map(drop)
    }
}

fn in_postgres<'p>(parameters: &'p [Value<'_>]) -> Vec<&'p (dyn ToSql + Sync)> {
    let parameters = parameters.iter();
    parameters
        .map(|value| value as &(dyn ToSql + Sync))
        .collect()
}

const DIALECT: Dialect = Dialect {
    revision: "SELECT number || '-' || token AS revision FROM catalogue.revision",
    defer_references: "SET CONSTRAINTS ALL DEFERRED",
    last_number: "SELECT coalesce(pg_sequence_last_value(pg_get_serial_sequence(
            'catalogue.' || $1::text, CASE $1::text WHEN 'subscriptions' THEN 'id' ELSE 'number' END
        )::regclass), 0) AS number",
    set_last_number: "SELECT setval(pg_get_serial_sequence(
            'catalogue.' || $1::text, CASE $1::text WHEN 'subscriptions' THEN 'id' ELSE 'number' END
        ), greatest($2::bigint, 1), 0 < $2::bigint)",
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
