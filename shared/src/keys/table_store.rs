//! The store of keys for commands, over the tables of any database: what a change does is decided
//! here once, so that no two databases come to differ.

mod steps;

use std::collections::HashMap;
use std::time::Duration;

use rand::RngCore;

use crate::keys::audit::{Change, Entry, EntryQuery, Event, Operator};
use crate::keys::contents::Contents;
use crate::keys::key::{Key, KeyId};
use crate::keys::last_use::LastUse;
use crate::keys::name::Name;
use crate::keys::quota::Period;
use crate::keys::store::{
    IssuedKey, KeyReference, KeyStore, KeyStoreError, NewKey, NewSubscription, Revision, Rotation,
    SubscriptionChange,
};
use crate::keys::subscription::{Subscription, SubscriptionId, SubscriptionStatus};
use crate::keys::tables::{NewEntry, Tables, Transactions};
use steps::{find_key, find_subscription, unused_key, with_entries};

/// Keys, subscriptions and usage in a database, as `operator` works on them.
#[derive(Debug)]
pub struct TableStore<D> {
    database: D,
    operator: Operator,
}

/// The rows of a transaction of `D`.
type Rows<'t, D> = dyn Tables<Stop = <D as Transactions>::Stop> + 't;

impl<D: Transactions> TableStore<D> {
    /// The store in `database`.
    pub(super) fn new(database: D, operator: Operator) -> Self {
        Self { database, operator }
    }

    /// Makes a change with its entries in the audit log, which `work` returns beside its value:
    /// none where everything was so already.
    fn change<T>(
        &mut self,
        now: i64,
        work: impl FnOnce(&Rows<'_, D>) -> Result<(T, Vec<NewEntry>), D::Stop>,
    ) -> Result<T, KeyStoreError> {
        let operator = &self.operator;
        self.database
            .change(|rows| with_entries(rows, operator, now, work))
    }

    /// The same for a change after which keys are refused: it may use up what the store keeps in
    /// reserve for a full disk.
    fn change_urgently<T>(
        &mut self,
        now: i64,
        work: impl FnOnce(&Rows<'_, D>) -> Result<(T, Vec<NewEntry>), D::Stop>,
    ) -> Result<T, KeyStoreError> {
        let operator = &self.operator;
        self.database
            .change_urgently(|rows| with_entries(rows, operator, now, work))
    }

    fn change_key(
        &mut self,
        id: &KeyId,
        event: Event,
        now: i64,
        change: impl FnOnce(&mut Key) -> Result<(), KeyStoreError>,
    ) -> Result<Key, KeyStoreError> {
        let work = |rows: &Rows<'_, D>| {
            let before = find_key(rows, &KeyReference::Id(id.clone()))?;
            let mut key = before.clone();
            change(&mut key)?;
            if key == before {
                return Ok((key, Vec::new()));
            }
            rows.update_key(&key)?;
            let entry = NewEntry::of_key(event, Some(&before), &key);
            Ok((key, vec![entry]))
        };
        match event {
            Event::KeyDisabled | Event::KeyRevoked => self.change_urgently(now, work),
            _ => self.change(now, work),
        }
    }
}

impl<D: Transactions> KeyStore for TableStore<D> {
    fn create_subscription(
        &mut self,
        new: NewSubscription,
        now: i64,
    ) -> Result<Subscription, KeyStoreError> {
        self.change(now, |rows| {
            if rows.subscription_named(&new.name)?.is_some() {
                return Err(KeyStoreError::SubscriptionExists { name: new.name }.into());
            }
            rows.insert_subscription(&new, now)?;
            let created = find_subscription(rows, &new.name)?;
            let entry = NewEntry::of_subscription(Event::SubscriptionCreated, None, &created);
            Ok((created, vec![entry]))
        })
    }

    fn subscriptions(&mut self) -> Result<Vec<Subscription>, KeyStoreError> {
        self.database.read(|rows| rows.subscriptions())
    }

    fn subscription(&mut self, name: &Name) -> Result<Subscription, KeyStoreError> {
        self.database.read(|rows| find_subscription(rows, name))
    }

    fn update_subscription(
        &mut self,
        name: &Name,
        change: SubscriptionChange,
        now: i64,
    ) -> Result<Subscription, KeyStoreError> {
        let is_urgent = change.status == Some(SubscriptionStatus::Inactive);
        let work = |rows: &Rows<'_, D>| {
            let found = find_subscription(rows, name)?;
            let changed = Subscription {
                status: change.status.unwrap_or(found.status),
                quota: change.quota.unwrap_or(found.quota),
                ..found.clone()
            };
            if changed == found {
                return Ok((changed, Vec::new()));
            }
            rows.update_subscription(&changed)?;
            let event = Event::SubscriptionUpdated;
            let entry = NewEntry::of_subscription(event, Some(&found), &changed);
            Ok((changed, vec![entry]))
        };
        if is_urgent {
            self.change_urgently(now, work)
        } else {
            self.change(now, work)
        }
    }

    fn issue_key(
        &mut self,
        new: NewKey,
        random: &mut dyn RngCore,
        now: i64,
    ) -> Result<IssuedKey, KeyStoreError> {
        self.change(now, |rows| {
            let subscription = find_subscription(rows, &new.subscription)?;
            if subscription.status == SubscriptionStatus::Inactive {
                return Err(KeyStoreError::SubscriptionInactive {
                    name: new.subscription,
                }
                .into());
            }
            let (id, secret) = unused_key(rows, new.environment, random)?;
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
            rows.insert_key(&key)?;
            let entry = NewEntry::of_key(Event::KeyIssued, None, &key);
            Ok((IssuedKey { key, secret }, vec![entry]))
        })
    }

    fn keys(&mut self) -> Result<Vec<Key>, KeyStoreError> {
        self.database.read(|rows| rows.keys())
    }

    fn find_key(&mut self, reference: &KeyReference) -> Result<Key, KeyStoreError> {
        self.database.read(|rows| find_key(rows, reference))
    }

    fn rotate_key(
        &mut self,
        id: &KeyId,
        grace: Duration,
        random: &mut dyn RngCore,
        now: i64,
    ) -> Result<Rotation, KeyStoreError> {
        self.change(now, |rows| {
            let before = find_key(rows, &KeyReference::Id(id.clone()))?;
            let mut old = before.clone();
            let subscription = rows.subscription_numbered(old.subscription)?;
            let subscription = subscription.ok_or(KeyStoreError::NoSubscriptionId {
                id: old.subscription,
            })?;
            let (new_id, secret) = unused_key(rows, old.environment, random)?;
            let new = Key {
                id: new_id,
                prefix: secret.prefix(),
                hash: secret.hash(),
                created_at: now,
                ..old.clone()
            };
            let rotated = old.rotate(&subscription, new.id.clone(), grace, now);
            rotated.map_err(KeyStoreError::from)?;
            rows.insert_key(&new)?;
            rows.update_key(&old)?;
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
            .read(|rows| rows.charged(subscription, period))
    }

    fn last_uses(&mut self) -> Result<HashMap<KeyId, LastUse>, KeyStoreError> {
        self.database.read(|rows| rows.last_uses())
    }

    fn revision(&mut self) -> Result<Revision, KeyStoreError> {
        self.database.read(|rows| rows.revision())
    }

    fn contents(&mut self) -> Result<Contents, KeyStoreError> {
        self.database.read(|rows| rows.contents())
    }

    fn fill(&mut self, contents: &Contents) -> Result<(), KeyStoreError> {
        self.database.change(|rows| {
            rows.fill(contents)?;
            if rows.contents()? != *contents {
                return Err(KeyStoreError::CopyDiffers.into());
            }
            Ok(())
        })
    }

    fn audit_log(&mut self, query: &EntryQuery) -> Result<Vec<Entry>, KeyStoreError> {
        self.database.read(|rows| rows.entries(query))
    }
}
