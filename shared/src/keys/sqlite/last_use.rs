//! When keys were last used, in the file that also holds the keys.

use std::path::PathBuf;

use crate::keys::key::KeyId;
use crate::keys::last_use::LastUses;
use crate::keys::sqlite::database::{Database, LockTimeout};
use crate::keys::store::KeyStoreError;
use crate::keys::transaction::{Access, Column, Transaction as _};

const RECORD: &str = "INSERT INTO catalogue.last_uses (key, at)
    SELECT id, $2 FROM catalogue.keys WHERE id = $1
    ON CONFLICT DO UPDATE SET at = max(at, excluded.at)";

/// The last uses in the SQLite file at a path. An older file, which has no table for them, is
/// refused unchanged.
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
    /// Keys that are no longer in the file are left out.
    fn record(&self, uses: &[(KeyId, i64)]) -> Result<(), KeyStoreError> {
        // Waiting for the commit keeps readers out, so it must be shorter than the polls of
        // servers.
        let mut database = Database::open(&self.path, LockTimeout::POLLS)?;
        database.transact(Access::UrgentChange, |transaction| {
            let mut uses = uses.iter();
            uses.try_for_each(|(key, at)| transaction.execute(RECORD, &[key.value(), at.value()]))
        })
    }

    fn keep_reserve(&self) {
        Database::put_reserve_back(&self.path);
    }
}
