//! The keys of a file, followed by a server.
//!
//! Each poll opens the file anew and reads under SQLite's own lock which state it is in, so nobody's
//! lock is overlooked. Keys are read again when that state is another one, by its token and not by
//! its number, since a file may be replaced or restored. Where `stat` says that anything was
//! written, whoever did, the whole file is checked: usage is written all the time, and damage too
//! looks like nothing else.

use std::path::PathBuf;

use rusqlite::{OptionalExtension, Transaction};

use crate::keys::sqlite::damage::refuse_damaged;
use crate::keys::sqlite::database::{Database, FileStamp, Stop};
use crate::keys::sqlite::patience::Patience;
use crate::keys::sqlite::rows;
use crate::keys::store::{KeySnapshot, KeySource, KeyStoreError, Revision};

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
    state: State,
    /// Whether a later poll found the same stamp: file times are coarse, so that a file just
    /// written to may be written to again without a sign of it.
    is_settled: bool,
}

/// The state of keys and subscriptions.
#[derive(Debug, PartialEq, Eq)]
struct State {
    revision: Revision,
    /// Whether no other state has that revision. In a file of an earlier version one may.
    is_unique: bool,
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
        let is_checked = has_stamp && before.as_ref().is_some_and(|known| known.is_settled);
        let mut database = Database::open(&self.path, Patience::OF_POLLS)?;
        database.refuse_read_only()?;
        let (state, changed) = database.read(|transaction| {
            let state = state(transaction)?;
            let is_known = before.is_some_and(|known| known.state.is_surely(&state, is_checked));
            if !is_checked {
                refuse_damaged(transaction, stamp.length)?;
            }
            let changed = (!is_known).then(|| snapshot(transaction)).transpose()?;
            Ok((state, changed))
        })?;
        self.known = Some(Known {
            stamp,
            state,
            is_settled: has_stamp,
        });
        Ok(changed)
    }

    fn revision(&self) -> Option<Revision> {
        Some(self.known.as_ref()?.state.revision.clone())
    }
}

impl State {
    /// A revision that is not unique says enough only of a file that nobody wrote to.
    fn is_surely(&self, other: &Self, is_untouched: bool) -> bool {
        self == other && (self.is_unique || is_untouched)
    }
}

fn state(transaction: &Transaction<'_>) -> Result<State, Stop> {
    let has_token = "SELECT 1 FROM pragma_table_info('revision') WHERE name = 'token'";
    let has_token = transaction.query_row(has_token, [], |_row| Ok(()));
    if has_token.optional()?.is_some() {
        let revision = rows::revision(transaction)?;
        return Ok(State {
            revision,
            is_unique: true,
        });
    }
    let number = "SELECT CAST(number AS TEXT) FROM revision";
    let number = transaction.query_row(number, [], |row| row.get(0))?;
    Ok(State {
        revision: Revision(number),
        is_unique: false,
    })
}

fn snapshot(transaction: &Transaction<'_>) -> Result<KeySnapshot, Stop> {
    Ok(KeySnapshot {
        keys: rows::keys(transaction)?,
        subscriptions: rows::subscriptions(transaction)?,
    })
}
