//! Rows as keys, subscriptions and usage, and back. A row that cannot be read is a damaged store.

use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension, Row, named_params, params};

use crate::keys::key::{Key, KeyId};
use crate::keys::name::Name;
use crate::keys::quota::Period;
use crate::keys::scope::{Scope, Scopes, UnknownScope};
use crate::keys::secret::{KeyHash, KeyPrefix};
use crate::keys::store::{KeyReference, Revision};
use crate::keys::subscription::{Subscription, SubscriptionId};

/// The state that keys and subscriptions are in: its number for whoever reads it, and its token,
/// which no other state has.
pub(super) fn revision(connection: &Connection) -> rusqlite::Result<Revision> {
    let sql = "SELECT number || '-' || lower(hex(token)) FROM revision";
    connection.query_row(sql, [], |row| row.get(0).map(Revision))
}

/// All subscriptions, in the order of their creation.
pub(super) fn subscriptions(connection: &Connection) -> rusqlite::Result<Vec<Subscription>> {
    let mut statement = connection.prepare_cached("SELECT * FROM subscriptions ORDER BY id")?;
    statement.query_map([], read_subscription)?.collect()
}

/// The subscription of that name.
pub(super) fn subscription_named(
    connection: &Connection,
    name: &Name,
) -> rusqlite::Result<Option<Subscription>> {
    let sql = "SELECT * FROM subscriptions WHERE name = ?1";
    connection
        .query_row(sql, [name.as_str()], read_subscription)
        .optional()
}

/// The subscription of that number.
pub(super) fn subscription_numbered(
    connection: &Connection,
    id: SubscriptionId,
) -> rusqlite::Result<Option<Subscription>> {
    let sql = "SELECT * FROM subscriptions WHERE id = ?1";
    connection
        .query_row(sql, [id.0], read_subscription)
        .optional()
}

/// All keys, in the order of their issue.
pub(super) fn keys(connection: &Connection) -> rusqlite::Result<Vec<Key>> {
    let mut statement = connection.prepare_cached("SELECT * FROM keys ORDER BY number")?;
    statement.query_map([], read_key)?.collect()
}

/// All keys with their numbers, in that order.
pub(super) fn numbered_keys(connection: &Connection) -> rusqlite::Result<Vec<(i64, Key)>> {
    let mut statement = connection.prepare_cached("SELECT * FROM keys ORDER BY number")?;
    let read = |row: &Row<'_>| Ok((row.get("number")?, read_key(row)?));
    statement.query_map([], read)?.collect()
}

/// The key with that id or prefix.
pub(super) fn find_key(
    connection: &Connection,
    reference: &KeyReference,
) -> rusqlite::Result<Option<Key>> {
    let (sql, text) = match reference {
        KeyReference::Id(id) => ("SELECT * FROM keys WHERE id = ?1", id.as_str()),
        KeyReference::Prefix(prefix) => ("SELECT * FROM keys WHERE prefix = ?1", prefix.as_str()),
    };
    connection.query_row(sql, [text], read_key).optional()
}

/// Enters a key.
pub(super) fn insert_key(connection: &Connection, key: &Key) -> rusqlite::Result<()> {
    let sql = "INSERT INTO keys
        (id, family, prefix, hash, subscription, environment, scopes, name, rate_limit, created_at,
         expires_at)
        VALUES (:id, :family, :prefix, :hash, :subscription, :environment, :scopes, :name,
         :rate_limit, :created_at, :expires_at)";
    connection.execute(
        sql,
        named_params! {
            ":id": key.id.as_str(),
            ":family": key.family.as_str(),
            ":prefix": key.prefix.as_str(),
            ":hash": key.hash.as_bytes(),
            ":subscription": key.subscription.0,
            ":environment": key.environment.as_str(),
            ":scopes": key.scopes.join(" "),
            ":name": key.name.as_ref().map(Name::as_str),
            ":rate_limit": key.rate_limit,
            ":created_at": key.created_at,
            ":expires_at": key.expires_at,
        },
    )?;
    Ok(())
}

/// Stores what may change of a key.
pub(super) fn update_key(connection: &Connection, key: &Key) -> rusqlite::Result<()> {
    let sql = "UPDATE keys SET revoked_at = :revoked_at, disabled_at = :disabled_at,
        replaced_by = :replaced_by, grace_ends_at = :grace_ends_at WHERE id = :id";
    connection.execute(
        sql,
        named_params! {
            ":revoked_at": key.revoked_at,
            ":disabled_at": key.disabled_at,
            ":replaced_by": key.replaced_by.as_ref().map(KeyId::as_str),
            ":grace_ends_at": key.grace_ends_at,
            ":id": key.id.as_str(),
        },
    )?;
    Ok(())
}

/// What is charged of a period so far.
pub(super) fn charged(
    connection: &Connection,
    subscription: SubscriptionId,
    period: Period,
) -> rusqlite::Result<u64> {
    let sql = "SELECT charged FROM usage WHERE subscription = ?1 AND period_start = ?2";
    let read = |row: &Row<'_>| row.get::<_, i64>(0);
    let charged = connection
        .query_row(sql, [subscription.0, period.start], read)
        .optional()?;
    Ok(charged.unwrap_or(0).unsigned_abs())
}

/// When the latest period began of which anything is charged.
pub(super) fn latest_charged(connection: &Connection) -> rusqlite::Result<Option<i64>> {
    let sql = "SELECT max(period_start) FROM usage WHERE 0 < charged";
    connection.query_row(sql, [], |row| row.get(0))
}

/// Stores what is charged of a period.
pub(super) fn set_charged(
    connection: &Connection,
    subscription: SubscriptionId,
    period: Period,
    charged: u64,
) -> rusqlite::Result<()> {
    let sql = "INSERT INTO usage (subscription, period_start, period_end, charged)
        VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT DO UPDATE SET charged = excluded.charged";
    let (number, Period { start, end }) = (charged.cast_signed(), period);
    connection.execute(sql, params![subscription.0, start, end, number])?;
    Ok(())
}

fn read_subscription(row: &Row<'_>) -> rusqlite::Result<Subscription> {
    Ok(Subscription {
        id: SubscriptionId(row.get("id")?),
        name: parsed(row, "name", Name::parse)?,
        plan: parsed(row, "plan", str::parse)?,
        status: parsed(row, "status", str::parse)?,
        quota: row.get::<_, i64>("quota")?.unsigned_abs(),
        started_at: row.get("started_at")?,
        created_at: row.get("created_at")?,
    })
}

fn read_key(row: &Row<'_>) -> rusqlite::Result<Key> {
    Ok(Key {
        id: parsed(row, "id", KeyId::parse)?,
        family: parsed(row, "family", KeyId::parse)?,
        prefix: parsed(row, "prefix", KeyPrefix::parse)?,
        hash: KeyHash::from_bytes(row.get("hash")?),
        subscription: SubscriptionId(row.get("subscription")?),
        environment: parsed(row, "environment", str::parse)?,
        scopes: parsed(row, "scopes", parse_scopes)?,
        name: parsed_option(row, "name", Name::parse)?,
        rate_limit: row.get("rate_limit")?,
        created_at: row.get("created_at")?,
        expires_at: row.get("expires_at")?,
        revoked_at: row.get("revoked_at")?,
        disabled_at: row.get("disabled_at")?,
        replaced_by: parsed_option(row, "replaced_by", KeyId::parse)?,
        grace_ends_at: row.get("grace_ends_at")?,
    })
}

fn parse_scopes(text: &str) -> Result<Scopes, UnknownScope> {
    text.split(' ').map(str::parse::<Scope>).collect()
}

/// The text of a column, read as something.
pub(super) fn parsed<T, E>(
    row: &Row<'_>,
    column: &str,
    parse: impl FnOnce(&str) -> Result<T, E>,
) -> rusqlite::Result<T>
where
    E: std::error::Error + Send + Sync + 'static,
{
    let index = row.as_ref().column_index(column)?;
    let unreadable =
        |error: E| rusqlite::Error::FromSqlConversionFailure(index, Type::Text, Box::new(error));
    parse(&row.get::<_, String>(index)?).map_err(unreadable)
}

/// The text of a column that may have none.
pub(super) fn parsed_option<T, E>(
    row: &Row<'_>,
    column: &str,
    parse: impl FnOnce(&str) -> Result<T, E>,
) -> rusqlite::Result<Option<T>>
where
    E: std::error::Error + Send + Sync + 'static,
{
    match row.get_ref(column)? {
        rusqlite::types::ValueRef::Null => Ok(None),
        _ => parsed(row, column, parse).map(Some),
    }
}
