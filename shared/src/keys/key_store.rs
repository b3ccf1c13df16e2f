//! The key store as commands use it: what a change does is decided here once, for both databases.
//!
//! Each change is one durable transaction: it happens completely or not at all, and once a function
//! returns it survives a power cut. Rules about keys live in [`crate::keys::key`] and
//! [`crate::keys::change`]; a store keeps what they decide, and who asked for it.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::time::Duration;

use rand::RngCore;

use crate::base::clock::UnixMillis;
use crate::base::operator::Operator;
use crate::keys::audit::{Change, Entry, EntryQuery, Event, NewEntry};
use crate::keys::change::KeyUpdate;
use crate::keys::contents::Contents;
use crate::keys::environment::Environment;
use crate::keys::key::{Key, KeyId, KeyReference, KeyState};
use crate::keys::last_use::LastUse;
use crate::keys::name::Name;
use crate::keys::postgres::{self, PgClient};
use crate::keys::quota::Period;
use crate::keys::scope::Scopes;
use crate::keys::secret::PlainKey;
use crate::keys::store::{KeyStoreError, Revision};
use crate::keys::subscription::{
    NewSubscription, Subscription, SubscriptionId, SubscriptionStatus,
};
use crate::keys::transaction::{Access, Transaction};
use crate::keys::{sqlite, statements};

/// What to change of a subscription; `None` leaves it as it is.
#[derive(Clone, Copy, Debug, Default)]
pub struct SubscriptionChange {
    /// Whether its keys work.
    pub status: Option<SubscriptionStatus>,
    /// Requests a month.
    pub quota: Option<u64>,
}

/// A key to issue.
#[derive(Clone, Debug)]
pub struct NewKey {
    /// Name of the subscription that owns it.
    pub subscription: Name,
    /// Which servers accept it.
    pub environment: Environment,
    /// What it may read; not empty.
    pub scopes: Scopes,
    /// What its owner calls it.
    pub name: Option<Name>,
    /// Its own minute limit.
    pub rate_limit: Option<u32>,
    /// When it expires, Unix seconds.
    pub expires_at: Option<i64>,
}

/// A key at the one moment when its plaintext is known.
#[derive(Clone, Debug)]
pub struct IssuedKey {
    /// What the store keeps.
    pub key: Key,
    /// What its owner keeps.
    pub secret: PlainKey,
}

/// The two keys of a rotation.
#[derive(Clone, Debug)]
pub struct Rotation {
    /// The key that was replaced.
    pub old: Key,
    /// The key that replaced it.
    pub new: IssuedKey,
}

/// Keys, subscriptions and usage in a database, for an operator's commands. Times are Unix seconds
/// and passed in.
#[derive(Debug)]
pub struct KeyStore {
    database: Database,
    operator: Operator,
}

#[derive(Debug)]
enum Database {
    Sqlite(sqlite::Database),
    Postgres(postgres::Database),
}

impl Database {
    fn transact<T>(
        &mut self,
        access: Access,
        work: impl FnOnce(&dyn Transaction) -> Result<T, KeyStoreError>,
    ) -> Result<T, KeyStoreError> {
        match self {
            Self::Sqlite(database) => database.transact(access, |transaction| work(transaction)),
            Self::Postgres(database) => database.transact(access, |transaction| work(transaction)),
        }
    }
}

impl KeyStore {
    /// Opens the file at `path`, which must exist.
    pub fn open(path: &Path, operator: Operator) -> Result<Self, KeyStoreError> {
        let database = Database::Sqlite(sqlite::Database::open_complete(path)?);
        Ok(Self { database, operator })
    }

    /// Opens the file at `path`, and creates it, readable by its owner alone, if it does not exist.
    /// Its directory must exist.
    pub fn open_or_create(path: &Path, operator: Operator) -> Result<Self, KeyStoreError> {
        let database = Database::Sqlite(sqlite::Database::open_or_create(path)?);
        Ok(Self { database, operator })
    }

    /// Opens the store in the database of `client`, whose tables must exist.
    pub fn connect(client: &PgClient, operator: Operator) -> Result<Self, KeyStoreError> {
        let timeout = postgres::Timeout::COMMANDS;
        let database = Database::Postgres(postgres::Database::open(client, timeout)?);
        Ok(Self { database, operator })
    }

    /// The same for a copy, which works on all rows at once.
    pub fn connect_to_copy(client: &PgClient, operator: Operator) -> Result<Self, KeyStoreError> {
        let timeout = postgres::Timeout::ALL_ROWS;
        let database = Database::Postgres(postgres::Database::open(client, timeout)?);
        Ok(Self { database, operator })
    }

    /// Creates a subscription that starts `now`.
    pub fn create_subscription(
        &mut self,
        new: &NewSubscription,
        now: i64,
    ) -> Result<Subscription, KeyStoreError> {
        self.change(Access::Change, now, |transaction| {
            refuse_taken(transaction, &new.name)?;
            statements::insert_subscription(transaction, new, now)?;
            let created = find_subscription(transaction, &new.name)?;
            let entry = NewEntry::of_subscription(Event::SubscriptionCreated, None, &created);
            Ok((created, vec![entry]))
        })
    }

    /// All subscriptions but the deleted ones, in the order of their creation.
    pub fn subscriptions(&mut self) -> Result<Vec<Subscription>, KeyStoreError> {
        let mut subscriptions = self.subscriptions_ever()?;
        subscriptions.retain(|subscription| !subscription.is_deleted());
        Ok(subscriptions)
    }

    /// The same with the deleted ones.
    pub fn subscriptions_ever(&mut self) -> Result<Vec<Subscription>, KeyStoreError> {
        self.read(statements::subscriptions)
    }

    /// The subscription of that name, deleted or not.
    pub fn subscription(&mut self, name: &Name) -> Result<Subscription, KeyStoreError> {
        self.read(|transaction| find_subscription(transaction, name))
    }

    /// Changes a subscription and returns it.
    pub fn update_subscription(
        &mut self,
        name: &Name,
        change: SubscriptionChange,
        now: i64,
    ) -> Result<Subscription, KeyStoreError> {
        let access = match change.status {
            Some(SubscriptionStatus::Inactive) => Access::UrgentChange,
            _ => Access::Change,
        };
        self.change(access, now, |transaction| {
            let found = find_living(transaction, name)?;
            let changed = Subscription {
                status: change.status.unwrap_or(found.status),
                quota: change.quota.unwrap_or(found.quota),
                ..found.clone()
            };
            if changed == found {
                return Ok((changed, Vec::new()));
            }
            statements::update_subscription(transaction, &found, &changed)?;
            let event = Event::SubscriptionUpdated;
            let entry = NewEntry::of_subscription(event, Some(&found), &changed);
            Ok((changed, vec![entry]))
        })
    }

    /// Gives a subscription another name, which no other one may have, not even a deleted one. Its
    /// keys, its quota and its log stay its own.
    pub fn rename_subscription(
        &mut self,
        name: &Name,
        new: &Name,
        now: i64,
    ) -> Result<Subscription, KeyStoreError> {
        self.change(Access::Change, now, |transaction| {
            let found = find_living(transaction, name)?;
            if new == name {
                return Ok((found, Vec::new()));
            }
            refuse_taken(transaction, new)?;
            let renamed = Subscription {
                name: new.clone(),
                ..found.clone()
            };
            statements::update_subscription(transaction, &found, &renamed)?;
            let event = Event::SubscriptionRenamed;
            let mut entry = NewEntry::of_subscription(event, Some(&found), &renamed);
            entry.changes.push(Change {
                field: "name".to_owned(),
                from: Some(found.name.to_string()),
                to: Some(renamed.name.to_string()),
            });
            Ok((renamed, vec![entry]))
        })
    }

    /// Deletes a subscription that has only past months and its log left: no key that works or may
    /// work again, and nothing charged in the current month. Returns it as it is kept.
    pub fn delete_subscription(
        &mut self,
        name: &Name,
        now: i64,
    ) -> Result<Subscription, KeyStoreError> {
        self.change(Access::Change, now, |transaction| {
            let found = find_living(transaction, name)?;
            let keys = statements::keys(transaction)?.into_iter();
            let left = keys.filter(|key| {
                let state = key.state(&found, now);
                let is_over = matches!(state, KeyState::Revoked | KeyState::Expired);
                key.subscription == found.id && !is_over
            });
            let left: Vec<_> = left.map(|key| key.prefix).collect();
            if !left.is_empty() {
                let name = found.name;
                return Err(KeyStoreError::KeysLeft { name, keys: left });
            }
            let period = found.period(now);
            let charged = statements::charged(transaction, found.id, period)?;
            if charged != 0 {
                return Err(KeyStoreError::MonthCharged {
                    name: found.name,
                    charged,
                    until: period.end,
                });
            }
            let deleted = found.deleted(now);
            refuse_taken(transaction, &deleted.name)?;
            statements::update_subscription(transaction, &found, &deleted)?;
            let event = Event::SubscriptionDeleted;
            let mut entry = NewEntry::of_subscription(event, Some(&found), &deleted);
            entry.changes.push(Change {
                field: "name".to_owned(),
                from: Some(found.name.to_string()),
                to: None,
            });
            Ok((deleted, vec![entry]))
        })
    }

    /// Issues a key on an active subscription.
    pub fn issue_key(
        &mut self,
        new: NewKey,
        random: &mut dyn RngCore,
        now: i64,
    ) -> Result<IssuedKey, KeyStoreError> {
        self.change(Access::Change, now, |transaction| {
            let subscription = find_living(transaction, &new.subscription)?;
            if subscription.status == SubscriptionStatus::Inactive {
                return Err(KeyStoreError::SubscriptionInactive {
                    name: new.subscription,
                });
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
            statements::insert_key(transaction, &key)?;
            let entry = NewEntry::of_key(Event::KeyIssued, None, &key);
            Ok((IssuedKey { key, secret }, vec![entry]))
        })
    }

    /// All keys but those of deleted subscriptions, in the order of their issue.
    pub fn keys(&mut self) -> Result<Vec<Key>, KeyStoreError> {
        self.read(|transaction| {
            let mut deleted = statements::subscriptions(transaction)?;
            deleted.retain(Subscription::is_deleted);
            let deleted: HashSet<_> = deleted.iter().map(|one| one.id).collect();
            let mut keys = statements::keys(transaction)?;
            keys.retain(|key| !deleted.contains(&key.subscription));
            Ok(keys)
        })
    }

    /// The key with that id or prefix.
    pub fn find_key(&mut self, reference: &KeyReference) -> Result<Key, KeyStoreError> {
        self.read(|transaction| find_key(transaction, reference))
    }

    /// Replaces a working key with a new one that has the same scopes; the old one works for
    /// `grace`, never beyond its own expiry.
    pub fn rotate_key(
        &mut self,
        id: &KeyId,
        grace: Duration,
        random: &mut dyn RngCore,
        now: impl Into<UnixMillis>,
    ) -> Result<Rotation, KeyStoreError> {
        let now = now.into();
        self.change(Access::Change, now.unix_seconds(), |transaction| {
            let before = find_key(transaction, &KeyReference::Id(id.clone()))?;
            let mut old = before.clone();
            let subscription = statements::subscription_numbered(transaction, old.subscription)?;
            let subscription = subscription.ok_or(KeyStoreError::NoSubscriptionId {
                id: old.subscription,
            })?;
            let (new_id, secret) = unused_key(transaction, old.environment, random)?;
            let new = Key {
                id: new_id,
                prefix: secret.prefix(),
                hash: secret.hash(),
                created_at: now.unix_seconds(),
                ..old.clone()
            };
            old.rotate(&subscription, new.id.clone(), grace, now)?;
            statements::insert_key(transaction, &new)?;
            statements::update_key(transaction, &before, &old)?;
            let mut issued = NewEntry::of_key(Event::KeyIssued, None, &new);
            issued
                .changes
                .push(Change::new("replaces", old.id.to_string()));
            let rotated = NewEntry::of_key(Event::KeyRotated, Some(&before), &old);
            let new = IssuedKey { key: new, secret };
            Ok((Rotation { old, new }, vec![issued, rotated]))
        })
    }

    /// Changes what a key may do, what it is called or when it expires.
    pub fn update_key(
        &mut self,
        id: &KeyId,
        update: KeyUpdate,
        now: i64,
    ) -> Result<Key, KeyStoreError> {
        self.change_key(id, Event::KeyUpdated, now, |key| {
            Ok(key.update(update, now)?)
        })
    }

    /// Refuses a key until it is enabled again.
    pub fn disable_key(&mut self, id: &KeyId, now: i64) -> Result<Key, KeyStoreError> {
        self.change_key(id, Event::KeyDisabled, now, |key| Ok(key.disable(now)?))
    }

    /// Accepts it again.
    pub fn enable_key(&mut self, id: &KeyId, now: i64) -> Result<Key, KeyStoreError> {
        self.change_key(id, Event::KeyEnabled, now, |key| Ok(key.enable()?))
    }

    /// Refuses a key for good.
    pub fn revoke_key(&mut self, id: &KeyId, now: i64) -> Result<Key, KeyStoreError> {
        self.change_key(id, Event::KeyRevoked, now, |key| {
            key.revoke(now);
            Ok(())
        })
    }

    /// Requests charged in a period, or leased by running servers.
    pub fn usage(
        &mut self,
        subscription: SubscriptionId,
        period: Period,
    ) -> Result<u64, KeyStoreError> {
        self.read(|transaction| statements::charged(transaction, subscription, period))
    }

    /// The keys of a subscription, in the order of their issue, and the requests of each that were
    /// charged in a period, as far as servers have written them down.
    pub fn usage_by_key(
        &mut self,
        subscription: SubscriptionId,
        period: Period,
    ) -> Result<Vec<(Key, u64)>, KeyStoreError> {
        self.read(|transaction| statements::usage_by_key(transaction, subscription, period))
    }

    /// The last use of each key that was ever used.
    pub fn last_uses(&mut self) -> Result<HashMap<KeyId, LastUse>, KeyStoreError> {
        self.read(statements::last_uses)
    }

    /// The revision of the store, including all changes made here.
    pub fn revision(&mut self) -> Result<Revision, KeyStoreError> {
        self.read(statements::revision)
    }

    /// Everything in the store, to copy it.
    pub fn contents(&mut self) -> Result<Contents, KeyStoreError> {
        self.read(statements::contents)
    }

    /// Copies everything of another store, numbers included, into this one, which must be empty.
    pub fn fill(&mut self, contents: &Contents) -> Result<(), KeyStoreError> {
        self.database.transact(Access::Change, |transaction| {
            statements::fill(transaction, contents)?;
            if statements::contents(transaction)? != *contents {
                return Err(KeyStoreError::CopyDiffers);
            }
            Ok(())
        })
    }

    /// The latest entries of the audit log, the last one first. Every change above is logged,
    /// unless it changed nothing.
    pub fn audit_log(&mut self, query: &EntryQuery) -> Result<Vec<Entry>, KeyStoreError> {
        self.read(|transaction| statements::entries(transaction, query))
    }

    fn read<T>(
        &mut self,
        work: impl FnOnce(&dyn Transaction) -> Result<T, KeyStoreError>,
    ) -> Result<T, KeyStoreError> {
        self.database.transact(Access::Read, work)
    }

    /// Makes a change with its entries in the audit log, which `work` returns beside its value:
    /// none if nothing changed. Otherwise servers learn of it.
    fn change<T>(
        &mut self,
        access: Access,
        now: i64,
        work: impl FnOnce(&dyn Transaction) -> Result<(T, Vec<NewEntry>), KeyStoreError>,
    ) -> Result<T, KeyStoreError> {
        let operator = &self.operator;
        self.database.transact(access, |transaction| {
            let (value, entries) = work(transaction)?;
            for entry in &entries {
                statements::insert_entry(transaction, entry, operator, now)?;
            }
            if !entries.is_empty() {
                statements::raise_revision(transaction)?;
            }
            Ok(value)
        })
    }

    fn change_key(
        &mut self,
        id: &KeyId,
        event: Event,
        now: i64,
        change: impl FnOnce(&mut Key) -> Result<(), KeyStoreError>,
    ) -> Result<Key, KeyStoreError> {
        let access = match event {
            Event::KeyDisabled | Event::KeyRevoked => Access::UrgentChange,
            _ => Access::Change,
        };
        self.change(access, now, |transaction| {
            let before = find_key(transaction, &KeyReference::Id(id.clone()))?;
            let mut key = before.clone();
            change(&mut key)?;
            if key == before {
                return Ok((key, Vec::new()));
            }
            statements::update_key(transaction, &before, &key)?;
            let entry = NewEntry::of_key(event, Some(&before), &key);
            Ok((key, vec![entry]))
        })
    }
}

/// The subscription of that name, which must exist.
fn find_subscription(
    transaction: &dyn Transaction,
    name: &Name,
) -> Result<Subscription, KeyStoreError> {
    let found = statements::subscription_named(transaction, name)?;
    found.ok_or_else(|| KeyStoreError::NoSubscription { name: name.clone() })
}

/// The same, and it must not be deleted.
fn find_living(transaction: &dyn Transaction, name: &Name) -> Result<Subscription, KeyStoreError> {
    match find_subscription(transaction, name)? {
        found if found.is_deleted() => Err(KeyStoreError::NoSubscription { name: name.clone() }),
        found => Ok(found),
    }
}

/// Refuses a name that a subscription has, deleted or not.
fn refuse_taken(transaction: &dyn Transaction, name: &Name) -> Result<(), KeyStoreError> {
    match statements::subscription_named(transaction, name)? {
        Some(_) => Err(KeyStoreError::SubscriptionExists { name: name.clone() }),
        None => Ok(()),
    }
}

/// The key that `reference` names, which must exist.
fn find_key(transaction: &dyn Transaction, reference: &KeyReference) -> Result<Key, KeyStoreError> {
    let found = statements::find_key(transaction, reference)?;
    found.ok_or_else(|| KeyStoreError::NoKey {
        reference: reference.clone(),
    })
}

/// An id and a key with an unused prefix, since people know keys by it.
fn unused_key(
    transaction: &dyn Transaction,
    environment: Environment,
    random: &mut dyn RngCore,
) -> Result<(KeyId, PlainKey), KeyStoreError> {
    let is_used = |reference| {
        let found = statements::find_key(transaction, &reference);
        found.map(|key| key.is_some())
    };
    loop {
        let id = KeyId::generate(random);
        let secret = PlainKey::generate(environment, random);
        let id_is_used = is_used(KeyReference::Id(id.clone()))?;
        if !id_is_used && !is_used(KeyReference::Prefix(secret.prefix()))? {
            return Ok((id, secret));
        }
    }
}
