//! Keys, subscriptions and usage in one SQLite file, shared by commands and servers.
//!
//! Commits are synced before they are reported, their rollback journal and its end included. The
//! journal stays in between, without contents: only its room on the disk is kept.
//! There is no write-ahead log: an exclusive lock on the file stops every reader, a file alone is
//! a whole backup, and no second file can be lost. A server opens the file anew
//! each time, so that it is always the one at the path, read from the disk. Files are otherwise
//! only looked at with `stat`: opening the database file without SQLite and closing it again would
//! drop SQLite's own locks on it.

mod database;
mod examine;
mod last_use;
mod ledger;
mod reserve;
mod schema;
mod source;

pub(super) use database::Database;
pub use examine::{Examination, Form, WholeOrNot, examine, revision};
pub use last_use::SqliteLastUses;
pub use ledger::SqliteLedger;
pub use source::SqliteKeySource;

#[cfg(test)]
pub(in crate::keys) mod tests;
