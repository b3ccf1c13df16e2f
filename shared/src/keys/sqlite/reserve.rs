//! Room that a store keeps to itself, so that a key can be refused while the disk is full.
//!
//! A change needs a disk for two things: for its rollback journal, and for the pages that it adds.
//! So the journal stays between changes and keeps its room, and the file has free pages. Nobody
//! else can take either, however fast a freed block finds a use. Changes that refuse keys may use
//! the free pages up; all others of commands put back what they take, or fail on a full disk.

use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use rusqlite::Transaction;

/// Free pages below which there are too few. The audit log has about thirty entries to a page.
const PAGES_MIN: i64 = 16;

/// As many as there are then, of 4 KiB.
const BYTES_ADDED: u32 = 32 * 4096;

/// More than the journal of a change of a few rows, in bytes.
pub(super) const JOURNAL_BYTES_MIN: usize = 128 * 1024;

/// Sees that there are free pages when the transaction is committed.
pub(super) fn keep_pages(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    let free = transaction.query_row("PRAGMA freelist_count", [], |row| row.get::<_, i64>(0))?;
    if PAGES_MIN <= free {
        return Ok(());
    }
    // Otherwise free pages would be holes in the file, which have no room on the disk.
    transaction.pragma_update(None, "secure_delete", true)?;
    transaction.execute_batch(&format!(
        "CREATE TABLE reserve (room BLOB);
         INSERT INTO reserve VALUES (zeroblob({BYTES_ADDED}));
         DROP TABLE reserve;"
    ))
}

/// Sees that the journal of the transaction under way on the file at `database` has room enough for
/// the next. What follows a journal's last record is not read. That this fails is no reason to give
/// up a change: the disk may be full.
pub(super) fn keep_journal(database: &Path) {
    let _outcome = lengthen_journal(database);
}

/// The journal of the file at `database`, which must exist.
pub(super) fn journal_of(database: &Path) -> io::Result<PathBuf> {
    let mut path = OsString::from(fs::canonicalize(database)?);
    path.push("-journal");
    Ok(path.into())
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
