//! The SQLite file: what it keeps, what it refuses, and what servers see of it.

mod audit;
mod backup;
mod examine;
mod files;
mod last_use;
mod ledger;
mod reserve;
mod source;

use std::fmt::Debug;
use std::path::PathBuf;

use rusqlite::Connection;
use tempfile::TempDir;

use crate::base::error_chain::chain;
use crate::keys::key_store::KeyStore;
use crate::keys::last_use::LastUses;
use crate::keys::ledger::QuotaLedger;
use crate::keys::sqlite::database::{Database, LockTimeout};
use crate::keys::sqlite::{SqliteKeySource, SqliteLastUses, SqliteLedger};
use crate::keys::store::{KeySource, KeyStoreError};
use crate::keys::tests::store_tests::{issue, name, operator, sqlite};

pub(super) use crate::keys::tests::store_tests::{NOW, TestStore, subscribe};

/// A directory for the file of one store.
pub(in crate::keys) struct StoreFile(TempDir);

impl StoreFile {
    pub(in crate::keys) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(super) fn path(&self) -> PathBuf {
        self.0.path().join("keys.sqlite")
    }

    fn open(&self) -> Result<KeyStore, KeyStoreError> {
        KeyStore::open(&self.path(), operator())
    }
}

impl TestStore for StoreFile {
    fn another(&self) -> Box<dyn TestStore> {
        Box::new(sqlite())
    }

    fn store(&self) -> KeyStore {
        KeyStore::open_or_create(&self.path(), operator()).unwrap()
    }

    fn ledger(&self) -> Box<dyn QuotaLedger> {
        Box::new(SqliteLedger::new(self.path()))
    }

    fn source(&self) -> Box<dyn KeySource> {
        Box::new(SqliteKeySource::new(self.path()))
    }

    fn last_uses(&self) -> Box<dyn LastUses> {
        Box::new(SqliteLastUses::new(self.path()))
    }

    fn by_hand(&self, sql: &str) -> Result<(), String> {
        let connection = Connection::open(self.path()).unwrap();
        let done = connection.execute_batch(&sql.replace("catalogue.", ""));
        done.map_err(|error| error.to_string())
    }
}

/// Keeps everyone else out until it is dropped.
pub(super) fn exclusive_lock(place: &StoreFile) -> Connection {
    let locker = Connection::open(place.path()).unwrap();
    locker.execute_batch("BEGIN EXCLUSIVE").unwrap();
    locker
}

/// The whole chain of an error, without the path.
fn error<T: Debug>(
    result: Result<T, impl std::error::Error + 'static>,
    place: &StoreFile,
) -> String {
    chain(&result.unwrap_err()).replace(place.0.path().to_str().unwrap(), "[dir]")
}

#[test]
fn no_connection_needs_a_directory_for_temporary_files() {
    let place = StoreFile::new();
    drop(place.store());
    let changing = Database::open_complete(&place.path()).unwrap();
    let reading = Database::connect_to_read(&place.path(), LockTimeout::POLLS).unwrap();
    for database in [changing, reading] {
        let connection = &database.connection;
        let store = connection.pragma_query_value(None, "temp_store", |row| row.get::<_, i64>(0));
        assert_eq!(store, Ok(2), "in memory");
    }
}
