//! Keys, subscriptions and usage in a PostgreSQL database, shared by commands and by several
//! servers.
//!
//! The tables are those of the SQLite file, in their own schema. Only an explicit command creates
//! them. Everything has a timeout; a connection that timed out is closed, since a late
//! reply belongs to an earlier query. Nothing here prints a password, and nothing outside names a
//! PostgreSQL library.
//!
//! Reading order: where a store is ([`PostgresAddress`]), its client ([`PgClient`]), how it is
//! created ([`make`]), and what uses it: [`KeyStore`], [`KeySource`], [`QuotaLedger`] and
//! [`LastUses`].
//!
//! [`KeyStore`]: crate::keys::key_store::KeyStore
//! [`KeySource`]: crate::keys::store::KeySource
//! [`QuotaLedger`]: crate::keys::ledger::QuotaLedger
//! [`LastUses`]: crate::keys::last_use::LastUses

mod address;
mod client;
mod connection;
mod database;
mod examine;
mod failure;
mod last_use;
mod ledger;
mod once;
mod pool;
mod schema;
mod source;

/// Most connections of a server: one that follows the keys, those for leases and last uses, and for
/// each of these two one that checks whether an absent store is back.
pub const SERVER_CONNECTIONS_MAX: usize =
    1 + ledger::CONNECTIONS_MAX + last_use::CONNECTIONS_MAX + 2;

pub use address::{AddressError, PostgresAddress};
pub use client::PgClient;
pub(super) use client::Timeout;
pub(super) use database::Database;
pub use database::make;
pub use examine::{Examination, examine, revision};
pub use last_use::PostgresLastUses;
pub use ledger::PostgresLedger;
pub use source::{PostgresKeySource, WithoutServers};

#[cfg(test)]
pub(in crate::keys) mod tests;
