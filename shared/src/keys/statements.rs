//! The statements that both databases share, and how their rows are read.
//!
//! The rules are in [`super::key_store`]; only [`fill`] refuses a store that is not empty. A row
//! that cannot be read is an error, never skipped.

use std::collections::HashMap;

use crate::base::operator::Operator;
use crate::keys::audit::{Entry, EntryQuery, NewEntry};
use crate::keys::contents::{Contents, KeyUsage, NumberedEntry, Overview, Usage};
use crate::keys::key::{Key, KeyId, KeyReference};
use crate::keys::last_use::{KeyUse, LastUse};
use crate::keys::ledger::Lease;
use crate::keys::name::Name;
use crate::keys::quota::Period;
use crate::keys::store::{KeySnapshot, KeyStoreError, Revision};
use crate::keys::subscription::{
    NewSubscription, Subscription, SubscriptionId, SubscriptionStatus,
};
use crate::keys::transaction::{Column, Row, Transaction, Unreadable, Value};

const SUBSCRIPTIONS: &str = "SELECT * FROM catalogue.subscriptions ORDER BY id";
const SUBSCRIPTION_NAMED: &str = "SELECT * FROM catalogue.subscriptions WHERE name = $1";
const SUBSCRIPTION_NUMBERED: &str = "SELECT * FROM catalogue.subscriptions WHERE id = $1";
const INSERT_SUBSCRIPTION: &str = "INSERT INTO catalogue.subscriptions
    (name, status, quota, started_at, created_at) VALUES ($1, $2, $3, $4, $4)";

const KEYS: &str = "SELECT * FROM catalogue.keys ORDER BY number";
const KEY_OF_ID: &str = "SELECT * FROM catalogue.keys WHERE id = $1";
const KEY_OF_PREFIX: &str = "SELECT * FROM catalogue.keys WHERE prefix = $1";

/// Takes up to `$4` requests of the quota: what was granted, and what of the period is taken in all;
/// no row if there is no such subscription.
const LEASE: &str = "
    INSERT INTO catalogue.usage (subscription, period_start, period_end, granted, charged)
    SELECT id, $2, $3,
        CASE WHEN quota < $4 THEN quota ELSE $4 END, CASE WHEN quota < $4 THEN quota ELSE $4 END
    FROM catalogue.subscriptions WHERE id = $1
    ON CONFLICT (subscription, period_start) DO UPDATE SET (granted, charged) = (
        SELECT lease.granted, usage.charged + lease.granted FROM (
            SELECT CASE
                WHEN quota < usage.charged THEN 0
                WHEN quota - usage.charged < $4 THEN quota - usage.charged
                ELSE $4
            END AS granted
            FROM catalogue.subscriptions WHERE id = $1
        ) AS lease
    )
    RETURNING granted, charged";
const GIVE_BACK: &str = "UPDATE catalogue.usage
    SET charged = CASE WHEN $3 < charged THEN charged - $3 ELSE 0 END
    WHERE subscription = $1 AND period_start = $2";
const CHARGED: &str =
    "SELECT charged FROM catalogue.usage WHERE subscription = $1 AND period_start = $2";
const LATEST_CHARGED: &str =
    "SELECT max(period_start) AS latest FROM catalogue.usage WHERE 0 < charged";
const USAGE: &str = "SELECT * FROM catalogue.usage ORDER BY subscription, period_start";

const LAST_USES: &str = "SELECT last_uses.key, last_uses.at, successors.created_at AS replaced_at
    FROM catalogue.last_uses JOIN catalogue.keys ON keys.id = last_uses.key
    LEFT JOIN catalogue.keys AS successors ON successors.id = keys.replaced_by";
// Both are ordered, so that two servers never wait for each other. ROWS are those that are used.
const RECORD_LATEST: &str = "
    INSERT INTO catalogue.last_uses (key, at)
    SELECT keys.id, max(used.column2) FROM (VALUES ROWS) AS used
    JOIN catalogue.keys ON keys.id = used.column1
    GROUP BY keys.id ORDER BY keys.id
    ON CONFLICT (key) DO UPDATE SET at = excluded.at WHERE last_uses.at < excluded.at";
const ADD_CHARGES: &str = "
    INSERT INTO catalogue.key_usage (key, period_end, charged)
    SELECT keys.id, used.column2, used.column3 FROM (VALUES ROWS) AS used
    JOIN catalogue.keys ON keys.id = used.column1
    ORDER BY keys.id, used.column2
    ON CONFLICT (key, period_end) DO UPDATE SET charged = key_usage.charged + excluded.charged";
const USAGE_BY_KEY: &str = "SELECT keys.*, coalesce(key_usage.charged, 0) AS charged
    FROM catalogue.keys LEFT JOIN catalogue.key_usage
        ON key_usage.key = keys.id AND key_usage.period_end = $2
    WHERE keys.subscription = $1 ORDER BY keys.number";
const ALL_KEY_USAGE: &str = "SELECT * FROM catalogue.key_usage ORDER BY key, period_end";
const ALL_LAST_USES: &str = "SELECT key, at FROM catalogue.last_uses ORDER BY key";

// A subscription may have been removed by hand; its log stays.
const ENTRIES: &str = "SELECT audit.*, keys.prefix,
        coalesce(subscriptions.name, 'number ' || audit.subscription) AS name
    FROM catalogue.audit
    LEFT JOIN catalogue.subscriptions ON subscriptions.id = audit.subscription
    LEFT JOIN catalogue.keys ON keys.id = audit.key
    WHERE (CAST($1 AS text) IS NULL OR audit.key = $1)
        AND (CAST($2 AS bigint) IS NULL OR audit.subscription = $2)
    ORDER BY audit.number DESC LIMIT $3";
const ALL_ENTRIES: &str = "SELECT * FROM catalogue.audit ORDER BY number";
/// The time of the latest entry: the largest time, not that of the largest number.
const LAST_CHANGE: &str = "SELECT max(at) AS latest FROM catalogue.audit";

const REVISION: &str = "SELECT number || '-' || token AS revision FROM catalogue.revision";

/// Rows that one statement inserts. Both databases take that many parameters: SQLite 32,766.
const ROWS_MAX: usize = 1000;

/// A type whose fields are columns of the same names.
trait Record: Sized {
    const COLUMNS: &'static [&'static str];

    fn read(row: &dyn Row) -> Result<Self, Unreadable>;

    /// The values of the columns, in their order.
    fn values(&self) -> Vec<Value<'_>>;
}

macro_rules! record {
    ($type:ident: $($column:ident)*) => {
        impl Record for $type {
            const COLUMNS: &'static [&'static str] = &[$(stringify!($column)),*];

            fn read(row: &dyn Row) -> Result<Self, Unreadable> {
                Ok(Self { $($column: row.get(stringify!($column))?),* })
            }

            fn values(&self) -> Vec<Value<'_>> {
                vec![$(self.$column.value()),*]
            }
        }
    };
}

record!(Subscription: id name status quota started_at created_at deleted_at);
record!(Key: id family prefix hash subscription environment scopes name rate_limit created_at
    expires_at revoked_at disabled_at replaced_by grace_ends_at);
record!(KeyUsage: key period_end charged);
record!(Operator: uid user sudo_user);
record!(NewEntry: event subscription key changes);

/// The revision of keys and subscriptions: its number, for people, and its token, which no other
/// state has.
pub(super) fn revision(transaction: &dyn Transaction) -> Result<Revision, KeyStoreError> {
    let revision = transaction.first(REVISION, &[], |row| row.get("revision"))?;
    revision.map(Revision).ok_or_else(|| KeyStoreError::Failed {
        attempt: "read",
        location: transaction.location(),
        source: "it has no revision".into(),
    })
}

/// Tells servers that keys or subscriptions are changed.
pub(super) fn raise_revision(transaction: &dyn Transaction) -> Result<(), KeyStoreError> {
    let token = transaction.dialect().new_token;
    let sql = format!("UPDATE catalogue.revision SET number = number + 1, token = {token}");
    transaction.execute(&sql, &[])
}

/// All keys and subscriptions.
pub(super) fn snapshot(transaction: &dyn Transaction) -> Result<KeySnapshot, KeyStoreError> {
    Ok(KeySnapshot {
        keys: keys(transaction)?,
        subscriptions: subscriptions(transaction)?,
    })
}

/// All subscriptions, in the order of their creation.
pub(super) fn subscriptions(
    transaction: &dyn Transaction,
) -> Result<Vec<Subscription>, KeyStoreError> {
    transaction.all(SUBSCRIPTIONS, &[], Subscription::read)
}

/// The subscription of that name.
pub(super) fn subscription_named(
    transaction: &dyn Transaction,
    name: &Name,
) -> Result<Option<Subscription>, KeyStoreError> {
    transaction.first(SUBSCRIPTION_NAMED, &[name.value()], Subscription::read)
}

/// The subscription of that number.
pub(super) fn subscription_numbered(
    transaction: &dyn Transaction,
    id: SubscriptionId,
) -> Result<Option<Subscription>, KeyStoreError> {
    transaction.first(SUBSCRIPTION_NUMBERED, &[id.value()], Subscription::read)
}

/// Inserts an active subscription that starts `now`.
pub(super) fn insert_subscription(
    transaction: &dyn Transaction,
    new: &NewSubscription,
    now: i64,
) -> Result<(), KeyStoreError> {
    let status = SubscriptionStatus::Active;
    let values = [
        new.name.value(),
        status.value(),
        new.quota.value(),
        now.value(),
    ];
    transaction.execute(INSERT_SUBSCRIPTION, &values)
}

/// Updates a subscription, where it differs from what it was `before`.
pub(super) fn update_subscription(
    transaction: &dyn Transaction,
    before: &Subscription,
    after: &Subscription,
) -> Result<(), KeyStoreError> {
    update(transaction, "subscriptions", before, after)
}

/// All keys, in the order of their issue.
pub(super) fn keys(transaction: &dyn Transaction) -> Result<Vec<Key>, KeyStoreError> {
    transaction.all(KEYS, &[], Key::read)
}

/// The key with that id or prefix.
pub(super) fn find_key(
    transaction: &dyn Transaction,
    reference: &KeyReference,
) -> Result<Option<Key>, KeyStoreError> {
    let (sql, value) = match reference {
        KeyReference::Id(id) => (KEY_OF_ID, id.value()),
        KeyReference::Prefix(prefix) => (KEY_OF_PREFIX, prefix.value()),
    };
    transaction.first(sql, &[value], Key::read)
}

/// Inserts a new key.
pub(super) fn insert_key(transaction: &dyn Transaction, key: &Key) -> Result<(), KeyStoreError> {
    insert(transaction, "keys", Key::COLUMNS, [key.values()])
}

/// Updates a key, where it differs from what it was `before`.
pub(super) fn update_key(
    transaction: &dyn Transaction,
    before: &Key,
    after: &Key,
) -> Result<(), KeyStoreError> {
    update(transaction, "keys", before, after)
}

/// Takes up to `wanted` requests of the quota of a period; `None` if there is no such subscription.
pub(super) fn lease(
    transaction: &dyn Transaction,
    subscription: SubscriptionId,
    period: Period,
    wanted: u64,
) -> Result<Option<Lease>, KeyStoreError> {
    let parameters = [
        subscription.value(),
        period.start.value(),
        period.end.value(),
        wanted.value(),
    ];
    transaction.first(LEASE, &parameters, |row| {
        Ok(Lease {
            granted: row.get("granted")?,
            charged: row.get("charged")?,
        })
    })
}

/// Gives back what was taken of a period and not used.
pub(super) fn give_back(
    transaction: &dyn Transaction,
    subscription: SubscriptionId,
    period: Period,
    unused: u64,
) -> Result<(), KeyStoreError> {
    let parameters = [subscription.value(), period.start.value(), unused.value()];
    transaction.execute(GIVE_BACK, &parameters)
}

/// What is charged of a period so far.
pub(super) fn charged(
    transaction: &dyn Transaction,
    subscription: SubscriptionId,
    period: Period,
) -> Result<u64, KeyStoreError> {
    let parameters = [subscription.value(), period.start.value()];
    let charged = transaction.first(CHARGED, &parameters, |row| row.get("charged"))?;
    Ok(charged.unwrap_or(0))
}

/// The last use of each key that was ever used.
pub(super) fn last_uses(
    transaction: &dyn Transaction,
) -> Result<HashMap<KeyId, LastUse>, KeyStoreError> {
    let last_uses = transaction.all(LAST_USES, &[], |row| {
        let at = row.get("at")?;
        let replaced_at: Option<i64> = row.get("replaced_at")?;
        let is_after_rotation = replaced_at.is_some_and(|replaced_at| replaced_at < at);
        let last_use = LastUse {
            at,
            is_after_rotation,
        };
        Ok((row.get("key")?, last_use))
    })?;
    Ok(last_uses.into_iter().collect())
}

/// Records when keys were last used, unless a later time is recorded, and then adds their requests,
/// which alone must not be repeated. Keys that the store does not have are left out.
pub(super) fn record_uses(
    transaction: &dyn Transaction,
    uses: &[KeyUse],
) -> Result<(), KeyStoreError> {
    let latest = uses.iter().map(|one| vec![one.key.value(), one.at.value()]);
    execute_on(transaction, RECORD_LATEST, latest)?;
    let charged = uses.iter().filter(|one| one.charged != 0).map(|one| {
        let (key, end, charged) = (&one.key, &one.period_end, &one.charged);
        vec![key.value(), end.value(), charged.value()]
    });
    execute_on(transaction, ADD_CHARGES, charged)
}

/// Keys of a subscription, in the order of their issue, and what is charged of each in the period.
pub(super) fn usage_by_key(
    transaction: &dyn Transaction,
    subscription: SubscriptionId,
    period: Period,
) -> Result<Vec<(Key, u64)>, KeyStoreError> {
    let parameters = [subscription.value(), period.end.value()];
    transaction.all(USAGE_BY_KEY, &parameters, |row| {
        Ok((Key::read(row)?, row.get("charged")?))
    })
}

/// Adds to the audit log what `operator` did at `at`, in Unix seconds.
pub(super) fn insert_entry(
    transaction: &dyn Transaction,
    entry: &NewEntry,
    operator: &Operator,
    at: i64,
) -> Result<(), KeyStoreError> {
    let columns = [&["at"], Operator::COLUMNS, NewEntry::COLUMNS].concat();
    let values = [vec![at.value()], operator.values(), entry.values()].concat();
    insert(transaction, "audit", &columns, [values])
}

/// The latest entries of the audit log, the last one first.
pub(super) fn entries(
    transaction: &dyn Transaction,
    query: &EntryQuery,
) -> Result<Vec<Entry>, KeyStoreError> {
    let parameters = [
        query.key.value(),
        query.subscription.value(),
        query.limit.value(),
    ];
    transaction.all(ENTRIES, &parameters, |row| {
        let (id, prefix): (Option<KeyId>, Option<_>) = (row.get("key")?, row.get("prefix")?);
        Ok(Entry {
            at: row.get("at")?,
            operator: Operator::read(row)?,
            event: row.get("event")?,
            subscription: row.get("name")?,
            key: id.zip(prefix),
            changes: row.get("changes")?,
        })
    })
}

/// What whoever examines a store wants to know of it.
pub(super) fn overview(transaction: &dyn Transaction) -> Result<Overview, KeyStoreError> {
    let latest = |sql| transaction.first(sql, &[], |row| row.get("latest"));
    Ok(Overview {
        revision: revision(transaction)?,
        snapshot: snapshot(transaction)?,
        last_uses: last_uses(transaction)?,
        last_change: latest(LAST_CHANGE)?.flatten(),
        latest_charged: latest(LATEST_CHARGED)?.flatten(),
    })
}

/// Every row.
pub(super) fn contents(transaction: &dyn Transaction) -> Result<Contents, KeyStoreError> {
    Ok(Contents {
        subscriptions: subscriptions(transaction)?,
        keys: transaction.all(KEYS, &[], |row| Ok((row.get("number")?, Key::read(row)?)))?,
        usage: transaction.all(USAGE, &[], read_usage)?,
        last_uses: transaction.all(ALL_LAST_USES, &[], |row| {
            Ok((row.get("key")?, row.get("at")?))
        })?,
        key_usage: transaction.all(ALL_KEY_USAGE, &[], KeyUsage::read)?,
        entries: transaction.all(ALL_ENTRIES, &[], |row| {
            Ok(NumberedEntry {
                number: row.get("number")?,
                at: row.get("at")?,
                operator: Operator::read(row)?,
                entry: NewEntry::read(row)?,
            })
        })?,
    })
}

/// Copies everything of another store, numbers included, into empty tables.
pub(super) fn fill(transaction: &dyn Transaction, from: &Contents) -> Result<(), KeyStoreError> {
    if contents(transaction)? != Contents::default() {
        let location = transaction.location();
        return Err(KeyStoreError::NotEmpty { location });
    }
    // Keys may refer to later ones.
    transaction.execute(transaction.dialect().defer_references, &[])?;
    let rows = from.subscriptions.iter().map(Subscription::values);
    insert(transaction, "subscriptions", Subscription::COLUMNS, rows)?;
    let columns = [&["number"], Key::COLUMNS].concat();
    let rows = from.keys.iter();
    let rows = rows.map(|(number, key)| [vec![number.value()], key.values()].concat());
    insert(transaction, "keys", &columns, rows)?;
    let columns = ["subscription", "period_start", "period_end", "charged"];
    let rows = from.usage.iter().map(usage_values);
    insert(transaction, "usage", &columns, rows)?;
    let rows = from.last_uses.iter();
    let rows = rows.map(|(key, at)| vec![key.value(), at.value()]);
    insert(transaction, "last_uses", &["key", "at"], rows)?;
    let rows = from.key_usage.iter().map(KeyUsage::values);
    insert(transaction, "key_usage", KeyUsage::COLUMNS, rows)?;
    let columns = [&["number", "at"], Operator::COLUMNS, NewEntry::COLUMNS].concat();
    let rows = from.entries.iter().map(|numbered| {
        let (number, at) = (numbered.number.value(), numbered.at.value());
        let (operator, entry) = (numbered.operator.values(), numbered.entry.values());
        [vec![number, at], operator, entry].concat()
    });
    insert(transaction, "audit", &columns, rows)?;
    if let Some(count_on) = transaction.dialect().count_on {
        for (table, column) in [
            ("subscriptions", "id"),
            ("keys", "number"),
            ("audit", "number"),
        ] {
            let sql = count_on.replace("TABLE", table).replace("COLUMN", column);
            transaction.execute(&sql, &[])?;
        }
    }
    raise_revision(transaction)
}

/// Inserts rows into a table, many at a time.
fn insert<'v>(
    transaction: &dyn Transaction,
    table: &str,
    columns: &[&str],
    rows: impl IntoIterator<Item = Vec<Value<'v>>>,
) -> Result<(), KeyStoreError> {
    let names = columns.join("\", \"");
    let rows: Vec<_> = rows.into_iter().collect();
    for rows in rows.chunks(ROWS_MAX) {
        let values = rows_of_parameters(rows.len(), columns.len());
        let sql = format!("INSERT INTO catalogue.{table} (\"{names}\") VALUES {values}");
        transaction.execute(&sql, &rows.concat())?;
    }
    Ok(())
}

/// Runs a statement with these rows in place of ROWS, unless there are none.
fn execute_on<'v>(
    transaction: &dyn Transaction,
    sql: &str,
    rows: impl Iterator<Item = Vec<Value<'v>>>,
) -> Result<(), KeyStoreError> {
    let rows: Vec<_> = rows.collect();
    let Some(first) = rows.first() else {
        return Ok(());
    };
    let parameters = rows_of_parameters(rows.len(), first.len());
    transaction.execute(&sql.replace("ROWS", &parameters), &rows.concat())
}

/// Updates the columns of a row that differ from `before`. A table with such rows begins with its id.
fn update<R: Record>(
    transaction: &dyn Transaction,
    table: &str,
    before: &R,
    after: &R,
) -> Result<(), KeyStoreError> {
    let values = before.values().into_iter().zip(after.values());
    let changes = R::COLUMNS.iter().zip(values).skip(1);
    let changes = changes.filter(|(_column, (before, after))| before != after);
    let (columns, values): (Vec<_>, Vec<_>) = changes
        .zip(2..)
        .map(|((column, (_before, after)), number)| (format!("\"{column}\" = ${number}"), after))
        .unzip();
    if columns.is_empty() {
        return Ok(());
    }
    let columns = columns.join(", ");
    let sql = format!("UPDATE catalogue.{table} SET {columns} WHERE id = $1");
    let id = after.values().into_iter().take(1);
    transaction.execute(&sql, &id.chain(values).collect::<Vec<_>>())
}

/// As many rows of so many parameters each: `($1, $2), ($3, $4)`.
fn rows_of_parameters(rows: usize, columns: usize) -> String {
    let row = |row: usize| {
        let parameters = (1..=columns).map(|column| format!("${}", row * columns + column));
        format!("({})", parameters.collect::<Vec<_>>().join(", "))
    };
    (0..rows).map(row).collect::<Vec<_>>().join(", ")
}

fn read_usage(row: &dyn Row) -> Result<Usage, Unreadable> {
    Ok(Usage {
        subscription: row.get("subscription")?,
        period: Period {
            start: row.get("period_start")?,
            end: row.get("period_end")?,
        },
        charged: row.get("charged")?,
    })
}

fn usage_values(usage: &Usage) -> Vec<Value<'_>> {
    let Period { start, end } = &usage.period;
    vec![
        usage.subscription.value(),
        start.value(),
        end.value(),
        usage.charged.value(),
    ]
}
