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

use crate::keys::audit::Operator;
use crate::keys::contract::{issue, name, new_key};
use crate::keys::key_store::KeyStore;
use crate::keys::store::KeyStoreError;

pub(super) use crate::keys::contract::subscribe;

/// 2026-10-01T12:00:00Z
pub(super) const NOW: i64 = 1_790_856_000;

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

/// Who runs the commands of the tests.
fn operator() -> Operator {
    Operator {
        uid: 1000,
        user: Some(name("alice")),
        sudo_user: None,
    }
}

/// Somebody who lets nobody else in, until it is dropped.
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
