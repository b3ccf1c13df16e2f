//! The schema, and how a database identifies its version and owner.
//!
//! An explicit command migrates, step by step. A step names the oldest version whose programs still
//! work with it, so that servers can be replaced one by one.

use tokio_postgres::Client;
use tokio_postgres::types::Type;

use crate::keys::postgres::PostgresAddress;
use crate::keys::postgres::client::{PgClient, Timeout};
use crate::keys::postgres::database::Database;
use crate::keys::postgres::failure::Failure;
use crate::keys::store::{CHANGE, KeyStoreError};
use crate::keys::transaction::Transaction as _;

/// Versions of before the first release, which no program reads any more.
const FORMER: i64 = 2;
/// The version of the tables: the number of steps taken, and of former versions.
pub const VERSION: i64 = FORMER + 1;
/// The oldest version of the tables that this program works with.
const OLDEST: i64 = VERSION;
/// Marks the tables as ours.
const PROGRAM: &str = "boat catalogue";

/// From one version to the next.
pub(super) struct Step {
    pub(super) sql: &'static str,
    /// The version that programs must at least know to work with these tables.
    pub(super) oldest_reader: i64,
}

/// Past steps never change, since databases were made by them.
pub(super) const STEPS: [Step; 1] = [Step {
    sql: include_str!("tables.sql"),
    oldest_reader: VERSION,
}];

/// What a database says about its tables.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// Nothing yet.
    Empty,
    /// Tables that this program can work with, of that version.
    Usable(i64),
    /// Our tables, too old to work with.
    Older(i64),
    /// Our tables, of a later version that this program may not work with.
    Newer(i64),
    /// Tables of another program.
    Foreign,
}

/// What was done to bring a database up to date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completed {
    /// The version before; 0 for none.
    pub before: i64,
    /// The version now.
    pub now: i64,
}

const LOCK: &str = "SELECT pg_advisory_xact_lock(hashtext('catalogue.schema'))";

/// Whether the schema is there, whether it is empty, and whether it says a version.
const LOOK: &str = "SELECT
    EXISTS (SELECT FROM pg_class WHERE relnamespace = to_regnamespace('catalogue')) AS has_any,
    to_regclass('catalogue.schema') IS NOT NULL AS has_version";
const READ: &str = "SELECT version, oldest_reader FROM catalogue.schema WHERE program = $1";

/// The database administrator may have created the schema for this program's user.
const BEGIN: &str = "
CREATE SCHEMA IF NOT EXISTS catalogue;
CREATE TABLE catalogue.schema (program text NOT NULL, version bigint NOT NULL, oldest_reader bigint NOT NULL);
REVOKE ALL ON SCHEMA catalogue FROM PUBLIC;";

/// Reads what the database says about itself.
pub(super) async fn find(client: &Client) -> Result<Found, Failure> {
    let looked = client.query_typed_one(LOOK, &[]).await?;
    let (has_any, has_version) = (looked.try_get("has_any")?, looked.try_get("has_version")?);
    match (has_any, has_version) {
        (false, _) => return Ok(Found::Empty),
        (true, false) => return Ok(Found::Foreign),
        (true, true) => {}
    }
    let read = client
        .query_typed_opt(READ, &[(&PROGRAM, Type::TEXT)])
        .await;
    let Some(row) = read.or_else(foreign)? else {
        return Ok(Found::Foreign);
    };
    Ok(Found::of(row.try_get(0)?, row.try_get(1)?))
}

/// A table of that name with other columns is another program's.
fn foreign<T>(error: tokio_postgres::Error) -> Result<Option<T>, Failure> {
    match error.code() {
        Some(code) if *code == tokio_postgres::error::SqlState::UNDEFINED_COLUMN => Ok(None),
        _ => Err(error.into()),
    }
}

impl Found {
    /// Tables of ours.
    pub(super) fn of(version: i64, oldest_reader: i64) -> Self {
        if version <= FORMER {
            return Self::Foreign;
        }
        if version < OLDEST {
            return Self::Older(version);
        }
        if VERSION < oldest_reader {
            return Self::Newer(version);
        }
        Self::Usable(version)
    }

    /// The version, or why this program cannot work with what was found at `address`.
    pub(super) fn usable(self, address: &PostgresAddress) -> Result<i64, KeyStoreError> {
        let location = address.location();
        Err(match self {
            Self::Usable(version) => return Ok(version),
            Self::Empty => KeyStoreError::Missing { location },
            Self::Foreign => KeyStoreError::Foreign { location },
            Self::Older(found) => KeyStoreError::Older {
                location,
                found,
                needed: OLDEST,
            },
            Self::Newer(found) => KeyStoreError::Newer {
                location,
                found,
                known: VERSION,
            },
        })
    }
}

/// Creates the tables in an empty database: all of them or none. If they exist, nothing changes.
pub fn make(client: &PgClient) -> Result<Completed, KeyStoreError> {
    complete(client, |before| before == 0)
}

/// Takes the steps that an older store lacks: all of them or none.
pub fn migrate(client: &PgClient) -> Result<Completed, KeyStoreError> {
    let completed = complete(client, |before| before != 0)?;
    if completed.now == 0 {
        let location = client.address().location();
        return Err(KeyStoreError::Missing { location });
    }
    Ok(completed)
}

fn complete(client: &PgClient, is_meant: fn(i64) -> bool) -> Result<Completed, KeyStoreError> {
    let mut database = Database::unchecked(client, Timeout::ALL_ROWS);
    database.in_transaction(CHANGE, |transaction| {
        // Keeps others out until the transaction ends.
        transaction.execute(LOCK, &[])?;
        let before = match transaction.wait(find(transaction.library()))? {
            Found::Empty => 0,
            Found::Older(version) => version,
            found => found.usable(client.address())?,
        };
        if !is_meant(before) || VERSION <= before {
            return Ok(Completed {
                before,
                now: before,
            });
        }
        transaction.wait(take(transaction.library(), before, &STEPS))?;
        let now = VERSION;
        Ok(Completed { before, now })
    })
}

/// Takes those of the steps that come after version `before`, in the transaction of a connection.
pub(super) async fn take(transaction: &Client, before: i64, steps: &[Step]) -> Result<(), Failure> {
    if before == 0 {
        transaction.batch_execute(BEGIN).await?;
        let mark = "INSERT INTO catalogue.schema VALUES ($1, $2, 0)";
        let program = [(&PROGRAM as _, Type::TEXT), (&FORMER as _, Type::INT8)];
        transaction.execute_typed(mark, &program).await?;
    }
    let taken = usize::try_from(before - FORMER).unwrap_or(0);
    for step in steps.iter().skip(taken) {
        transaction.batch_execute(step.sql).await?;
        let count = "UPDATE catalogue.schema SET version = version + 1, oldest_reader = $1";
        let oldest_reader = [(&step.oldest_reader as _, Type::INT8)];
        transaction.execute_typed(count, &oldest_reader).await?;
    }
    Ok(())
}
