//! How transactions begin, and a statement as a transaction of its own.
//!
//! A pooler in transaction mode gives each transaction whichever connection is free, and leaves the
//! connection to others as it is. So nothing is set for longer than a transaction, and no statement
//! has a name.

use futures_util::future::join3;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Row};

use crate::keys::postgres::client::{PgClient, Timeout};
use crate::keys::postgres::failure::Failure;

/// A parameter of a statement, and its type: otherwise the database would have to be asked for it.
pub(super) type Parameter<'p> = (&'p (dyn ToSql + Sync), Type);

/// What a transaction is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// One statement, which may do what the database usually allows.
    Once,
    /// To read a snapshot.
    Read,
    /// To change something. One that waits for a row continues with its latest version: a stricter
    /// isolation would fail.
    Change,
}

impl Mode {
    /// What begins a transaction whose statements may take as long as `timeout`.
    ///
    /// Unqualified names find nothing but what is built in, so nothing can be put in its place. A
    /// commit is durable, and waits for more where the database asks for that with `remote_apply`.
    pub(super) fn begin(self, client: &PgClient, timeout: Timeout) -> String {
        let millis = client.for_statements(timeout).as_millis();
        let begin = match self {
            Self::Once => "READ COMMITTED",
            Self::Read => "REPEATABLE READ, READ ONLY",
            Self::Change => "READ COMMITTED, READ WRITE",
        };
        format!(
            "BEGIN ISOLATION LEVEL {begin};
            SET LOCAL search_path = pg_catalog;
            SELECT set_config('statement_timeout', '{millis}', true),
                set_config('idle_in_transaction_session_timeout', '{millis}', true),
                set_config('synchronous_commit', CASE current_setting('synchronous_commit')
                    WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, true)"
        )
    }
}

/// Runs one statement of `client` on a `connection`, in a transaction in which nothing takes longer
/// than `timeout`: all of it in one round trip.
pub(super) async fn once(
    client: &PgClient,
    timeout: Timeout,
    connection: &Client,
    sql: &str,
    parameters: &[Parameter<'_>],
) -> Result<Vec<Row>, Failure> {
    let begin = Mode::Once.begin(client, timeout);
    // Each is sent when it is first polled, in this order.
    let all = join3(
        connection.batch_execute(&begin),
        connection.query_typed(sql, parameters),
        connection.batch_execute("COMMIT"),
    );
    let (opened, answered, committed) = all.await;
    match (opened, answered) {
        (Ok(()), Ok(rows)) => {
            committed?;
            Ok(rows)
        }
        (Ok(()), Err(refused)) => Err(refused.into()),
        // The error of the statement would only be that there is no transaction any more.
        (Err(refused), Err(_also)) => Err(refused.into()),
        // Without its settings, it may not last.
        (Err(refused), Ok(_rows)) => Err(Failure::Ended(refused.to_string())),
    }
}
