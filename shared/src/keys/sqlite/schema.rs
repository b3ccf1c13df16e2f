//! The tables in a file, and how a file is marked as having them.

use rusqlite::Connection;

use crate::keys::tables::{Found, IN_SQLITE, VERSION};

/// `BOAT` in ASCII: marks the file as ours (`PRAGMA application_id`).
const APPLICATION_ID: i64 = 0x424F_4154;

/// Keep entries of the audit log from being altered, also by other programs: the last one is for
/// `INSERT OR REPLACE`, which deletes without firing a trigger.
const KEEP_AUDIT: &str = "
CREATE TRIGGER audit_update BEFORE UPDATE ON audit
BEGIN SELECT RAISE(ABORT, 'the audit log is only added to'); END;
CREATE TRIGGER audit_delete BEFORE DELETE ON audit
BEGIN SELECT RAISE(ABORT, 'the audit log is only added to'); END;
CREATE TRIGGER audit_replace BEFORE INSERT ON audit
WHEN EXISTS (SELECT 1 FROM audit WHERE number = NEW.number)
BEGIN SELECT RAISE(ABORT, 'the audit log is only added to'); END;
";

/// Reads what the file says about itself.
pub(super) fn find(connection: &Connection) -> rusqlite::Result<Found> {
    let pragma = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let (application_id, version) = (pragma("application_id")?, pragma("user_version")?);
    let is_empty = "SELECT count(*) = 0 FROM sqlite_schema";
    let is_empty = connection.query_row(is_empty, [], |row| row.get::<_, bool>(0))?;
    Ok(match (application_id, version) {
        (0, 0) if is_empty => Found::Nothing,
        (APPLICATION_ID, 1..) => Found::Ours {
            version,
            oldest_reader: version,
        },
        _ => Found::Foreign,
    })
}

/// Makes the tables in an empty file. Runs inside a transaction.
pub(super) fn make(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(&IN_SQLITE.replace("catalogue.", ""))?;
    connection.execute_batch(KEEP_AUDIT)?;
    connection.pragma_update(None, "application_id", APPLICATION_ID)?;
    mark(connection)
}

/// Writes the version of the tables, which is the same: SQLite makes a journal only when something
/// is written.
pub(super) fn mark(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "user_version", VERSION)
}
