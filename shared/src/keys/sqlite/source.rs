//! The keys of a file, followed by a server.
//!
//! Each poll opens the file anew and reads the revision under SQLite's own lock, so nobody's lock
//! is overlooked. Where `stat` says that anything was written, whoever did, the whole file is
//! checked and read again: that a revision is the same says nothing of a file that was replaced,
//! restored or damaged.

use std::path::PathBuf;

use rusqlite::Transaction;

use crate::keys::sqlite::database::{Database, FileStamp, Stop};
use crate::keys::sqlite::patience::Patience;
use crate::keys::sqlite::rows;
use crate::keys::store::{KeySnapshot, KeySource, KeyStoreError};

/// Follows the keys of the SQLite file at a path, which need not exist yet.
#[derive(Debug)]
pub struct SqliteKeySource {
    path: PathBuf,
    known: Option<Known>,
}

#[derive(Debug)]
struct Known {
    /// Of the file before it was read.
    stamp: FileStamp,
    revision: i64,
    snapshot: KeySnapshot,
    /// Whether a later poll found the same stamp: file times are coarse, so that a file just
    /// written to may be written to again without a sign of it.
    is_settled: bool,
}

impl SqliteKeySource {
    /// Follows the file at `path`.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            known: None,
        }
    }
}

impl KeySource for SqliteKeySource {
    /// Takes out what is known, so that an error on the way leaves nothing half known.
    fn poll(&mut self) -> Result<Option<KeySnapshot>, KeyStoreError> {
        let before = self.known.take();
        let stamp = FileStamp::of(&self.path)?;
        let has_stamp = before.as_ref().is_some_and(|known| known.stamp == stamp);
        let settled = before
            .as_ref()
            .filter(|known| known.is_settled && has_stamp);
        let settled = settled.map(|known| known.revision);
        let mut database = Database::open(&self.path, Patience::OF_POLLS)?;
        let read = database.read(|transaction| {
            let revision = revision(transaction)?;
            if settled == Some(revision) {
                return Ok(None);
            }
            check(transaction)?;
            Ok(Some((revision, snapshot(transaction)?)))
        })?;
        let Some((revision, snapshot)) = read else {
            self.known = before;
            return Ok(None);
        };
        let is_same = before.is_some_and(|known| known.snapshot == snapshot);
        let changed = (!is_same).then(|| snapshot.clone());
        self.known = Some(Known {
            stamp,
            revision,
            snapshot,
            is_settled: has_stamp,
        });
        Ok(changed)
    }
}

fn revision(transaction: &Transaction<'_>) -> Result<i64, Stop> {
    let sql = "SELECT number FROM revision";
    Ok(transaction.query_row(sql, [], |row| row.get(0))?)
}

/// Refuses a file in which SQLite sees any damage.
fn check(transaction: &Transaction<'_>) -> Result<(), Stop> {
    let found: String = transaction.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    match found.as_str() {
        "ok" => Ok(()),
        _ => Err(Stop::Damaged(found)),
    }
}

fn snapshot(transaction: &Transaction<'_>) -> Result<KeySnapshot, Stop> {
    Ok(KeySnapshot {
        keys: rows::keys(transaction)?,
        subscriptions: rows::subscriptions(transaction)?,
    })
}
