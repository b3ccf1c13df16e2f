//! How keys were used, in the file that also holds the keys.

use std::path::PathBuf;

use crate::keys::last_use::{KeyUse, LastUses};
use crate::keys::sqlite::database::{Database, LockTimeout};
use crate::keys::statements;
use crate::keys::store::KeyStoreError;
use crate::keys::transaction::Access;

/// The last uses in the SQLite file at a path.
#[derive(Debug)]
pub struct SqliteLastUses {
    path: PathBuf,
}

impl SqliteLastUses {
    /// The last uses in the file at `path`.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }
}

impl LastUses for SqliteLastUses {
    fn record(&self, uses: &[KeyUse]) -> Result<(), KeyStoreError> {
        // Waiting for the commit keeps readers out, so it must be shorter than the polls of
        // servers.
        let mut database = Database::open(&self.path, LockTimeout::POLLS)?;
        database.transact(Access::UrgentChange, |transaction| {
            statements::record_uses(transaction, uses)
        })
    }

    fn keep_reserve(&self) {
        Database::put_reserve_back(&self.path);
    }
}
