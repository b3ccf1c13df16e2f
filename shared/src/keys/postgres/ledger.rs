//! What is charged to each quota, in the database that also holds the quotas.
//!
//! A lease is one statement: it waits for the row of the period, and commits durably before it
//! replies.

use crate::keys::ledger::{Lease, QuotaLedger};
use crate::keys::postgres::client::{PgClient, Timeout};
use crate::keys::postgres::pool::Pool;
use crate::keys::quota::Period;
use crate::keys::statements;
use crate::keys::store::{CHANGE, KeyStoreError};
use crate::keys::subscription::SubscriptionId;

/// Most connections of a server for leases: a lease takes the store a fraction of a millisecond,
/// and servers share the connections it allows.
pub(super) const CONNECTIONS_MAX: usize = 4;

/// The quota ledger in a PostgreSQL database.
#[derive(Debug)]
pub struct PostgresLedger(Pool);

impl PostgresLedger {
    /// The ledger in the database of `client`.
    pub fn new(client: &PgClient) -> Self {
        Self(Pool::new(client, Timeout::LEASES, CONNECTIONS_MAX))
    }
}

impl QuotaLedger for PostgresLedger {
    fn lease(
        &self,
        subscription: SubscriptionId,
        period: Period,
        wanted: u64,
    ) -> Result<Lease, KeyStoreError> {
        let leased = statements::lease(&self.0.to(CHANGE), subscription, period, wanted)?;
        leased.ok_or(KeyStoreError::NoSubscriptionId { id: subscription })
    }

    fn charged(&self, subscription: SubscriptionId, period: Period) -> Result<u64, KeyStoreError> {
        statements::charged(&self.0.to("read"), subscription, period)
    }

    fn give_back(
        &self,
        subscription: SubscriptionId,
        period: Period,
        unused: u64,
    ) -> Result<(), KeyStoreError> {
        statements::give_back(&self.0.to(CHANGE), subscription, period, unused)
    }
}
