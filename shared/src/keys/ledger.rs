//! How much of a quota is used: the seam behind which several servers can share one count.

use crate::keys::quota::Period;
use crate::keys::store::KeyStoreError;
use crate::keys::subscription::SubscriptionId;

/// Requests taken from a quota in advance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lease {
    /// How many were granted: as many as wanted, or as many as were left.
    pub granted: u64,
    /// How many are taken in the period in all, including this lease.
    pub charged: u64,
}

/// Counts the requests taken from the quota of each subscription and period.
///
/// A server leases a few requests at a time, counts them down in memory and soon gives back what it
/// does not use. So a crash loses no charge, and the count of a store runs ahead by what is leased
/// but unused.
pub trait QuotaLedger: Send + Sync {
    /// Takes up to `wanted` requests of the subscription's quota, which is read in the same
    /// transaction. Durable before it returns.
    fn lease(
        &self,
        subscription: SubscriptionId,
        period: Period,
        wanted: u64,
    ) -> Result<Lease, KeyStoreError>;

    /// How many requests of the period are taken, used or not.
    fn charged(&self, subscription: SubscriptionId, period: Period) -> Result<u64, KeyStoreError>;

    /// Gives back what was taken and not used, as a server does when it is idle or stops. After an
    /// error it may still have been given back, unless the error is
    /// [known to have changed nothing](KeyStoreError::is_known_unchanged).
    fn give_back(
        &self,
        subscription: SubscriptionId,
        period: Period,
        unused: u64,
    ) -> Result<(), KeyStoreError>;
}
