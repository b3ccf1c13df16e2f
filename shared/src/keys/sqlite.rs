//! Keys, subscriptions and usage in one SQLite file, shared by commands and servers.
//!
//! Commits are synced before they are reported (WAL with `synchronous=FULL`). Files are only ever
//! looked at with `stat`: opening the database file without SQLite and closing it again would
//! drop SQLite's own locks on it.

mod database;
mod ledger;
mod rows;
mod schema;
mod source;
mod store;

pub use ledger::SqliteLedger;
pub use source::SqliteKeySource;
pub use store::SqliteKeyStore;

#[cfg(test)]
mod tests;
