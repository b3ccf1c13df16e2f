//! What is charged to each quota, in the database that also holds the quotas.
//!
//! A lease is one statement, a function of the schema: it waits for the row of the period, reads
//! the current quota, and commits durably before it replies.

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
        let parameters = bigints([&subscription.0, &period.start, &period.end, &wanted]);
        let leased = self.0.run(CHANGE, LEASE, &parameters, |row| {
            Ok([row.try_get(0)?, row.try_get(1)?])
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
        let unused = bigint(unused);
        let parameters = bigints([&subscription.0, &period.start, &unused]);
        let given_back = self.0.run(CHANGE, GIVE_BACK, &parameters, |_row| Ok(()));
        given_back.map(|_none| ())
    }
}

fn bigints<const N: usize>(values: [&i64; N]) -> [Parameter<'_>; N] {
    values.map(|value| (value as _, Type::INT8))
}

/// No quota is larger than a `bigint`.
fn bigint(units: u64) -> i64 {
    i64::try_from(units).unwrap_or(i64::MAX)
}
