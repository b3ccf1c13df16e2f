//! What is charged to each quota, in the database that also holds the quotas.
//!
//! A lease is one statement, a function of the schema: it waits for the row of the period, reads
//! the current quota, and commits durably before it replies.

use std::sync::Arc;

use tokio_postgres::types::Type;
use tokio_postgres::{Error, Row};

use crate::keys::ledger::{Lease, QuotaLedger};
use crate::keys::postgres::charges::Charges;
use crate::keys::postgres::client::{PgClient, Timeout};
use crate::keys::postgres::failover::report_after_failovers;
use crate::keys::postgres::once::Parameter;
use crate::keys::postgres::pool::Pool;
use crate::keys::postgres::timeline::Timeline;
use crate::keys::quota::Period;
use crate::keys::statements::CHARGED;
use crate::keys::store::{CHANGE, KeyStoreError};
use crate::keys::subscription::SubscriptionId;

/// Most connections of a server for leases: a lease takes the store a fraction of a millisecond,
/// and servers share the connections it allows.
pub(super) const CONNECTIONS_MAX: usize = 4;

const LEASE: &str =
    "SELECT granted, charged, catalogue.here() FROM catalogue.lease($1, $2, $3, $4)";
const GIVE_BACK: &str = "SELECT catalogue.give_back($1, $2, $3)";

/// The quota ledger in a PostgreSQL database.
#[derive(Debug)]
pub struct PostgresLedger(Arc<Ledger>);

/// Its connections, and what is known of charges.
#[derive(Debug)]
pub(super) struct Ledger {
    pub(super) pool: Pool,
    pub(super) charges: Charges,
}

impl PostgresLedger {
    /// The ledger in the database of `client`, to which what a failover loses is reported for as
    /// long as it exists.
    pub fn new(client: &PgClient) -> Self {
        let ledger = Arc::new(Ledger::new(client));
        client.spawn(report_after_failovers(Arc::downgrade(&ledger)));
        Self(ledger)
    }
}

impl Ledger {
    /// One that reports nothing by itself.
    pub(super) fn new(client: &PgClient) -> Self {
        Self {
            pool: Pool::new(client, Timeout::LEASES, CONNECTIONS_MAX),
            charges: Charges::default(),
        }
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
        let leased = self.0.pool.run(CHANGE, LEASE, &parameters, |row| {
            let lease = Lease {
                granted: i64::unsigned_abs(row.try_get(0)?),
                charged: i64::unsigned_abs(row.try_get(1)?),
            };
            Ok((lease, timeline(row, 2)?))
        });
        let none = KeyStoreError::NoSubscriptionId { id: subscription };
        let (lease, timeline) = leased?.ok_or(none)?;
        self.0
            .charges
            .note(subscription, period, lease.charged, timeline);
        Ok(lease)
    }

    fn charged(&self, subscription: SubscriptionId, period: Period) -> Result<u64, KeyStoreError> {
        let parameters = bigints([&subscription.0, &period.start]);
        let charged = self
            .0
            .pool
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
        let (units, began) = (bigint(unused), self.0.charges.begin());
        let parameters = bigints([&subscription.0, &period.start, &units]);
        let given_back = self
            .0
            .pool
            .run(CHANGE, GIVE_BACK, &parameters, |row| timeline(row, 0));
        let timeline = given_back?.flatten();
        self.0
            .charges
            .give_back(subscription, period, unused, timeline, began);
        Ok(())
    }
}

/// On which timeline a row was made, if it says so.
fn timeline(row: &Row, column: usize) -> Result<Option<Timeline>, Error> {
    let name: Option<&str> = row.try_get(column)?;
    Ok(name.and_then(Timeline::named))
}

fn bigints<const N: usize>(values: [&i64; N]) -> [Parameter<'_>; N] {
    values.map(|value| (value as _, Type::INT8))
}

/// No quota is larger than a `bigint`.
fn bigint(units: u64) -> i64 {
    i64::try_from(units).unwrap_or(i64::MAX)
}
