//! What is charged to each quota, in the database that also holds the quotas.
//!
//! A lease is one statement, a function of the schema: it waits for the row of the period, reads
//! the current quota, and commits durably before it replies.

use tokio_postgres::types::ToSql;

use crate::keys::ledger::{Lease, QuotaLedger};
use crate::keys::postgres::client::{PgClient, Timeout};
use crate::keys::postgres::pool::Pool;
use crate::keys::quota::Period;
use crate::keys::statements::CHARGED;
use crate::keys::store::{CHANGE, KeyStoreError};
use crate::keys::subscription::SubscriptionId;

/// Most connections of a server for leases: a lease takes the store a fraction of a millisecond,
/// and servers share the connections it allows.
pub(super) const CONNECTIONS_MAX: usize = 4;

const LEASE: &str = "SELECT granted, charged FROM catalogue.lease($1, $2, $3, $4)";
const GIVE_BACK: &str = "UPDATE catalogue.usage SET charged = greatest(charged - $3, 0)
    WHERE subscription = $1 AND period_start = $2";

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
        let wanted = bigint(wanted);
        let leased = self.0.run(CHANGE, async |connection| {
            let statement = connection.prepare_cached(LEASE).await?;
            let parameters: [&(dyn ToSql + Sync); 4] =
                [&subscription.0, &period.start, &period.end, &wanted];
            let row = connection.query_opt(&statement, &parameters).await?;
            row.map(|row| Ok([row.try_get(0)?, row.try_get(1)?]))
                .transpose()
        });
        match leased? {
            Some([granted, charged]) => Ok(Lease {
                granted: i64::unsigned_abs(granted),
                charged: i64::unsigned_abs(charged),
            }),
            None => Err(KeyStoreError::NoSubscriptionId { id: subscription }),
        }
    }

    fn charged(&self, subscription: SubscriptionId, period: Period) -> Result<u64, KeyStoreError> {
        let charged = self.0.run("read", async |connection| {
            let statement = connection.prepare_cached(CHARGED).await?;
            let parameters: [&(dyn ToSql + Sync); 2] = [&subscription.0, &period.start];
            let row = connection.query_opt(&statement, &parameters).await?;
            row.map(|row| row.try_get(0)).transpose()
        });
        let charged: Option<i64> = charged?;
        Ok(charged.unwrap_or(0).unsigned_abs())
    }

    fn give_back(
        &self,
        subscription: SubscriptionId,
        period: Period,
        unused: u64,
    ) -> Result<(), KeyStoreError> {
        let unused = bigint(unused);
        let given_back = self.0.run(CHANGE, async |connection| {
            let statement = connection.prepare_cached(GIVE_BACK).await?;
            let parameters: [&(dyn ToSql + Sync); 3] = [&subscription.0, &period.start, &unused];
            connection.execute(&statement, &parameters).await
        });
        given_back.map(|_rows| ())
    }
}

/// No quota is larger than a `bigint`.
fn bigint(units: u64) -> i64 {
    i64::try_from(units).unwrap_or(i64::MAX)
}
