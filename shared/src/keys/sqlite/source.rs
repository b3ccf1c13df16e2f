//! The keys of a file, followed by a server.
//!
//! Each poll reopens the file and reads its revision under SQLite's own lock. Keys are reloaded
//! when the revision's token changed; its number is not enough, since a file may be replaced or
//! restored. If `stat` says that any program wrote to the file, the whole file is checked: usage is
//! written all the time, and damage would look the same.

use std::path::PathBuf;

use crate::keys::sqlite::database::{Database, FileStamp, LockTimeout};
use crate::keys::statements;
use crate::keys::store::{KeySnapshot, KeySource, KeyStoreError, Revision};
use crate::keys::transaction::{Access, Transaction};

/// Follows the keys of the SQLite file at a path, which need not exist yet.
#[derive(Debug)]
pub struct SqliteKeySource {
    path: PathBuf,
    known: Option<Known>,
}

#[derive(Debug)]
struct Known {
    /// The stamp of the file before it was read.
    stamp: FileStamp,
    state: State,
    /// Whether a later poll found the same stamp: file times are coarse, so a file may be written
    /// to again without a new one.
    is_settled: bool,
}

/// The state of keys and subscriptions.
#[derive(Debug, PartialEq, Eq)]
struct State {
    revision: Revision,
    /// Whether no other state has that revision. In an older file, one may.
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
    /// Takes the known state out first, so that an error leaves nothing half known.
    fn poll(&mut self) -> Result<Option<KeySnapshot>, KeyStoreError> {
        let before = self.known.take();
        let stamp = FileStamp::of(&self.path)?;
        let has_stamp = before.as_ref().is_some_and(|known| known.stamp == stamp);
        let is_checked = has_stamp && before.as_ref().is_some_and(|known| known.is_settled);
        let mut database = Database::open(&self.path, LockTimeout::POLLS)?;
        database.refuse_read_only()?;
        let (state, changed) = database.transact(Access::Read, |transaction| {
            let state = state(transaction)?;
            let is_known = before.is_some_and(|known| known.state.is_surely(&state, is_checked));
            if !is_checked {
                transaction.refuse_damaged(stamp.length)?;
            }
            let changed = (!is_known)
                .then(|| statements::snapshot(transaction))
                .transpose()?;
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
    /// A revision that is not unique proves something only if the file was not written to.
    fn is_surely(&self, other: &Self, is_untouched: bool) -> bool {
        self == other && (self.is_unique || is_untouched)
    }
}

const HAS_TOKEN: &str = "SELECT 1 AS has FROM pragma_table_info('revision') WHERE name = 'token'";
const NUMBER: &str = "SELECT CAST(number AS TEXT) AS number FROM catalogue.revision";

fn state(transaction: &dyn Transaction) -> Result<State, KeyStoreError> {
    let has_token = transaction.first(HAS_TOKEN, &[], |row| row.get::<bool>("has"))?;
    if has_token.is_some() {
        return Ok(State {
            revision: statements::revision(transaction)?,
            is_unique: true,
        });
    }
    let number = transaction.first(NUMBER, &[], |row| row.get("number"))?;
    Ok(State {
        revision: Revision(number.unwrap_or_default()),
        is_unique: false,
    })
}
