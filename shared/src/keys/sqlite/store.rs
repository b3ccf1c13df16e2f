//! The store of keys for commands.

use std::path::Path;
use std::time::Duration;

use rand::RngCore;
use rusqlite::{Connection, OptionalExtension, params};

use crate::keys::environment::Environment;
use crate::keys::key::{Key, KeyId};
use crate::keys::name::Name;
use crate::keys::quota::Period;
use crate::keys::secret::PlainKey;
use crate::keys::sqlite::database::{Database, Stop};
use crate::keys::sqlite::patience::Patience;
use crate::keys::sqlite::rows;
use crate::keys::store::{
    IssuedKey, KeyReference, KeyStore, KeyStoreError, NewKey, NewSubscription, Rotation,
    SubscriptionChange,
};
use crate::keys::subscription::{Subscription, SubscriptionId, SubscriptionStatus};

/// Keys, subscriptions and usage in a SQLite file.
#[derive(Debug)]
pub struct SqliteKeyStore {
    database: Database,
}

impl SqliteKeyStore {
    /// Opens the store at `path`, which must exist.
    pub fn open(path: &Path) -> Result<Self, KeyStoreError> {
        Ok(Self {
            database: Database::open(path, Patience::OF_COMMANDS)?,
        })
    }

    /// Opens the store at `path`, which is made where there is none, readable by its owner alone.
    /// Its directory must exist.
    pub fn open_or_create(path: &Path) -> Result<Self, KeyStoreError> {
        Ok(Self {
            database: Database::open_or_create(path, Patience::OF_COMMANDS)?,
        })
    }

    fn change_key(
        &mut self,
        id: &KeyId,
        change: impl FnOnce(&mut Key) -> Result<(), Stop>,
    ) -> Result<Key, KeyStoreError> {
        self.database.change(|transaction| {
            let mut key = find_key(transaction, &KeyReference::Id(id.clone()))?;
            change(&mut key)?;
            rows::update_key(transaction, &key)?;
            Ok(key)
        })
    }
}

impl KeyStore for SqliteKeyStore {
    fn create_subscription(
        &mut self,
        new: NewSubscription,
        now: i64,
    ) -> Result<Subscription, KeyStoreError> {
        self.database.change(|transaction| {
            if rows::subscription_named(transaction, &new.name)?.is_some() {
                return Err(KeyStoreError::SubscriptionExists { name: new.name }.into());
            }
            let sql = "INSERT INTO subscriptions
                (name, plan, status, quota, started_at, created_at)
                VALUES (?1, ?2, ?3, ?4, ?5, ?5)";
            let status = SubscriptionStatus::Active.as_str();
            let plan = new.plan.as_str();
            let quota = new.quota.cast_signed();
            transaction.execute(sql, params![new.name.as_str(), plan, status, quota, now])?;
            find_subscription(transaction, &new.name)
        })
    }

    fn subscriptions(&mut self) -> Result<Vec<Subscription>, KeyStoreError> {
        self.database
            .read(|transaction| Ok(rows::subscriptions(transaction)?))
    }

    fn subscription(&mut self, name: &Name) -> Result<Subscription, KeyStoreError> {
        self.database
            .read(|transaction| find_subscription(transaction, name))
    }

    fn update_subscription(
        &mut self,
        name: &Name,
        change: SubscriptionChange,
    ) -> Result<Subscription, KeyStoreError> {
        self.database.change(|transaction| {
            let found = find_subscription(transaction, name)?;
            let changed = Subscription {
                status: change.status.unwrap_or(found.status),
                quota: change.quota.unwrap_or(found.quota),
                ..found
            };
            let sql = "UPDATE subscriptions SET status = ?2, quota = ?3 WHERE id = ?1";
            let quota = changed.quota.cast_signed();
            transaction.execute(sql, params![changed.id.0, changed.status.as_str(), quota])?;
            Ok(changed)
        })
    }

    fn issue_key(
        &mut self,
        new: NewKey,
        random: &mut dyn RngCore,
        now: i64,
    ) -> Result<IssuedKey, KeyStoreError> {
        self.database.change(|transaction| {
            let subscription = find_subscription(transaction, &new.subscription)?;
            if subscription.status == SubscriptionStatus::Inactive {
                return Err(KeyStoreError::SubscriptionInactive {
                    name: new.subscription,
                }
                .into());
            }
            let (id, secret) = unused_key(transaction, new.environment, random)?;
            let key = Key {
                family: id.clone(),
                id,
                prefix: secret.prefix(),
                hash: secret.hash(),
                subscription: subscription.id,
                environment: new.environment,
                scopes: new.scopes,
                name: new.name,
                rate_limit: new.rate_limit,
                created_at: now,
                expires_at: new.expires_at,
                revoked_at: None,
                disabled_at: None,
                replaced_by: None,
                grace_ends_at: None,
            };
            rows::insert_key(transaction, &key)?;
            Ok(IssuedKey { key, secret })
        })
    }

    fn keys(&mut self) -> Result<Vec<Key>, KeyStoreError> {
        self.database
            .read(|transaction| Ok(rows::keys(transaction)?))
    }

    fn find_key(&mut self, reference: &KeyReference) -> Result<Key, KeyStoreError> {
        self.database
            .read(|transaction| find_key(transaction, reference))
    }

    fn rotate_key(
        &mut self,
        id: &KeyId,
        grace: Duration,
        random: &mut dyn RngCore,
        now: i64,
    ) -> Result<Rotation, KeyStoreError> {
        self.database.change(|transaction| {
            let mut old = find_key(transaction, &KeyReference::Id(id.clone()))?;
            let subscription = rows::subscription_numbered(transaction, old.subscription)?;
            let subscription = subscription.ok_or(KeyStoreError::NoSubscriptionId {
                id: old.subscription,
            })?;
            let (new_id, secret) = unused_key(transaction, old.environment, random)?;
            let new = Key {
                id: new_id,
                prefix: secret.prefix(),
                hash: secret.hash(),
                created_at: now,
                ..old.clone()
            };
            old.rotate(&subscription, new.id.clone(), grace, now)?;
            rows::insert_key(transaction, &new)?;
            rows::update_key(transaction, &old)?;
            Ok(Rotation {
                old,
                new: IssuedKey { key: new, secret },
            })
        })
    }

    fn disable_key(&mut self, id: &KeyId, now: i64) -> Result<Key, KeyStoreError> {
        self.change_key(id, |key| Ok(key.disable(now)?))
    }

    fn enable_key(&mut self, id: &KeyId) -> Result<Key, KeyStoreError> {
        self.change_key(id, |key| Ok(key.enable()?))
    }

    fn revoke_key(&mut self, id: &KeyId, now: i64) -> Result<Key, KeyStoreError> {
        self.change_key(id, |key| {
            key.revoke(now);
            Ok(())
        })
    }

    fn usage(
        &mut self,
        subscription: SubscriptionId,
        period: Period,
    ) -> Result<u64, KeyStoreError> {
        self.database
            .read(|transaction| Ok(charged(transaction, subscription, period)?))
    }
}

/// What is charged of a period so far.
pub(super) fn charged(
    connection: &Connection,
    subscription: SubscriptionId,
    period: Period,
) -> rusqlite::Result<u64> {
    let sql = "SELECT charged FROM usage WHERE subscription = ?1 AND period_start = ?2";
    let read = |row: &rusqlite::Row<'_>| row.get::<_, i64>(0);
    let charged = connection
        .query_row(sql, [subscription.0, period.start], read)
        .optional()?;
    Ok(charged.unwrap_or(0).unsigned_abs())
}

fn find_subscription(connection: &Connection, name: &Name) -> Result<Subscription, Stop> {
    let found = rows::subscription_named(connection, name)?;
    Ok(found.ok_or_else(|| KeyStoreError::NoSubscription { name: name.clone() })?)
}

fn find_key(connection: &Connection, reference: &KeyReference) -> Result<Key, Stop> {
    let found = rows::find_key(connection, reference)?;
    Ok(found.ok_or_else(|| KeyStoreError::NoKey {
        reference: reference.clone(),
    })?)
}

/// An id and a key whose prefix names no other one: people tell keys apart by it.
fn unused_key(
    connection: &Connection,
    environment: Environment,
    random: &mut dyn RngCore,
) -> rusqlite::Result<(KeyId, PlainKey)> {
    loop {
        let (id, secret) = (
            KeyId::generate(random),
            PlainKey::generate(environment, random),
        );
        let is_used = |reference| rows::find_key(connection, &reference).map(|key| key.is_some());
        let id_is_used = is_used(KeyReference::Id(id.clone()))?;
        if !id_is_used && !is_used(KeyReference::Prefix(secret.prefix()))? {
            return Ok((id, secret));
        }
    }
}
