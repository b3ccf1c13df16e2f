//! Disk space that a store reserves, so that a key can be revoked while the disk is full.
//!
//! A change needs disk space for its rollback journal and for the pages it adds. So the journal
//! stays between changes and keeps its space, and the file has free pages. No other program can
//! take either. Changes that refuse keys, charges and last uses may use the free pages; all other
//! changes must leave enough of them, or fail on a full disk. A command that opens the store
//! refills the reserve, and a server does every few seconds. If that fails, their own work still
//! goes on.

use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use rusqlite::{Connection, Transaction};

use crate::keys::sqlite::database::{Database, LockTimeout};
use crate::keys::sqlite::schema::{self, Found};
use crate::keys::store::KeyStoreError;
use crate::keys::transaction::Access;

/// Free pages below which more are added. The audit log has about thirty entries to a page.
const PAGES_MIN: i64 = 16;

/// Free pages below which the reserve counts as gone: a few may be used before more are added.
const PAGES_LEFT_MIN: i64 = PAGES_MIN / 2;

/// That many pages of 4 KiB.
const BYTES_ADDED: u32 = 32 * 4096;

/// More than the journal of a change of a few rows, in bytes.
pub(super) const JOURNAL_BYTES_MIN: usize = 128 * 1024;

/// The pragma with the version of a file.
const VERSION: &str = "user_version";

/// Whether the file at `path`, which is read through `connection`, has its reserve.
pub(super) fn is_there(connection: &Connection, path: &Path) -> rusqlite::Result<bool> {
    Ok(PAGES_LEFT_MIN <= free_pages(connection)? && has_journal(path))
}

/// Refills the reserve of the file at `path` if possible: the disk may be full, or the file locked
/// or not writable. An older file is left as it is.
pub(super) fn put_back(path: &Path) {
    let _outcome = try_put_back(path);
}

/// Uses its own transaction, so that a failure undoes nothing else. Readers are not kept out for
/// long.
fn try_put_back(path: &Path) -> Result<(), KeyStoreError> {
    let mut database = Database::open(path, LockTimeout::POLLS)?;
    let is_wanting = database.transact(Access::Read, |transaction| {
        let free_pages = transaction.explained(free_pages(transaction.inner))?;
        let found = transaction.explained(schema::find(transaction.inner))?;
        let has_all = PAGES_MIN <= free_pages && has_journal(path);
        Ok(!has_all && found == Found::Known)
    })?;
    if !is_wanting {
        return Ok(());
    }
    database.transact(Access::Change, |transaction| {
        // SQLite makes a journal only when something is written, even the same value.
        let inner = transaction.inner;
        let version = inner.pragma_query_value(None, VERSION, |row| row.get::<_, i64>(0));
        let version = transaction.explained(version)?;
        transaction.explained(inner.pragma_update(None, VERSION, version))
    })
}

/// Makes sure that there are free pages when the transaction is committed.
pub(super) fn keep_pages(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    if PAGES_MIN <= free_pages(transaction)? {
        return Ok(());
    }
    // Otherwise free pages would be holes in the file, without disk space.
    transaction.pragma_update(None, "secure_delete", true)?;
    transaction.execute_batch(&format!(
        "CREATE TABLE reserve (room BLOB);
         INSERT INTO reserve VALUES (zeroblob({BYTES_ADDED}));
         DROP TABLE reserve;"
    ))
}

/// Extends the journal of the current transaction on the file at `database` for the next one.
/// SQLite ignores what follows a journal's last record. A failure must not stop the change: the
/// disk may be full.
pub(super) fn keep_journal(database: &Path) {
    let _outcome = lengthen_journal(database);
}

fn free_pages(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "freelist_count", |row| row.get(0))
}

fn has_journal(database: &Path) -> bool {
    let length = journal_of(database).and_then(fs::metadata);
    length.is_ok_and(|metadata| JOURNAL_BYTES_MIN as u64 <= metadata.len())
}

/// The journal of the file at `database`, which must exist.
pub(super) fn journal_of(database: &Path) -> io::Result<PathBuf> {
    Ok(journal_beside(&fs::canonicalize(database)?))
}

/// The journal of a database at this very path, not one that a link leads to.
pub(super) fn journal_beside(database: &Path) -> PathBuf {
    let mut path = OsString::from(database);
    path.push("-journal");
    path.into()
}

fn lengthen_journal(database: &Path) -> io::Result<()> {
    let path = journal_of(database)?;
    let length = usize::try_from(fs::metadata(&path)?.len()).unwrap_or(usize::MAX);
    let lacking = JOURNAL_BYTES_MIN.saturating_sub(length);
    if lacking == 0 {
        return Ok(());
    }
    let mut journal = OpenOptions::new().append(true).open(&path)?;
    journal.write_all(&vec![0; lacking])
}
