//! The tables of a SQLite file, row by row.

use std::collections::HashMap;

use rusqlite::{Transaction, params};

use crate::keys::audit::{Entry, EntryQuery, Operator};
use crate::keys::contents::Contents;
use crate::keys::key::{Key, KeyId};
use crate::keys::last_use::LastUse;
use crate::keys::name::Name;
use crate::keys::quota::Period;
use crate::keys::sqlite::database::{Database, Stop};
use crate::keys::sqlite::{audit, copy, last_use, reserve, rows};
use crate::keys::store::{KeyReference, KeyStoreError, NewSubscription, Revision};
use crate::keys::subscription::{Subscription, SubscriptionId, SubscriptionStatus};
use crate::keys::tables::{NewEntry, Tables, Transactions};

impl Transactions for Database {
    type Stop = Stop;

    fn read<T>(
        &mut self,
        work: impl FnOnce(&dyn Tables<Stop = Stop>) -> Result<T, Stop>,
    ) -> Result<T, KeyStoreError> {
        Self::read(self, |transaction| work(transaction))
    }

    fn change<T>(
        &mut self,
        work: impl FnOnce(&dyn Tables<Stop = Stop>) -> Result<T, Stop>,
    ) -> Result<T, KeyStoreError> {
        Self::change(self, |transaction| {
            let value = work(transaction)?;
            reserve::keep_pages(transaction)?;
            Ok(value)
        })
    }

    fn change_urgently<T>(
        &mut self,
        work: impl FnOnce(&dyn Tables<Stop = Stop>) -> Result<T, Stop>,
    ) -> Result<T, KeyStoreError> {
        Self::change(self, |transaction| work(transaction))
    }
}

impl Tables for Transaction<'_> {
    type Stop = Stop;

    fn revision(&self) -> Result<Revision, Stop> {
        Ok(rows::revision(self)?)
    }

    fn subscriptions(&self) -> Result<Vec<Subscription>, Stop> {
        Ok(rows::subscriptions(self)?)
    }

    fn subscription_named(&self, name: &Name) -> Result<Option<Subscription>, Stop> {
        Ok(rows::subscription_named(self, name)?)
    }

    fn subscription_numbered(&self, id: SubscriptionId) -> Result<Option<Subscription>, Stop> {
        Ok(rows::subscription_numbered(self, id)?)
    }

    fn insert_subscription(&self, new: &NewSubscription, now: i64) -> Result<(), Stop> {
        let sql = "INSERT INTO subscriptions (name, plan, status, quota, started_at, created_at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?5)";
        let (plan, status) = (new.plan.as_str(), SubscriptionStatus::Active.as_str());
        let quota = new.quota.cast_signed();
        self.execute(sql, params![new.name.as_str(), plan, status, quota, now])?;
        Ok(())
    }

    fn update_subscription(&self, subscription: &Subscription) -> Result<(), Stop> {
        let sql = "UPDATE subscriptions SET status = ?2, quota = ?3 WHERE id = ?1";
        let (id, status) = (subscription.id.0, subscription.status.as_str());
        self.execute(sql, params![id, status, subscription.quota.cast_signed()])?;
        Ok(())
    }

    fn keys(&self) -> Result<Vec<Key>, Stop> {
        Ok(rows::keys(self)?)
    }

    fn find_key(&self, reference: &KeyReference) -> Result<Option<Key>, Stop> {
        Ok(rows::find_key(self, reference)?)
    }

    fn insert_key(&self, key: &Key) -> Result<(), Stop> {
        Ok(rows::insert_key(self, key)?)
    }

    fn update_key(&self, key: &Key) -> Result<(), Stop> {
        Ok(rows::update_key(self, key)?)
    }

    fn charged(&self, subscription: SubscriptionId, period: Period) -> Result<u64, Stop> {
        Ok(rows::charged(self, subscription, period)?)
    }

    fn last_uses(&self) -> Result<HashMap<KeyId, LastUse>, Stop> {
        Ok(last_use::last_uses(self)?)
    }

    fn insert_entry(&self, entry: &NewEntry, operator: &Operator, at: i64) -> Result<(), Stop> {
        audit::insert(self, None, entry, operator, at)
    }

    fn entries(&self, query: &EntryQuery) -> Result<Vec<Entry>, Stop> {
        Ok(audit::entries(self, query)?)
    }

    fn contents(&self) -> Result<Contents, Stop> {
        copy::contents(self)
    }

    fn fill(&self, contents: &Contents) -> Result<(), Stop> {
        copy::fill(self, contents)
    }
}
