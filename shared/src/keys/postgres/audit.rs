//! The rows of the audit log.

use tokio_postgres::Row;

use crate::keys::audit::{Entry, Operator};
use crate::keys::contents::NumberedEntry;
use crate::keys::key::KeyId;
use crate::keys::name::Name;
use crate::keys::postgres::failure::Stop;
use crate::keys::postgres::rows::{parsed, parsed_option, value};
use crate::keys::secret::KeyPrefix;
use crate::keys::subscription::SubscriptionId;
use crate::keys::tables::NewEntry;

pub(super) const INSERT: &str = "INSERT INTO catalogue.audit
    (at, uid, \"user\", sudo_user, event, subscription, key, changes)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";

/// Somebody may have removed a subscription by hand; what is logged of it stays.
pub(super) const ENTRIES: &str = "SELECT audit.*, keys.prefix,
        coalesce(subscriptions.name, 'number ' || audit.subscription) AS name
    FROM catalogue.audit
    LEFT JOIN catalogue.subscriptions ON subscriptions.id = audit.subscription
    LEFT JOIN catalogue.keys ON keys.id = audit.key
    WHERE ($1::text IS NULL OR audit.key = $1)
        AND ($2::bigint IS NULL OR audit.subscription = $2)
    ORDER BY audit.number DESC LIMIT $3";

pub(super) fn read_entry(row: &Row) -> Result<Entry, Stop> {
    let id = parsed_option(row, "key", KeyId::parse)?;
    let prefix = parsed_option(row, "prefix", KeyPrefix::parse)?;
    Ok(Entry {
        at: value(row, "at")?,
        operator: read_operator(row)?,
        event: parsed(row, "event", str::parse)?,
        subscription: parsed(row, "name", Name::parse)?,
        key: id.zip(prefix),
        changes: parsed(row, "changes", |text| serde_json::from_str(text))?,
    })
}

/// A row as it is kept.
pub(super) fn read_numbered(row: &Row) -> Result<NumberedEntry, Stop> {
    Ok(NumberedEntry {
        number: value(row, "number")?,
        at: value(row, "at")?,
        operator: read_operator(row)?,
        entry: NewEntry {
            event: parsed(row, "event", str::parse)?,
            subscription: SubscriptionId(value(row, "subscription")?),
            key: parsed_option(row, "key", KeyId::parse)?,
            changes: parsed(row, "changes", |text| serde_json::from_str(text))?,
        },
    })
}

fn read_operator(row: &Row) -> Result<Operator, Stop> {
    let uid: i64 = value(row, "uid")?;
    let unreadable = |error| Stop::Damaged(format!("column uid: {error}"));
    Ok(Operator {
        uid: u32::try_from(uid).map_err(unreadable)?,
        user: parsed_option(row, "user", Name::parse)?,
        sudo_user: parsed_option(row, "sudo_user", Name::parse)?,
    })
}
