//! What is charged to each quota, in the database that also holds the quotas.
//!
//! A lease is one statement: it waits for the row of the period, and commits durably before it
//! replies.

use tokio_postgres::types::Type;

use crate::keys::ledger::{Lease, QuotaLedger};
use crate::keys::postgres::client::{PgClient, Timeout};
use crate::keys::postgres::once::Parameter;
use crate::keys::postgres::pool::Pool;
use crate::keys::quota::Period;
use crate::keys::statements::CHARGED;
use crate::keys::store::{CHANGE, KeyStoreError};
use crate::keys::subscription::SubscriptionId;

/// Most connections of a server for leases: a lease takes the store a fraction of a millisecond,
/// and servers share the connections it allows.
pub(super) const CONNECTIONS_MAX: usize = 4;

/// Takes up to `$4` requests of the quota: what was granted, and what of the period is taken in all;
/// no row if there is no such subscription.
const LEASE: &str = "
    INSERT INTO catalogue.usage (subscription, period_start, period_end, granted, charged)
    SELECT id, $2, $3, least($4, quota), least($4, quota) FROM catalogue.subscriptions WHERE id = $1
    ON CONFLICT (subscription, period_start) DO UPDATE SET (granted, charged) = (
        SELECT granted, usage.charged + granted FROM (
            SELECT greatest(least($4, quota - usage.charged), 0) AS granted
            FROM catalogue.subscriptions WHERE id = $1
        ) AS lease
    )
    RETURNING granted, charged";
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
        let parameters = bigints([&subscription.0, &period.start, &period.end, &wanted]);
        let leased = self.0.run(CHANGE, LEASE, &parameters, |row| {
            Ok(Lease {
                granted: i64::unsigned_abs(row.try_get(0)?),
                charged: i64::unsigned_abs(row.try_get(1)?),
            })
        });
        leased?.ok_or(KeyStoreError::NoSubscriptionId { id: subscription })
    }

    fn charged(&self, subscription: SubscriptionId, period: Period) -> Result<u64, KeyStoreError> {
        let parameters = bigints([&subscription.0, &period.start]);
        let charged = self
            .0
            .run("read", CHARGED, &parameters, |row| row.try_get(0));
        let charged: Option<i64> = charged?;
        Ok(charged.unwrap_or(0).unsigned_abs())
    }

    fn give_back(
        &self,
        subscription: SubscriptionId,
        period: Period,
        unused: u64,
    ) -> Result<(), KeyStoreError> {
        let units = bigint(unused);
        let parameters = bigints([&subscription.0, &period.start, &units]);
        self.0.run_all(CHANGE, GIVE_BACK, &parameters).map(drop)
    }
}

fn bigints<const N: usize>(values: [&i64; N]) -> [Parameter<'_>; N] {
    values.map(|value| (value as _, Type::INT8))
}

/// No quota is larger than a `bigint`.
fn bigint(units: u64) -> i64 {
    i64::try_from(units).unwrap_or(i64::MAX)
}
