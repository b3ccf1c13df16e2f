//! The tables in a database, and how a database says whose they are and of which version.

use tokio_postgres::Client;
use tokio_postgres::types::Type;

use crate::keys::postgres::failure::Failure;
use crate::keys::tables::{Found, VERSION, in_postgres};

/// Marks the tables as ours.
const PROGRAM: &str = "boat catalogue";

/// Whether the schema is there, whether it is empty, and whether it says a version.
const CHECK: &str = "SELECT
    EXISTS (SELECT FROM pg_class WHERE relnamespace = to_regnamespace('catalogue')) AS has_any,
    to_regclass('catalogue.schema') IS NOT NULL AS has_version";
const READ: &str = "SELECT version, oldest_reader FROM catalogue.schema WHERE program = $1";

/// The database administrator may have created the schema for this program's user.
const BEGIN: &str = "
CREATE SCHEMA IF NOT EXISTS catalogue;
CREATE TABLE catalogue.schema (program text NOT NULL, version bigint NOT NULL, oldest_reader bigint NOT NULL);
REVOKE ALL ON SCHEMA catalogue FROM PUBLIC;";

/// Entries of the audit log are only added: its owner has no other right to it either. A row of
/// usage is updated all the time.
const END: &str = "
REVOKE UPDATE, DELETE, TRUNCATE ON catalogue.audit FROM CURRENT_USER;
ALTER TABLE catalogue.usage SET (fillfactor = 50);";
const MARK: &str = "INSERT INTO catalogue.schema VALUES ($1, $2, $2)";

/// Reads what the database says about itself.
pub(super) async fn find(client: &Client) -> Result<Found, Failure> {
    let checked = client.query_typed_one(CHECK, &[]).await?;
    let (has_any, has_version) = (checked.try_get("has_any")?, checked.try_get("has_version")?);
    match (has_any, has_version) {
        (false, _) => return Ok(Found::Nothing),
        (true, false) => return Ok(Found::Foreign),
        (true, true) => {}
    }
    let read = client
        .query_typed_opt(READ, &[(&PROGRAM, Type::TEXT)])
        .await;
    let Some(row) = read.or_else(foreign)? else {
        return Ok(Found::Foreign);
    };
    Ok(Found::Ours {
        version: row.try_get("version")?,
        oldest_reader: row.try_get("oldest_reader")?,
    })
}

/// A table of that name with other columns is another program's.
fn foreign<T>(error: tokio_postgres::Error) -> Result<Option<T>, Failure> {
    match error.code() {
        Some(code) if *code == tokio_postgres::error::SqlState::UNDEFINED_COLUMN => Ok(None),
        _ => Err(error.into()),
    }
}

/// Makes the tables in an empty database, in the transaction of a connection.
pub(super) async fn make(client: &Client) -> Result<(), Failure> {
    client.batch_execute(BEGIN).await?;
    client.batch_execute(&in_postgres()).await?;
    client.batch_execute(END).await?;
    let mark = [(&PROGRAM as _, Type::TEXT), (&VERSION as _, Type::INT8)];
    client.execute_typed(MARK, &mark).await?;
    Ok(())
}
