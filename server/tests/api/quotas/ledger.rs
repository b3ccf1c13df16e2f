//! A ledger in memory that servers share. It knows what each of them holds, and can fail before or
//! after a write.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

use server::limits::{LeaseSize, Quotas};
use shared::keys::ledger::{Lease, QuotaLedger};
use shared::keys::name::Name;
use shared::keys::quota::Period;
use shared::keys::store::{CHANGE, KeyStoreError, Location};
use shared::keys::subscription::{Subscription, SubscriptionId, SubscriptionStatus};

use crate::app::WAIT_MAX;

/// A subscription that started at this time.
pub(super) fn subscription(quota: u64, started_at: i64) -> Subscription {
    Subscription {
        id: SubscriptionId(1),
        name: Name::parse("Acme").unwrap(),
        status: SubscriptionStatus::Active,
        quota,
        started_at,
        created_at: started_at,
        deleted_at: None,
    }
}

/// How the next lease or return of units fails.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Trouble {
    #[default]
    None,
    /// Nothing is written.
    Before,
    /// It is written, but the reply is lost: the server dies, or the disk fails after the commit.
    After,
}

/// Units by the end of their period.
pub(super) type Units = HashMap<i64, u64>;

/// The units of the period with this end.
pub(super) fn of(units: &Units, end: i64) -> u64 {
    units.get(&end).copied().unwrap_or(0)
}

/// The durable state of the ledger.
#[derive(Debug, Default)]
pub(super) struct Durable {
    pub(super) quota: u64,
    pub(super) charged: Units,
}

/// The ledger as one server uses it.
#[derive(Debug, Default)]
pub(super) struct Access {
    shared: Arc<Mutex<Durable>>,
    seen: Mutex<Seen>,
}

/// What one server did with the ledger.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub(super) trouble: Trouble,
    /// Units granted and not given back.
    pub(super) taken: Units,
}

impl Access {
    pub(super) fn new(shared: &Arc<Mutex<Durable>>) -> Arc<Self> {
        Arc::new(Self {
            shared: Arc::clone(shared),
            seen: Mutex::default(),
        })
    }

    pub(super) fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap()
    }

    /// The quotas of a server that uses this ledger.
    pub(super) fn quotas(self: &Arc<Self>, size: LeaseSize) -> Quotas {
        Quotas::with_lease_size(Arc::clone(self) as _, size).with_wait(WAIT_MAX)
    }

    /// Writes to the ledger, unless the current trouble prevents it.
    fn write<T>(
        &self,
        write: impl FnOnce(&mut Durable, &mut Seen) -> T,
    ) -> Result<T, KeyStoreError> {
        let mut seen = self.seen();
        let trouble = std::mem::take(&mut seen.trouble);
        let location = Location::File("memory".to_owned());
        if trouble == Trouble::Before {
            return Err(KeyStoreError::Missing { location });
        }
        let written = write(&mut self.shared.lock().unwrap(), &mut seen);
        match trouble {
            Trouble::After => Err(KeyStoreError::Failed {
                attempt: CHANGE,
                location,
                source: "lost".into(),
            }),
            _ => Ok(written),
        }
    }
}

impl QuotaLedger for Access {
    fn lease(
        &self,
        _: SubscriptionId,
        period: Period,
        wanted: u64,
    ) -> Result<Lease, KeyStoreError> {
        self.write(|durable, seen| {
            let quota = durable.quota;
            let charged = durable.charged.entry(period.end).or_default();
            let granted = wanted.min(quota.saturating_sub(*charged));
            *charged += granted;
            *seen.taken.entry(period.end).or_default() += granted;
            Lease {
                granted,
                charged: *charged,
            }
        })
    }

    fn charged(&self, _: SubscriptionId, period: Period) -> Result<u64, KeyStoreError> {
        let durable = self.shared.lock().unwrap();
        Ok(of(&durable.charged, period.end))
    }

    fn give_back(
        &self,
        _: SubscriptionId,
        period: Period,
        unused: u64,
    ) -> Result<(), KeyStoreError> {
        self.write(|durable, seen| {
            for units in [&mut durable.charged, &mut seen.taken] {
                let units = units.get_mut(&period.end).unwrap();
                *units = units.checked_sub(unused).unwrap();
            }
        })
    }
}
