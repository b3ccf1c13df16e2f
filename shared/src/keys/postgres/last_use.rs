//! How keys were used: a table that servers write and commands read.

use crate::keys::last_use::{KeyUse, LastUses};
use crate::keys::postgres::client::{PgClient, Timeout};
use crate::keys::postgres::pool::Pool;
use crate::keys::statements;
use crate::keys::store::{CHANGE, KeyStoreError};

/// One thread of a server records uses.
pub(super) const CONNECTIONS_MAX: usize = 1;

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
    fn record(&self, uses: &[KeyUse]) -> Result<(), KeyStoreError> {
        statements::record_uses(&self.0.to(CHANGE), uses)
    }
}
