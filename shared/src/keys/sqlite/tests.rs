//! The SQLite file: what it keeps, what it refuses, and what servers notice of it.

mod audit;
mod examine;
mod files;
mod last_use;
mod ledger;
mod reserve;
mod source;
mod versions;

use std::fmt::Debug;
use std::path::PathBuf;

use rusqlite::Connection;
use tempfile::TempDir;

use crate::keys::contract::{issue, name, operator};
use crate::keys::key_store::KeyStore;
use crate::keys::store::KeyStoreError;

pub(super) use crate::keys::contract::{NOW, subscribe};

/// A directory for one store.
pub(super) struct Place(TempDir);

impl Place {
    pub(super) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(super) fn path(&self) -> PathBuf {
        self.0.path().join("keys.sqlite")
    }

    pub(super) fn store(&self) -> KeyStore {
        KeyStore::open_or_create(&self.path(), operator()).unwrap()
    }

    fn open(&self) -> Result<KeyStore, KeyStoreError> {
        KeyStore::open(&self.path(), operator())
    }
}

/// Keeps everyone else out, until it is dropped.
pub(super) fn exclusive_lock(place: &Place) -> Connection {
    let locker = Connection::open(place.path()).unwrap();
    locker.execute_batch("BEGIN EXCLUSIVE").unwrap();
    locker
}

/// The whole chain of an error, with the place taken out.
fn error<T: Debug>(result: Result<T, impl std::error::Error>, place: &Place) -> String {
    let error = result.unwrap_err();
    let causes = std::iter::successors(error.source(), |cause| cause.source());
    let chain = causes.fold(error.to_string(), |chain, cause| {
        format!("{chain}: {cause}")
    });
    chain.replace(place.0.path().to_str().unwrap(), "[dir]")
}
