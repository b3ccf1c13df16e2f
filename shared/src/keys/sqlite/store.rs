//! The store of keys for commands.

use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

use rand::RngCore;
use rusqlite::{Connection, Transaction, params};

use crate::keys::audit::{Change, Entry, EntryQuery, Event, Operator};
use crate::keys::environment::Environment;
use crate::keys::key::{Key, KeyId};
use crate::keys::last_use::LastUse;
use crate::keys::name::Name;
use crate::keys::quota::Period;
use crate::keys::secret::PlainKey;
use crate::keys::sqlite::audit::{self, NewEntry};
use crate::keys::sqlite::database::{Database, Stop};
use crate::keys::sqlite::last_use;
use crate::keys::sqlite::patience::Patience;
use crate::keys::sqlite::rows;
use crate::keys::store::{
    IssuedKey, KeyReference, KeyStore, KeyStoreError, NewKey, NewSubscription, Revision, Rotation,
    SubscriptionChange,
};
use crate::keys::subscription::{Subscription, SubscriptionId, SubscriptionStatus};

/// Keys, subscriptions and usage in a SQLite file, as `operator` works on them.
#[derive(Debug)]
pub struct SqliteKeyStore {
    database: Database,
    operator: Operator,
}

impl SqliteKeyStore {
    /// Opens the store at `path`, which must exist.
    pub fn open(path: &Path, operator: Operator) -> Result<Self, KeyStoreError> {
        Ok(Self {
            database: Database::open_complete(path, Patience::OF_COMMANDS)?,
            operator,
        })
    }

    /// Opens the store at `path`, which is made where there is none, readable by its owner alone.
    /// Its directory must exist.
    pub fn open_or_create(path: &Path, operator: Operator) -> Result<Self, KeyStoreError> {
        Ok(Self {
            database: Database::open_or_create(path, Patience::OF_COMMANDS)?,
            operator,
        })
    }

    /// Makes a change with its entries in the audit log, which `work` returns beside its value:
    /// none where everything was so already.
    fn change<T>(
        &mut self,
        now: i64,
        work: impl FnOnce(&Transaction<'_>) -> Result<(T, Vec<NewEntry>), Stop>,
    ) -> Result<T, KeyStoreError> {
        let operator = &self.operator;
        self.database.change(|transaction| {
            let (value, entries) = work(transaction)?;
            for entry in entries {
                audit::insert(transaction, &entry, operator, now)?;
            }
            Ok(value)
        })
    }

    fn change_key(
        &mut self,
        id: &KeyId,
        event: Event,
        now: i64,
        change: impl FnOnce(&mut Key) -> Result<(), Stop>,
    ) -> Result<Key, KeyStoreError> {
        self.change(now, |transaction| {
            let before = find_key(transaction, &KeyReference::Id(id.clone()))?;
            let mut key = before.clone();
            change(&mut key)?;
            if key == before {
                return Ok((key, Vec::new()));
            }
            rows::update_key(transaction, &key)?;
            let entry = NewEntry::of_key(event, Some(&before), &key);
            Ok((key, vec![entry]))
        })
    }
}

impl KeyStore for SqliteKeyStore {
    fn create_subscription(
        &mut self,
        new: NewSubscription,
        now: i64,
    ) -> Result<Subscription, KeyStoreError> {
        self.change(now, |transaction| {
            if rows::subscription_named(transaction, &new.name)?.is_some() {
                return Err(KeyStoreError::SubscriptionExists { name: new.name }.into());
            }
            let sql = "INSERT INTO subscriptions
                (name, plan, status, quota, started_at, created_at)
                VALUES (?1, ?2, ?3, ?4, ?5, ?5)";
            let (plan, status) = (new.plan.as_str(), SubscriptionStatus::Active.as_str());
            let quota = new.quota.cast_signed();
            transaction.execute(sql, params![new.name.as_str(), plan, status, quota, now])?;
            let created = find_subscription(transaction, &new.name)?;
            let entry = NewEntry::of_subscription(Event::SubscriptionCreated, None, &created);
            Ok((created, vec![entry]))
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
        now: i64,
    ) -> Result<Subscription, KeyStoreError> {
        self.change(now, |transaction| {
            let found = find_subscription(transaction, name)?;
            let changed = Subscription {
                status: change.status.unwrap_or(found.status),
                quota: change.quota.unwrap_or(found.quota),
                ..found.clone()
            };
            if changed == found {
                return Ok((changed, Vec::new()));
            }
            let sql = "UPDATE subscriptions SET status = ?2, quota = ?3 WHERE id = ?1";
            let quota = changed.quota.cast_signed();
            transaction.execute(sql, params![changed.id.0, changed.status.as_str(), quota])?;
            let event = Event::SubscriptionUpdated;
            let entry = NewEntry::of_subscription(event, Some(&found), &changed);
            Ok((changed, vec![entry]))
        })
    }

    fn issue_key(
        &mut self,
        new: NewKey,
        random: &mut dyn RngCore,
        now: i64,
    ) -> Result<IssuedKey, KeyStoreError> {
        self.change(now, |transaction| {
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
            let entry = NewEntry::of_key(Event::KeyIssued, None, &key);
            Ok((IssuedKey { key, secret }, vec![entry]))
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
        self.change(now, |transaction| {
            let before = find_key(transaction, &KeyReference::Id(id.clone()))?;
            let mut old = before.clone();
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
            let mut issued = NewEntry::of_key(Event::KeyIssued, None, &new);
            issued
                .changes
                .push(Change::new("replaces", old.id.to_string()));
            let rotated = NewEntry::of_key(Event::KeyRotated, Some(&before), &old);
            let new = IssuedKey { key: new, secret };
            Ok((Rotation { old, new }, vec![issued, rotated]))
        })
    }

    fn disable_key(&mut self, id: &KeyId, now: i64) -> Result<Key, KeyStoreError> {
        self.change_key(id, Event::KeyDisabled, now, |key| Ok(key.disable(now)?))
    }

    fn enable_key(&mut self, id: &KeyId, now: i64) -> Result<Key, KeyStoreError> {
        self.change_key(id, Event::KeyEnabled, now, |key| Ok(key.enable()?))
    }

    fn revoke_key(&mut self, id: &KeyId, now: i64) -> Result<Key, KeyStoreError> {
        self.change_key(id, Event::KeyRevoked, now, |key| {
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
            .read(|transaction| Ok(rows::charged(transaction, subscription, period)?))
    }

    fn last_uses(&mut self) -> Result<HashMap<KeyId, LastUse>, KeyStoreError> {
        self.database
            .read(|transaction| Ok(last_use::last_uses(transaction)?))
    }

    fn revision(&mut self) -> Result<Revision, KeyStoreError> {
        self.database
            .read(|transaction| Ok(rows::revision(transaction)?))
    }

    fn audit_log(&mut self, query: &EntryQuery) -> Result<Vec<Entry>, KeyStoreError> {
        self.database
            .read(|transaction| Ok(audit::entries(transaction, query)?))
    }
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
