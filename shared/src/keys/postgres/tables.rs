//! The tables, row by row, in one transaction.

use std::collections::HashMap;

use tokio_postgres::types::ToSql;
use tokio_postgres::{Row, Transaction};

use crate::keys::audit::{Entry, EntryQuery, Operator};
use crate::keys::contents::Contents;
use crate::keys::key::{Key, KeyId};
use crate::keys::last_use::LastUse;
use crate::keys::name::Name;
use crate::keys::postgres::client::PgClient;
use crate::keys::postgres::failure::{Failure, Stop};
use crate::keys::postgres::patience::Patience;
use crate::keys::postgres::rows::{count, parsed, read_key, read_subscription, value};
use crate::keys::postgres::{audit, copy, rows};
use crate::keys::quota::Period;
use crate::keys::store::{KeyReference, NewSubscription, Revision};
use crate::keys::subscription::{Subscription, SubscriptionId, SubscriptionStatus};
use crate::keys::tables::{NewEntry, Tables};

/// A transaction, each step of which is waited for.
pub(super) struct Session<'a> {
    client: &'a PgClient,
    patience: Patience,
    transaction: &'a Transaction<'a>,
}

/// What stands for the `$1` of a statement.
type Parameters<'p> = [&'p (dyn ToSql + Sync)];

/// Changes follow each other: whoever changes anything holds the row that names the state.
const TAKE_TURN: &str = "SELECT number FROM catalogue.revision FOR UPDATE";

const LAST_USES: &str = "SELECT last_uses.key, last_uses.at,
        coalesce(successors.created_at < last_uses.at, false) AS is_after_rotation
    FROM catalogue.last_uses JOIN catalogue.keys ON keys.id = last_uses.key
    LEFT JOIN catalogue.keys AS successors ON successors.id = keys.replaced_by";

impl<'a> Session<'a> {
    pub(super) fn new(
        client: &'a PgClient,
        patience: Patience,
        transaction: &'a Transaction<'a>,
    ) -> Self {
        Self {
            client,
            patience,
            transaction,
        }
    }

    /// Where the store is, for people.
    pub(super) fn location(&self) -> String {
        self.client.address().to_string()
    }

    /// Waits until nobody else changes anything.
    pub(super) fn take_turn(&self) -> Result<(), Stop> {
        self.batch(TAKE_TURN)
    }

    /// Rows, each read as something.
    pub(super) fn all<T>(
        &self,
        sql: &str,
        parameters: &Parameters<'_>,
        read: impl Fn(&Row) -> Result<T, Stop>,
    ) -> Result<Vec<T>, Stop> {
        let rows = async { Ok(self.transaction.query(sql, parameters).await?) };
        let rows = self.client.wait(self.patience, rows)?;
        rows.iter().map(read).collect()
    }

    /// A row, if there is one.
    pub(super) fn one<T>(
        &self,
        sql: &str,
        parameters: &Parameters<'_>,
        read: impl Fn(&Row) -> Result<T, Stop>,
    ) -> Result<Option<T>, Stop> {
        Ok(self.all(sql, parameters, read)?.into_iter().next())
    }

    /// A statement that changes rows.
    pub(super) fn execute(&self, sql: &str, parameters: &Parameters<'_>) -> Result<(), Stop> {
        let done = async { Ok(self.transaction.execute(sql, parameters).await?) };
        self.client.wait(self.patience, done)?;
        Ok(())
    }

    /// Statements without parameters.
    pub(super) fn batch(&self, sql: &str) -> Result<(), Stop> {
        let done = async { Ok(self.transaction.batch_execute(sql).await?) };
        Ok(self.client.wait(self.patience, done)?)
    }

    /// Something that takes the transaction itself.
    pub(super) fn wait<T>(
        &self,
        work: impl AsyncFnOnce(&Transaction<'_>) -> Result<T, Stop>,
    ) -> Result<T, Stop> {
        let mut done = None;
        self.client.wait(self.patience, async {
            done = Some(work(self.transaction).await);
            Ok::<_, Failure>(())
        })?;
        done.unwrap_or_else(|| unreachable!("what was waited for is done"))
    }
}

impl Tables for Session<'_> {
    type Stop = Stop;

    fn revision(&self) -> Result<Revision, Stop> {
        let revision = self.one(rows::REVISION, &[], |row| {
            Ok(Revision(value(row, "revision")?))
        })?;
        revision.ok_or_else(|| Stop::Damaged("it has no revision".to_owned()))
    }

    fn subscriptions(&self) -> Result<Vec<Subscription>, Stop> {
        self.all(rows::SUBSCRIPTIONS, &[], read_subscription)
    }

    fn subscription_named(&self, name: &Name) -> Result<Option<Subscription>, Stop> {
        let sql = "SELECT * FROM catalogue.subscriptions WHERE name = $1";
        self.one(sql, &[&name.as_str()], read_subscription)
    }

    fn subscription_numbered(&self, id: SubscriptionId) -> Result<Option<Subscription>, Stop> {
        let sql = "SELECT * FROM catalogue.subscriptions WHERE id = $1";
        self.one(sql, &[&id.0], read_subscription)
    }

    fn insert_subscription(&self, new: &NewSubscription, now: i64) -> Result<(), Stop> {
        let sql = "INSERT INTO catalogue.subscriptions
            (name, plan, status, quota, started_at, created_at) VALUES ($1, $2, $3, $4, $5, $5)";
        let (plan, status) = (new.plan.as_str(), SubscriptionStatus::Active.as_str());
        let quota = new.quota.cast_signed();
        self.execute(sql, &[&new.name.as_str(), &plan, &status, &quota, &now])
    }

    fn update_subscription(&self, subscription: &Subscription) -> Result<(), Stop> {
        let sql = "UPDATE catalogue.subscriptions SET status = $2, quota = $3 WHERE id = $1";
        let (id, status) = (subscription.id.0, subscription.status.as_str());
        self.execute(sql, &[&id, &status, &subscription.quota.cast_signed()])
    }

    fn keys(&self) -> Result<Vec<Key>, Stop> {
        self.all(rows::KEYS, &[], read_key)
    }

    fn find_key(&self, reference: &KeyReference) -> Result<Option<Key>, Stop> {
        let (sql, text) = match reference {
            KeyReference::Id(id) => ("SELECT * FROM catalogue.keys WHERE id = $1", id.as_str()),
            KeyReference::Prefix(prefix) => {
                let sql = "SELECT * FROM catalogue.keys WHERE prefix = $1";
                (sql, prefix.as_str())
            }
        };
        self.one(sql, &[&text], read_key)
    }

    fn insert_key(&self, key: &Key) -> Result<(), Stop> {
        let sql = "INSERT INTO catalogue.keys (id, family, prefix, hash, subscription, environment,
            scopes, name, rate_limit, created_at, expires_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
        self.execute(
            sql,
            &[
                &key.id.as_str(),
                &key.family.as_str(),
                &key.prefix.as_str(),
                &key.hash.as_bytes().as_slice(),
                &key.subscription.0,
                &key.environment.as_str(),
                &key.scopes.join(" "),
                &key.name.as_ref().map(Name::as_str),
                &key.rate_limit.map(i64::from),
                &key.created_at,
                &key.expires_at,
            ],
        )
    }

    fn update_key(&self, key: &Key) -> Result<(), Stop> {
        let sql = "UPDATE catalogue.keys SET revoked_at = $2, disabled_at = $3, replaced_by = $4,
            grace_ends_at = $5 WHERE id = $1";
        let replaced_by = key.replaced_by.as_ref().map(KeyId::as_str);
        self.execute(
            sql,
            &[
                &key.id.as_str(),
                &key.revoked_at,
                &key.disabled_at,
                &replaced_by,
                &key.grace_ends_at,
            ],
        )
    }

    fn charged(&self, subscription: SubscriptionId, period: Period) -> Result<u64, Stop> {
        let sql = "SELECT charged FROM catalogue.usage
            WHERE subscription = $1 AND period_start = $2";
        let read = |row: &Row| count(row, "charged");
        let charged = self.one(sql, &[&subscription.0, &period.start], read)?;
        Ok(charged.unwrap_or(0))
    }

    fn last_uses(&self) -> Result<HashMap<KeyId, LastUse>, Stop> {
        let read = |row: &Row| {
            let last_use = LastUse {
                at: value(row, "at")?,
                is_after_rotation: value(row, "is_after_rotation")?,
            };
            Ok((parsed(row, "key", KeyId::parse)?, last_use))
        };
        Ok(self.all(LAST_USES, &[], read)?.into_iter().collect())
    }

    fn insert_entry(&self, entry: &NewEntry, operator: &Operator, at: i64) -> Result<(), Stop> {
        let changes = serde_json::to_string(&entry.changes);
        let changes = changes.map_err(|error| Stop::Damaged(error.to_string()))?;
        self.execute(
            audit::INSERT,
            &[
                &at,
                &i64::from(operator.uid),
                &operator.user.as_ref().map(Name::as_str),
                &operator.sudo_user.as_ref().map(Name::as_str),
                &entry.event.as_str(),
                &entry.subscription.0,
                &entry.key.as_ref().map(KeyId::as_str),
                &changes,
            ],
        )
    }

    fn entries(&self, query: &EntryQuery) -> Result<Vec<Entry>, Stop> {
        let key = query.key.as_ref().map(KeyId::as_str);
        let subscription = query.subscription.map(|subscription| subscription.0);
        let parameters: &Parameters<'_> = &[&key, &subscription, &i64::from(query.limit)];
        self.all(audit::ENTRIES, parameters, audit::read_entry)
    }

    fn contents(&self) -> Result<Contents, Stop> {
        copy::contents(self)
    }

    fn fill(&self, contents: &Contents) -> Result<(), Stop> {
        copy::fill(self, contents)
    }
}
