//! The rows of the audit log: written with a change, read by a command, nothing else.

use rusqlite::{Connection, Row, named_params};

use crate::keys::audit::{Change, Entry, EntryQuery, Event, Operator};
use crate::keys::key::{Key, KeyId};
use crate::keys::name::Name;
use crate::keys::secret::KeyPrefix;
use crate::keys::sqlite::database::Stop;
use crate::keys::sqlite::rows::{parsed, parsed_option};
use crate::keys::subscription::{Subscription, SubscriptionId};

/// What is entered of a change, besides who made it and when.
#[derive(Debug)]
pub(super) struct NewEntry {
    pub(super) event: Event,
    pub(super) subscription: SubscriptionId,
    pub(super) key: Option<KeyId>,
    pub(super) changes: Vec<Change>,
}

impl NewEntry {
    /// What became of a key, of a new one where there is none `before`.
    pub(super) fn of_key(event: Event, before: Option<&Key>, after: &Key) -> Self {
        Self {
            event,
            subscription: after.subscription,
            key: Some(after.id.clone()),
            changes: Change::of_key(before, after),
        }
    }

    /// What became of a subscription, of a new one where there is none `before`.
    pub(super) fn of_subscription(
        event: Event,
        before: Option<&Subscription>,
        after: &Subscription,
    ) -> Self {
        Self {
            event,
            subscription: after.id,
            key: None,
            changes: Change::of_subscription(before, after),
        }
    }
}

/// Enters what `operator` did at `at`, in Unix seconds.
pub(super) fn insert(
    connection: &Connection,
    entry: &NewEntry,
    operator: &Operator,
    at: i64,
) -> Result<(), Stop> {
    let sql = "INSERT INTO audit (at, uid, user, sudo_user, event, subscription, key, changes)
        VALUES (:at, :uid, :user, :sudo_user, :event, :subscription, :key, :changes)";
    let changes = serde_json::to_string(&entry.changes);
    let unwritable = |error| rusqlite::Error::ToSqlConversionFailure(Box::new(error));
    connection.execute(
        sql,
        named_params! {
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

fn read_entry(row: &Row<'_>) -> rusqlite::Result<Entry> {
    let id = parsed_option(row, "key", KeyId::parse)?;
    let prefix = parsed_option(row, "prefix", KeyPrefix::parse)?;
    Ok(Entry {
        at: row.get("at")?,
        operator: Operator {
            uid: row.get("uid")?,
            user: parsed_option(row, "user", Name::parse)?,
            sudo_user: parsed_option(row, "sudo_user", Name::parse)?,
        },
        event: parsed(row, "event", str::parse)?,
        subscription: parsed(row, "name", Name::parse)?,
        key: id.zip(prefix),
        changes: parsed(row, "changes", |text| serde_json::from_str(text))?,
    })
}
