//! Disk space that a store reserves, so that a key can be revoked while the disk is full.
//!
//! A change needs disk space for its rollback journal and for the pages it adds. So the journal
//! stays between changes and keeps its space, and the file has free pages. No other program can
//! take either. Changes that refuse keys, charges and last uses may use the free pages; all other
//! changes must leave enough of them, or fail on a full disk. A command that opens the store
//! refills the reserve, and a server does every few seconds. If that fails, their own work still
//! goes on.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use rusqlite::{Connection, Transaction};

use crate::base::regular_file;
use crate::keys::sqlite::files::journal_of;

/// Free pages below which more are added. The audit log has about thirty entries to a page.
const PAGES_MIN: i64 = 16;

/// Free pages below which the reserve counts as gone: a few may be used before more are added.
const PAGES_LEFT_MIN: i64 = PAGES_MIN / 2;

/// That many pages of 4 KiB.
const BYTES_ADDED: u32 = 32 * 4096;

/// More than the journal of a change of a few rows, in bytes.
const JOURNAL_BYTES_MIN: usize = 128 * 1024;

/// Whether the file at `path`, which is read through `connection`, has its reserve, though some of
/// it may be used.
pub(super) fn is_there(connection: &Connection, path: &Path) -> rusqlite::Result<bool> {
    Ok(PAGES_LEFT_MIN <= free_pages(connection)? && has_journal(path))
}

/// Whether it has all of it.
pub(super) fn is_full(connection: &Connection, path: &Path) -> rusqlite::Result<bool> {
    Ok(PAGES_MIN <= free_pages(connection)? && has_journal(path))
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

/// Extends the journal of the current transaction on the file at `path` for the next one. SQLite
/// ignores what follows a journal's last record. A failure must not stop the change: the disk may
/// be full.
pub(super) fn keep_journal(path: &Path) {
    let _outcome = lengthen_journal(path);
}

fn free_pages(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "freelist_count", |row| row.get(0))
}

fn has_journal(path: &Path) -> bool {
    let length = fs::metadata(journal_of(path));
    length.is_ok_and(|metadata| JOURNAL_BYTES_MIN as u64 <= metadata.len())
}

fn lengthen_journal(path: &Path) -> io::Result<()> {
    let journal = journal_of(path);
    let length = usize::try_from(fs::metadata(&journal)?.len()).unwrap_or(usize::MAX);
    let lacking = JOURNAL_BYTES_MIN.saturating_sub(length);
    if lacking == 0 {
        return Ok(());
    }
    let mut journal = regular_file::open_to_append(&journal)?;
    journal.write_all(&vec![0; lacking])
}
