//! The store of keys for commands, in a SQLite file.

use std::path::Path;

use crate::keys::audit::Operator;
use crate::keys::sqlite::database::Database;
use crate::keys::sqlite::patience::Patience;
use crate::keys::store::KeyStoreError;
use crate::keys::table_store::TableStore;

/// Keys, subscriptions and usage in a SQLite file.
pub type SqliteKeyStore = TableStore<Database>;

impl SqliteKeyStore {
    /// Opens the store at `path`, which must exist.
    pub fn open(path: &Path, operator: Operator) -> Result<Self, KeyStoreError> {
        let database = Database::open_complete(path, Patience::OF_COMMANDS)?;
        Ok(Self::new(database, operator))
    }

    /// Opens the store at `path`, which is made where there is none, readable by its owner alone.
    /// Its directory must exist.
    pub fn open_or_create(path: &Path, operator: Operator) -> Result<Self, KeyStoreError> {
        let database = Database::open_or_create(path, Patience::OF_COMMANDS)?;
        Ok(Self::new(database, operator))
    }
}
