//! When keys were last used: a table that servers write and commands read.

use tokio_postgres::types::Type;

use crate::keys::key::KeyId;
use crate::keys::last_use::LastUses;
use crate::keys::postgres::client::{PgClient, Timeout};
use crate::keys::postgres::once::Parameter;
use crate::keys::postgres::pool::Pool;
use crate::keys::store::{CHANGE, KeyStoreError};

/// One thread of a server records uses.
pub(super) const CONNECTIONS_MAX: usize = 1;

/// Ordered by key, so that two servers never deadlock.
const RECORD: &str = "INSERT INTO catalogue.last_uses (key, at)
    SELECT keys.id, max(used.at)
    FROM unnest($1::text[], $2::bigint[]) AS used (key, at)
    JOIN catalogue.keys ON keys.id = used.key
    GROUP BY keys.id ORDER BY keys.id
    ON CONFLICT (key) DO UPDATE SET at = excluded.at WHERE last_uses.at < excluded.at";

/// The last uses in a PostgreSQL database.
#[derive(Debug)]
pub struct PostgresLastUses(Pool);

impl PostgresLastUses {
    /// The last uses in the database of `client`.
    pub fn new(client: &PgClient) -> Self {
        Self(Pool::new(client, Timeout::USES, CONNECTIONS_MAX))
    }
}

impl LastUses for PostgresLastUses {
    /// Keys that are no longer in the database are left out.
    fn record(&self, uses: &[(KeyId, i64)]) -> Result<(), KeyStoreError> {
        let keys: Vec<&str> = uses.iter().map(|(key, _at)| key.as_str()).collect();
        let times: Vec<i64> = uses.iter().map(|(_key, at)| *at).collect();
        let parameters: [Parameter<'_>; 2] =
            [(&keys, Type::TEXT_ARRAY), (&times, Type::INT8_ARRAY)];
        let recorded = self.0.run(CHANGE, RECORD, &parameters, |_row| Ok(()));
        recorded.map(|_none| ())
    }
}
