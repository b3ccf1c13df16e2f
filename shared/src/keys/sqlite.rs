//! Keys, subscriptions and usage in one SQLite file, shared by commands and servers.
//!
//! Commits are synced before they are reported, rollback journal included. Between commits the
//! journal stays, empty, to keep its disk space. There is no write-ahead log: its space could not be
//! kept free for the last changes of a full disk, and no second file can be lost. A server reopens
//! the file each time, so that it is always the one at the path, read from disk.

mod backup;
mod database;
mod examine;
mod failure;
mod files;
mod last_use;
mod ledger;
mod reserve;
mod schema;
mod source;

pub use backup::back_up;
pub(super) use database::Database;
pub use examine::{Examination, WholeOrNot, examine, revision};
pub use last_use::SqliteLastUses;
pub use ledger::SqliteLedger;
pub use source::SqliteKeySource;

#[cfg(test)]
pub(in crate::keys) mod tests;
