//! The rows of the audit log: written with a change, read by a command, nothing else.

use rusqlite::{Connection, Row, named_params};

use crate::keys::audit::{Entry, EntryQuery, Operator};
use crate::keys::contents::NumberedEntry;
use crate::keys::key::KeyId;
use crate::keys::name::Name;
use crate::keys::secret::KeyPrefix;
use crate::keys::sqlite::database::Stop;
use crate::keys::sqlite::rows::{parsed, parsed_option};
use crate::keys::subscription::SubscriptionId;
use crate::keys::tables::NewEntry;

/// Enters what `operator` did at `at`, in Unix seconds, with the next number where none is given.
pub(super) fn insert(
    connection: &Connection,
    number: Option<i64>,
    entry: &NewEntry,
    operator: &Operator,
    at: i64,
) -> Result<(), Stop> {
    let sql = "INSERT INTO audit 
        (number, at, uid, user, sudo_user, event, subscription, key, changes)
        VALUES (:number, :at, :uid, :user, :sudo_user, :event, :subscription, :key, :changes)";
    let changes = serde_json::to_string(&entry.changes);
    let unwritable = |error| rusqlite::Error::ToSqlConversionFailure(Box::new(error));
    connection.execute(
        sql,
        named_params! {
            ":number": number,
            ":at": at,
            ":uid": operator.uid,
            ":user": operator.user.as_ref().map(Name::as_str),
            ":sudo_user": operator.sudo_user.as_ref().map(Name::as_str),
            ":event": entry.event.as_str(),
            ":subscription": entry.subscription.0,
            ":key": entry.key.as_ref().map(KeyId::as_str),
            ":changes": changes.map_err(unwritable)?,
        },
    )?;
    Ok(())
}

/// The latest entries, the last one first.
pub(super) fn entries(connection: &Connection, query: &EntryQuery) -> rusqlite::Result<Vec<Entry>> {
    // Somebody may have removed a subscription by hand; what is logged of it stays.
    let sql = "SELECT audit.*, keys.prefix,
            coalesce(subscriptions.name, 'number ' || audit.subscription) AS name
        FROM audit
        LEFT JOIN subscriptions ON subscriptions.id = audit.subscription
        LEFT JOIN keys ON keys.id = audit.key
        WHERE (:key IS NULL OR audit.key = :key)
            AND (:subscription IS NULL OR audit.subscription = :subscription)
        ORDER BY audit.number DESC LIMIT :limit";
    let mut statement = connection.prepare(sql)?;
    let parameters = named_params! {
        ":key": query.key.as_ref().map(KeyId::as_str),
        ":subscription": query.subscription.map(|subscription| subscription.0),
        ":limit": query.limit,
    };
    statement.query_map(parameters, read_entry)?.collect()
}

/// When the latest entry was made, by its time and not by its number.
pub(super) fn last_change(connection: &Connection) -> rusqlite::Result<Option<i64>> {
    connection.query_row("SELECT max(at) FROM audit", [], |row| row.get(0))
}

fn read_entry(row: &Row<'_>) -> rusqlite::Result<Entry> {
    let id = parsed_option(row, "key", KeyId::parse)?;
    let prefix = parsed_option(row, "prefix", KeyPrefix::parse)?;
    Ok(Entry {
        at: row.get("at")?,
        operator: read_operator(row)?,
        event: parsed(row, "event", str::parse)?,
        subscription: parsed(row, "name", Name::parse)?,
        key: id.zip(prefix),
        changes: parsed(row, "changes", |text| serde_json::from_str(text))?,
    })
}

/// A row as it is kept.
pub(super) fn read_numbered(row: &Row<'_>) -> rusqlite::Result<NumberedEntry> {
    Ok(NumberedEntry {
        number: row.get("number")?,
        at: row.get("at")?,
        operator: read_operator(row)?,
        entry: NewEntry {
            event: parsed(row, "event", str::parse)?,
            subscription: SubscriptionId(row.get("subscription")?),
            key: parsed_option(row, "key", KeyId::parse)?,
            changes: parsed(row, "changes", |text| serde_json::from_str(text))?,
        },
    })
}

fn read_operator(row: &Row<'_>) -> rusqlite::Result<Operator> {
    Ok(Operator {
        uid: row.get("uid")?,
        user: parsed_option(row, "user", Name::parse)?,
        sudo_user: parsed_option(row, "sudo_user", Name::parse)?,
    })
}
