//! All rows of a database, for another store, and those of another store, for empty tables.
//!
//! Rows are entered many at a time, as one JSON text that the database takes apart: the names in it
//! are those of the columns.

use serde_json::{Value, json};
use tokio_postgres::Row;

use crate::keys::contents::{Contents, NumberedEntry, Numbers, Usage};
use crate::keys::key::{Key, KeyId};
use crate::keys::name::Name;
use crate::keys::postgres::failure::Stop;
use crate::keys::postgres::rows::{count, parsed, read_key, read_subscription, value};
use crate::keys::postgres::tables::Session;
use crate::keys::postgres::{audit, rows};
use crate::keys::quota::Period;
use crate::keys::store::KeyStoreError;
use crate::keys::subscription::{Subscription, SubscriptionId};

/// Rows that are entered at a time.
const ROWS_MAX: usize = 1000;

/// Tables that number their rows, and the column.
const NUMBERED: [(&str, &str); 3] = [
    ("subscriptions", "id"),
    ("keys", "number"),
    ("audit", "number"),
];

/// Every row.
pub(super) fn contents(session: &Session<'_>) -> Result<Contents, Stop> {
    let [subscriptions, keys, entries] = NUMBERED;
    Ok(Contents {
        subscriptions: session.all(rows::SUBSCRIPTIONS, &[], read_subscription)?,
        keys: session.all(rows::KEYS, &[], |row| {
            Ok((value(row, "number")?, read_key(row)?))
        })?,
        usage: session.all(
            "SELECT * FROM catalogue.usage ORDER BY subscription, period_start",
            &[],
            read_usage,
        )?,
        last_uses: session.all(
            "SELECT * FROM catalogue.last_uses ORDER BY key",
            &[],
            |row| Ok((parsed(row, "key", KeyId::parse)?, value(row, "at")?)),
        )?,
        entries: session.all(
            "SELECT * FROM catalogue.audit ORDER BY number",
            &[],
            audit::read_numbered,
        )?,
        numbers: Numbers {
            subscriptions: number(session, subscriptions)?,
            keys: number(session, keys)?,
            entries: number(session, entries)?,
        },
    })
}

/// Enters every row. Keys may name others that come after them.
pub(super) fn fill(session: &Session<'_>, contents: &Contents) -> Result<(), Stop> {
    if !self::contents(session)?.is_empty() {
        let location = session.location();
        return Err(KeyStoreError::NotEmpty { location }.into());
    }
    session.batch("SET CONSTRAINTS ALL DEFERRED")?;
    let subscriptions = contents.subscriptions.iter().map(subscription_row);
    insert(session, "subscriptions", subscriptions)?;
    let keys = contents.keys.iter();
    let keys = keys.map(|(number, key)| key_row(*number, key));
    insert(session, "keys", keys)?;
    insert(session, "usage", contents.usage.iter().map(usage_row))?;
    let last_uses = contents.last_uses.iter();
    let last_uses = last_uses.map(|(key, at)| json!({"key": key.as_str(), "at": at}));
    insert(session, "last_uses", last_uses)?;
    insert(session, "audit", contents.entries.iter().map(entry_row))?;
    let numbers = contents.numbers;
    let numbers = [numbers.subscriptions, numbers.keys, numbers.entries];
    for ((table, column), number) in NUMBERED.into_iter().zip(numbers) {
        let sql = "SELECT setval(pg_get_serial_sequence($1, $2), greatest($3::bigint, 1), 0 < $3::bigint)";
        let table = format!("catalogue.{table}");
        session.execute(sql, &[&table, &column, &number])?;
    }
    Ok(())
}

fn insert(
    session: &Session<'_>,
    table: &str,
    rows: impl Iterator<Item = Value>,
) -> Result<(), Stop> {
    let sql = format!(
        "INSERT INTO catalogue.{table}
         SELECT * FROM json_populate_recordset(NULL::catalogue.{table}, $1::text::json)"
    );
    let rows: Vec<Value> = rows.collect();
    for rows in rows.chunks(ROWS_MAX) {
        let text = Value::from(rows).to_string();
        session.execute(&sql, &[&text])?;
    }
    Ok(())
}

fn subscription_row(subscription: &Subscription) -> Value {
    json!({
        "id": subscription.id.0,
        "name": subscription.name.as_str(),
        "plan": subscription.plan.as_str(),
        "status": subscription.status.as_str(),
        "quota": subscription.quota,
        "started_at": subscription.started_at,
        "created_at": subscription.created_at,
    })
}

fn key_row(number: i64, key: &Key) -> Value {
    json!({
        "number": number,
        "id": key.id.as_str(),
        "family": key.family.as_str(),
        "prefix": key.prefix.as_str(),
        "hash": bytea(key.hash.as_bytes()),
        "subscription": key.subscription.0,
        "environment": key.environment.as_str(),
        "scopes": key.scopes.join(" "),
        "name": key.name.as_ref().map(Name::as_str),
        "rate_limit": key.rate_limit,
        "created_at": key.created_at,
        "expires_at": key.expires_at,
        "revoked_at": key.revoked_at,
        "disabled_at": key.disabled_at,
        "replaced_by": key.replaced_by.as_ref().map(KeyId::as_str),
        "grace_ends_at": key.grace_ends_at,
    })
}

/// Bytes as PostgreSQL reads them from a text.
fn bytea(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    let hex = bytes.iter().fold(String::new(), |mut hex, byte| {
        // Writing to a text does not fail.
        _ = write!(hex, "{byte:02x}");
        hex
    });
    format!("\\x{hex}")
}

fn usage_row(usage: &Usage) -> Value {
    json!({
        "subscription": usage.subscription.0,
        "period_start": usage.period.start,
        "period_end": usage.period.end,
        "charged": usage.charged,
    })
}

fn entry_row(numbered: &NumberedEntry) -> Value {
    let NumberedEntry {
        operator, entry, ..
    } = numbered;
    json!({
        "number": numbered.number,
        "at": numbered.at,
        "uid": operator.uid,
        "user": operator.user.as_ref().map(Name::as_str),
        "sudo_user": operator.sudo_user.as_ref().map(Name::as_str),
        "event": entry.event.as_str(),
        "subscription": entry.subscription.0,
        "key": entry.key.as_ref().map(KeyId::as_str),
        "changes": json!(entry.changes).to_string(),
    })
}

fn read_usage(row: &Row) -> Result<Usage, Stop> {
    Ok(Usage {
        subscription: SubscriptionId(value(row, "subscription")?),
        period: Period {
            start: value(row, "period_start")?,
            end: value(row, "period_end")?,
        },
        charged: count(row, "charged")?,
    })
}

/// The highest number that a table ever gave.
fn number(session: &Session<'_>, (table, column): (&str, &str)) -> Result<i64, Stop> {
    let sequence = format!(
        "SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS number
        FROM catalogue.{table}_{column}_seq"
    );
    let number = session.one(&sequence, &[], |row| value(row, "number"))?;
    Ok(number.unwrap_or(0))
}
