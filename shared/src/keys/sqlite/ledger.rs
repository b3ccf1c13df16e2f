//! What is charged to each quota, in the file that also holds the quotas.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use rusqlite::params;

use crate::keys::ledger::{Lease, QuotaLedger};
use crate::keys::quota::Period;
use crate::keys::sqlite::database::Database;
use crate::keys::sqlite::patience::Patience;
use crate::keys::sqlite::rows;
use crate::keys::store::KeyStoreError;
use crate::keys::subscription::SubscriptionId;

/// The quota ledger in the SQLite file at a path.
#[derive(Debug)]
pub struct SqliteLedger {
    path: PathBuf,
    /// Those of one process queue here, and not by trying SQLite's lock again and again.
    turn: Mutex<()>,
}

impl SqliteLedger {
    /// The ledger in the file at `path`.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            turn: Mutex::new(()),
        }
    }

    /// Works on the file that is at the path now: a charge to one that was moved away would be
    /// lost, and pages remembered of one that was overwritten would damage the new one.
    fn on_current<T>(
        &self,
        work: impl FnOnce(&mut Database) -> Result<T, KeyStoreError>,
    ) -> Result<T, KeyStoreError> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        work(&mut Database::open(&self.path, Patience::OF_LEASES)?)
    }
}

impl QuotaLedger for SqliteLedger {
    fn lease(
        &self,
        subscription: SubscriptionId,
        period: Period,
        wanted: u64,
    ) -> Result<Lease, KeyStoreError> {
        let lease = |database: &mut Database| {
            database.change(|transaction| {
                let found = rows::subscription_numbered(transaction, subscription)?;
                let found = found.ok_or(KeyStoreError::NoSubscriptionId { id: subscription })?;
                let before = rows::charged(transaction, subscription, period)?;
                let granted = wanted.min(found.quota.saturating_sub(before));
                if granted == 0 {
                    return Ok(Lease {
                        granted,
                        charged: before,
                    });
                }
                let sql = "INSERT INTO usage (subscription, period_start, period_end, charged)
                    VALUES (?1, ?2, ?3, ?4)
                    ON CONFLICT DO UPDATE SET charged = charged + excluded.charged";
                let number = granted.cast_signed();
                transaction.execute(
                    sql,
                    params![subscription.0, period.start, period.end, number],
                )?;
                Ok(Lease {
                    granted,
                    charged: before + granted,
                })
            })
        };
        self.on_current(lease)
    }

    fn charged(&self, subscription: SubscriptionId, period: Period) -> Result<u64, KeyStoreError> {
        self.on_current(|database| {
            database.read(|transaction| Ok(rows::charged(transaction, subscription, period)?))
        })
    }

    fn give_back(
        &self,
        subscription: SubscriptionId,
        period: Period,
        unused: u64,
    ) -> Result<(), KeyStoreError> {
        let unused = i64::try_from(unused).unwrap_or(i64::MAX);
        self.on_current(|database| {
            database.change(|transaction| {
                let sql = "UPDATE usage SET charged = max(0, charged - ?3)
                    WHERE subscription = ?1 AND period_start = ?2";
                transaction.execute(sql, [subscription.0, period.start, unused])?;
                Ok(())
            })
        })
    }
}
