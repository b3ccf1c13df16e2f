//! Rows as keys, subscriptions and usage. A row that cannot be read is a damaged store.

use std::error::Error;

use tokio_postgres::Row;
use tokio_postgres::types::FromSql;

use crate::keys::key::{Key, KeyId};
use crate::keys::name::Name;
use crate::keys::postgres::failure::Stop;
use crate::keys::scope::{Scope, Scopes, UnknownScope};
use crate::keys::secret::{KeyHash, KeyPrefix};
use crate::keys::subscription::{Subscription, SubscriptionId};

pub(super) const REVISION: &str =
    "SELECT number || '-' || token AS revision FROM catalogue.revision";
pub(super) const SUBSCRIPTIONS: &str = "SELECT * FROM catalogue.subscriptions ORDER BY id";
pub(super) const KEYS: &str = "SELECT * FROM catalogue.keys ORDER BY number";

/// A value of a column.
pub(super) fn value<'a, T: FromSql<'a>>(row: &'a Row, column: &str) -> Result<T, Stop> {
    row.try_get(column).map_err(|error| damaged(column, &error))
}

/// The text of a column, read as something.
pub(super) fn parsed<T, E: Error>(
    row: &Row,
    column: &str,
    parse: impl FnOnce(&str) -> Result<T, E>,
) -> Result<T, Stop> {
    parse(value(row, column)?).map_err(|error| damaged(column, &error))
}

/// The text of a column that may have none.
pub(super) fn parsed_option<T, E: Error>(
    row: &Row,
    column: &str,
    parse: impl FnOnce(&str) -> Result<T, E>,
) -> Result<Option<T>, Stop> {
    let text: Option<&str> = value(row, column)?;
    let read = text.map(parse).transpose();
    read.map_err(|error| damaged(column, &error))
}

fn damaged(column: &str, error: &dyn Error) -> Stop {
    Stop::Damaged(format!("column {column}: {error}"))
}

/// A count, which is never negative in our tables.
pub(super) fn count(row: &Row, column: &str) -> Result<u64, Stop> {
    Ok(value::<i64>(row, column)?.unsigned_abs())
}

pub(super) fn read_subscription(row: &Row) -> Result<Subscription, Stop> {
    Ok(Subscription {
        id: SubscriptionId(value(row, "id")?),
        name: parsed(row, "name", Name::parse)?,
        plan: parsed(row, "plan", str::parse)?,
        status: parsed(row, "status", str::parse)?,
        quota: count(row, "quota")?,
        started_at: value(row, "started_at")?,
        created_at: value(row, "created_at")?,
    })
}

pub(super) fn read_key(row: &Row) -> Result<Key, Stop> {
    let rate_limit: Option<i64> = value(row, "rate_limit")?;
    let hash: &[u8] = value(row, "hash")?;
    Ok(Key {
        id: parsed(row, "id", KeyId::parse)?,
        family: parsed(row, "family", KeyId::parse)?,
        prefix: parsed(row, "prefix", KeyPrefix::parse)?,
        hash: KeyHash::from_bytes(hash.try_into().map_err(|error| damaged("hash", &error))?),
        subscription: SubscriptionId(value(row, "subscription")?),
        environment: parsed(row, "environment", str::parse)?,
        scopes: parsed(row, "scopes", parse_scopes)?,
        name: parsed_option(row, "name", Name::parse)?,
        rate_limit: rate_limit
            .map(u32::try_from)
            .transpose()
            .map_err(|error| damaged("rate_limit", &error))?,
        created_at: value(row, "created_at")?,
        expires_at: value(row, "expires_at")?,
        revoked_at: value(row, "revoked_at")?,
        disabled_at: value(row, "disabled_at")?,
        replaced_by: parsed_option(row, "replaced_by", KeyId::parse)?,
        grace_ends_at: value(row, "grace_ends_at")?,
    })
}

fn parse_scopes(text: &str) -> Result<Scopes, UnknownScope> {
    text.split(' ').map(str::parse::<Scope>).collect()
}
