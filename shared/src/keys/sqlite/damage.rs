//! What is looked at before a file is trusted: whether it is as whole as it says.
//!
//! SQLite itself refuses a file that lacks pages, but takes for zeros what one lacks of its last
//! page, and would write there. Nothing here mends a file.

use rusqlite::Transaction;

use crate::keys::sqlite::database::Stop;

/// Refuses a file in which SQLite sees any damage, and one that ends within a page. It has that
/// length, in bytes.
pub(super) fn refuse_damaged(transaction: &Transaction<'_>, length: u64) -> Result<(), Stop> {
    refuse_cut(transaction, length)?;
    let found: String = transaction.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    match found.as_str() {
        "ok" => Ok(()),
        _ => Err(Stop::Damaged(found)),
    }
}

/// Refuses a file that ends within a page. It has that length, in bytes.
pub(super) fn refuse_cut(transaction: &Transaction<'_>, length: u64) -> Result<(), Stop> {
    let page_bytes: i64 = transaction.query_row("PRAGMA page_size", [], |row| row.get(0))?;
    if !length.is_multiple_of(page_bytes.unsigned_abs().max(1)) {
        return Err(Stop::Damaged("the file ends within a page".to_owned()));
    }
    Ok(())
}
