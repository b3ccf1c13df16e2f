//! The keys of a file, followed by a server.
//!
//! Each poll reopens the file and reads its revision under SQLite's own lock. Keys are reloaded
//! when the revision changed: no two states have the same, also those of a file that was replaced
//! or restored. The file is read through once, before the first keys: a whole read takes longer the
//! more keys there are, and nothing can be charged meanwhile.

use std::path::PathBuf;

use crate::keys::sqlite::database::{Database, LockTimeout};
use crate::keys::statements;
use crate::keys::store::{KeySnapshot, KeySource, KeyStoreError, Revision};
use crate::keys::transaction::Access;

/// Follows the keys of the SQLite file at a path, which need not exist yet.
#[derive(Debug)]
pub struct SqliteKeySource {
    path: PathBuf,
    known: Option<Revision>,
    /// Whether the file was found to be whole when this source began.
    is_checked: bool,
}

impl SqliteKeySource {
    /// Follows the file at `path`.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            known: None,
            is_checked: false,
        }
    }
}

impl KeySource for SqliteKeySource {
    /// Takes the known revision out first, so that an error leaves nothing half known.
    fn poll(&mut self) -> Result<Option<KeySnapshot>, KeyStoreError> {
        let known = self.known.take();
        let mut database = Database::open(&self.path, LockTimeout::POLLS)?;
        database.refuse_read_only()?;
        let is_checked = self.is_checked;
        let (revision, changed) = database.transact(Access::Read, |transaction| {
            if is_checked {
                transaction.refuse_cut()?;
            } else {
                transaction.refuse_damaged()?;
            }
            let revision = statements::revision(transaction)?;
            let changed = (known.as_ref() != Some(&revision))
                .then(|| statements::snapshot(transaction))
                .transpose()?;
            Ok((revision, changed))
        })?;
        self.is_checked = true;
        self.known = Some(revision);
        Ok(changed)
    }

    fn revision(&self) -> Option<Revision> {
        self.known.clone()
    }
}
