//! Keys, subscriptions and usage in one SQLite file, shared by commands and servers.
//!
//! Commits are synced before they are reported, rollback journal included. Between commits the
//! journal stays, empty, to keep its disk space. There is no write-ahead log: an exclusive lock
//! stops every reader, one file is a whole backup, and no second file can be lost. A server reopens
//! the file each time, so that it is always the one at the path, read from disk. Everything else
//! uses only `stat`: opening the database file without SQLite and closing it again would drop
//! SQLite's own locks on it.

mod database;
mod examine;
mod failure;
mod files;
mod last_use;
mod ledger;
mod reserve;
mod schema;
mod source;

pub(super) use database::Database;
pub use examine::{Examination, WholeOrNot, examine, revision};
pub use last_use::SqliteLastUses;
pub use ledger::SqliteLedger;
pub use source::SqliteKeySource;

#[cfg(test)]
pub(in crate::keys) mod tests;
