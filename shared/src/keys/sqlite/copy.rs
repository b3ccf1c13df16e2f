//! All rows of a SQLite file, for another store, and those of another store, for a new file.

use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};

use crate::keys::contents::{Contents, NumberedEntry, Numbers, Usage};
use crate::keys::key::KeyId;
use crate::keys::quota::Period;
use crate::keys::sqlite::database::Stop;
use crate::keys::sqlite::rows::parsed;
use crate::keys::sqlite::{audit, rows};
use crate::keys::store::KeyStoreError;
use crate::keys::subscription::{Subscription, SubscriptionId};

/// Every row.
pub(super) fn contents(connection: &Connection) -> Result<Contents, Stop> {
    let number = |table| number(connection, table);
    Ok(Contents {
        subscriptions: rows::subscriptions(connection)?,
        keys: rows::numbered_keys(connection)?,
        usage: usage(connection)?,
        last_uses: last_uses(connection)?,
        entries: entries(connection)?,
        numbers: Numbers {
            subscriptions: number("subscriptions")?,
            keys: number("keys")?,
            entries: number("audit")?,
        },
    })
}

/// Enters every row. Keys may name others that come after them.
pub(super) fn fill(transaction: &Transaction<'_>, contents: &Contents) -> Result<(), Stop> {
    if !self::contents(transaction)?.is_empty() {
        let location = transaction.path().unwrap_or_default().to_owned();
        return Err(KeyStoreError::NotEmpty { location }.into());
    }
    transaction.pragma_update(None, "defer_foreign_keys", true)?;
    for subscription in &contents.subscriptions {
        insert_subscription(transaction, subscription)?;
    }
    for (number, key) in &contents.keys {
        rows::insert_key(transaction, key)?;
        rows::update_key(transaction, key)?;
        let sql = "UPDATE keys SET number = ?2 WHERE id = ?1";
        transaction.execute(sql, params![key.id.as_str(), number])?;
    }
    for usage in &contents.usage {
        rows::set_charged(transaction, usage.subscription, usage.period, usage.charged)?;
    }
    for (key, at) in &contents.last_uses {
        let sql = "INSERT INTO last_uses (key, at) VALUES (?1, ?2)";
        transaction.execute(sql, params![key.as_str(), at])?;
    }
    for numbered in &contents.entries {
        let NumberedEntry { number, at, .. } = numbered;
        let (entry, operator) = (&numbered.entry, &numbered.operator);
        audit::insert(transaction, Some(*number), entry, operator, *at)?;
    }
    let numbers = contents.numbers;
    for (table, number) in [
        ("subscriptions", numbers.subscriptions),
        ("keys", numbers.keys),
        ("audit", numbers.entries),
    ] {
        set_number(transaction, table, number)?;
    }
    Ok(())
}

fn insert_subscription(
    connection: &Connection,
    subscription: &Subscription,
) -> rusqlite::Result<()> {
    let sql = "INSERT INTO subscriptions (id, name, plan, status, quota, started_at, created_at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    connection.execute(
        sql,
        params![
            subscription.id.0,
            subscription.name.as_str(),
            subscription.plan.as_str(),
            subscription.status.as_str(),
            subscription.quota.cast_signed(),
            subscription.started_at,
            subscription.created_at,
        ],
    )?;
    Ok(())
}

fn usage(connection: &Connection) -> rusqlite::Result<Vec<Usage>> {
    let sql = "SELECT * FROM usage ORDER BY subscription, period_start";
    let mut statement = connection.prepare(sql)?;
    let read = |row: &Row<'_>| {
        Ok(Usage {
            subscription: SubscriptionId(row.get("subscription")?),
            period: Period {
                start: row.get("period_start")?,
                end: row.get("period_end")?,
            },
            charged: row.get::<_, i64>("charged")?.unsigned_abs(),
        })
    };
    statement.query_map([], read)?.collect()
}

fn last_uses(connection: &Connection) -> rusqlite::Result<Vec<(KeyId, i64)>> {
    let mut statement = connection.prepare("SELECT key, at FROM last_uses ORDER BY key")?;
    let read = |row: &Row<'_>| Ok((parsed(row, "key", KeyId::parse)?, row.get("at")?));
    statement.query_map([], read)?.collect()
}

fn entries(connection: &Connection) -> rusqlite::Result<Vec<NumberedEntry>> {
    let mut statement = connection.prepare("SELECT * FROM audit ORDER BY number")?;
    statement.query_map([], audit::read_numbered)?.collect()
}

/// The highest number that a table ever gave.
fn number(connection: &Connection, table: &str) -> rusqlite::Result<i64> {
    let sql = "SELECT seq FROM sqlite_sequence WHERE name = ?1";
    let number = connection.query_row(sql, [table], |row| row.get(0));
    Ok(number.optional()?.unwrap_or(0))
}

/// Where nothing was entered, SQLite has no row for the table yet.
fn set_number(connection: &Connection, table: &str, number: i64) -> rusqlite::Result<()> {
    let update = "UPDATE sqlite_sequence SET seq = ?2 WHERE name = ?1";
    if connection.execute(update, params![table, number])? == 0 && number != 0 {
        let insert = "INSERT INTO sqlite_sequence (name, seq) VALUES (?1, ?2)";
        connection.execute(insert, params![table, number])?;
    }
    Ok(())
}
