//! A file with our tables, on one connection: how it is opened, how long it waits for locks, its
//! transactions.

use std::borrow::Cow;
use std::fmt;
use std::fs::{self, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use rusqlite::types::{ToSql, ToSqlOutput, ValueRef};
use rusqlite::{ErrorCode, OpenFlags, TransactionBehavior, params_from_iter};

use crate::base::durable;
use crate::base::limited::shortened;
use crate::base::regular_file;
use crate::keys::sqlite::examine::is_writable;
use crate::keys::sqlite::reserve;
use crate::keys::sqlite::schema::{self, Found};
use crate::keys::store::{CHANGE, KeyStoreError, Location};
use crate::keys::transaction::{Access, Dialect, Row, Transaction, Unreadable, Value};

/// A connection with our settings to a file with our tables.
#[derive(Debug)]
pub(crate) struct Database {
    pub(super) connection: rusqlite::Connection,
    pub(super) path: PathBuf,
}

/// A transaction on the file.
pub(crate) struct SqliteTransaction<'t> {
    pub(super) inner: &'t rusqlite::Transaction<'t>,
    path: &'t Path,
    /// What it does to the store: a verb, for errors.
    attempt: &'static str,
}

/// How long a connection waits for the lock of another one.
///
/// SQLite's own handler sleeps up to a tenth of a second between attempts, and so misses the short
/// gaps that busy writers leave. This one tries again every millisecond.
#[derive(Clone, Copy, Debug)]
pub(super) struct LockTimeout(fn(attempts: i32) -> bool);

/// What `stat` says of the file: which one it is, and whether it was written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FileStamp {
    device: u64,
    inode: u64,
    /// In bytes.
    pub(super) length: u64,
    /// Seconds and nanoseconds.
    modified: (i64, i64),
    /// Changes too when a copy sets the time of its original.
    changed: (i64, i64),
}

impl Database {
    /// Opens the file at `path`, which must exist. An older version has all the tables that servers
    /// need, and is left as it is. A lock held longer than `timeout` is an error.
    pub(super) fn open(path: &Path, timeout: LockTimeout) -> Result<Self, KeyStoreError> {
        let database = Self::connect(path, timeout)?;
        match schema::find(&database.connection) {
            Ok(Found::Known | Found::Older) => Ok(database),
            Ok(Found::Empty) => Err(KeyStoreError::Missing {
                location: location(path),
            }),
            Ok(Found::Foreign) => Err(KeyStoreError::Foreign {
                location: location(path),
            }),
            Ok(Found::Newer(found)) => Err(KeyStoreError::Newer {
                location: location(path),
                found,
                known: schema::VERSION,
            }),
            Err(error) => Err(refused("open", path, &error)),
        }
    }

    /// Opens the file at `path`, which must exist, with all our tables, and its reserve if
    /// possible. A file that others could read, as a copy may be, is made private to its owner.
    pub(crate) fn open_complete(path: &Path) -> Result<Self, KeyStoreError> {
        let mut database = Self::open(path, LockTimeout::COMMANDS)?;
        make_private(path).map_err(|error| failed("protect", path, error))?;
        let found = schema::find(&database.connection);
        if found.map_err(|error| refused("open", path, &error))? == Found::Older {
            database.complete()?;
        }
        reserve::put_back(path);
        Ok(database)
    }

    /// Opens the file at `path`, and creates it, for its owner alone, if it does not exist.
    ///
    /// A file whose journal is there is not created: it had keys, which a new one would not know.
    pub(crate) fn open_or_create(path: &Path) -> Result<Self, KeyStoreError> {
        if let Err(gone @ KeyStoreError::Gone { .. }) = FileStamp::of(path) {
            return Err(gone);
        }
        create_file(path).map_err(|error| failed("create", path, error))?;
        let mut database = Self::connect(path, LockTimeout::COMMANDS)?;
        let found = schema::find(&database.connection);
        if found.map_err(|error| refused("open", path, &error))? == Found::Empty {
            database.complete()?;
        }
        drop(database);
        Self::open_complete(path)
    }

    /// Creates the missing tables, unless another process did so in the meantime.
    fn complete(&mut self) -> Result<(), KeyStoreError> {
        self.transact(Access::UrgentChange, |transaction| {
            match transaction.explained(schema::find(transaction.inner))? {
                Found::Empty | Found::Older => {
                    transaction.explained(schema::complete(transaction.inner))
                }
                Found::Known | Found::Newer(_) | Found::Foreign => Ok(()),
            }
        })
    }

    fn connect(path: &Path, timeout: LockTimeout) -> Result<Self, KeyStoreError> {
        // SQLite would only say that it cannot open the file.
        FileStamp::of(path)?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connect = || {
            let mut connection = rusqlite::Connection::open_with_flags(path, flags)?;
            timeout.set_on(&mut connection)?;
            keep_journal(&connection)?;
            connection.pragma_update(None, "synchronous", "extra")?;
            connection.pragma_update(None, "foreign_keys", true)?;
            connection.pragma_update(None, "trusted_schema", false)?;
            connection.pragma_update(None, "cell_size_check", true)?;
            Ok(connection)
        };
        let connection =
            connect().map_err(|error: rusqlite::Error| refused("open", path, &error))?;
        Ok(Self {
            connection,
            path: path.to_owned(),
        })
    }

    /// Refuses a read-only file: SQLite opens it too, and notices its directory only when it has
    /// something to write.
    pub(super) fn refuse_read_only(&self) -> Result<(), KeyStoreError> {
        let is_read_only = self.connection.is_readonly(rusqlite::MAIN_DB);
        let is_read_only = is_read_only.map_err(|error| refused("open", &self.path, &error))?;
        if is_read_only || !is_writable(&self.path) {
            return Err(KeyStoreError::ReadOnly {
                location: location(&self.path),
            });
        }
        Ok(())
    }

    /// Runs `work` in a transaction that is rolled back unless all of it succeeds.
    pub(crate) fn transact<T>(
        &mut self,
        access: Access,
        work: impl FnOnce(&SqliteTransaction<'_>) -> Result<T, KeyStoreError>,
    ) -> Result<T, KeyStoreError> {
        let (attempt, behavior) = match access {
            Access::Read => ("read", TransactionBehavior::Deferred),
            Access::Change | Access::UrgentChange => (CHANGE, TransactionBehavior::Immediate),
        };
        let refused = |error| refused(attempt, &self.path, &error);
        let inner = self.connection.transaction_with_behavior(behavior);
        let inner = inner.map_err(refused)?;
        let transaction = SqliteTransaction {
            inner: &inner,
            path: &self.path,
            attempt,
        };
        if access != Access::Read {
            transaction.refuse_cut(FileStamp::of(&self.path)?.length)?;
        }
        let value = work(&transaction)?;
        if access == Access::Change {
            transaction.explained(reserve::keep_pages(&inner))?;
        }
        if access != Access::Read {
            reserve::keep_journal(&self.path);
        }
        inner.commit().map_err(refused)?;
        Ok(value)
    }
}

impl SqliteTransaction<'_> {
    /// Explains an error of SQLite in this transaction.
    pub(super) fn explained<T>(&self, outcome: rusqlite::Result<T>) -> Result<T, KeyStoreError> {
        outcome.map_err(|error| refused(self.attempt, self.path, &error))
    }

    /// Refuses a file in which SQLite finds damage, and one of a `length` in bytes that ends within
    /// a page.
    pub(super) fn refuse_damaged(&self, length: u64) -> Result<(), KeyStoreError> {
        self.refuse_cut(length)?;
        let check = "PRAGMA quick_check(1)";
        let found = self.inner.query_row(check, [], |row| row.get(0));
        let found: String = self.explained(found)?;
        match found.as_str() {
            "ok" => Ok(()),
            _ => Err(failed(self.attempt, self.path, found)),
        }
    }

    /// Refuses a file of a `length` in bytes that ends within a page. SQLite itself refuses a file
    /// that lacks pages, but reads the missing end of its last page as zeros, and would write
    /// there. Nothing here repairs a file.
    fn refuse_cut(&self, length: u64) -> Result<(), KeyStoreError> {
        let page_bytes = "PRAGMA page_size";
        let page_bytes = self.inner.query_row(page_bytes, [], |row| row.get(0));
        let page_bytes: i64 = self.explained(page_bytes)?;
        if !length.is_multiple_of(page_bytes.unsigned_abs().max(1)) {
            let found = "the file ends within a page";
            return Err(failed(self.attempt, self.path, found));
        }
        Ok(())
    }
}

impl Transaction for SqliteTransaction<'_> {
    fn dialect(&self) -> &'static Dialect {
        &DIALECT
    }

    fn location(&self) -> Location {
        location(self.path)
    }

    fn query(
        &self,
        sql: &str,
        parameters: &[Value<'_>],
        each: &mut dyn FnMut(&dyn Row) -> Result<(), KeyStoreError>,
    ) -> Result<(), KeyStoreError> {
        let mut statement = self.explained(self.inner.prepare_cached(&in_sqlite(sql)))?;
        let rows = statement.query(params_from_iter(parameters));
        let mut rows = self.explained(rows)?;
        while let Some(row) = self.explained(rows.next())? {
            each(row)?;
        }
        Ok(())
    }

    fn execute(&self, sql: &str, parameters: &[Value<'_>]) -> Result<(), KeyStoreError> {
        let mut statement = self.explained(self.inner.prepare_cached(&in_sqlite(sql)))?;
        let done = statement.execute(params_from_iter(parameters));
        self.explained(done).map(drop)
    }
}

/// A statement in SQLite's dialect: a file has no schemas, and numbered parameters are written
/// differently.
fn in_sqlite(sql: &str) -> String {
    sql.replace("catalogue.", "").replace('$', "?")
}

const DIALECT: Dialect = Dialect {
    revision: "SELECT number || '-' || lower(hex(token)) AS revision FROM catalogue.revision",
    defer_references: "PRAGMA defer_foreign_keys = true",
    last_number: "SELECT seq AS number FROM sqlite_sequence WHERE name = $1",
    // Where nothing was entered, SQLite has no row for the table yet.
    set_last_number: "INSERT OR REPLACE INTO sqlite_sequence (rowid, name, seq)
        VALUES ((SELECT rowid FROM sqlite_sequence WHERE name = $1), $1, $2)",
};

impl Row for rusqlite::Row<'_> {
    fn value(&self, column: &str) -> Result<Value<'_>, Unreadable> {
        let value = self.get_ref(column);
        let unreadable = |error| Unreadable::new(column, error);
        Ok(
            match value.map_err(|error| Unreadable::new(column, error))? {
                ValueRef::Null => Value::Null,
                ValueRef::Integer(integer) => Value::Integer(integer),
                ValueRef::Text(text) => {
                    let text =
                        str::from_utf8(text).map_err(|error| unreadable(error.to_string()))?;
                    Value::Text(Cow::Borrowed(text))
                }
                ValueRef::Blob(bytes) => Value::Bytes(Cow::Borrowed(bytes)),
                ValueRef::Real(_) => return Err(unreadable("must be no fraction".to_owned())),
            },
        )
    }
}

impl ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Null => ValueRef::Null,
            Self::Integer(integer) => ValueRef::Integer(*integer),
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
            Self::Bytes(bytes) => ValueRef::Blob(bytes),
        }))
    }
}

impl LockTimeout {
    /// For a command, which waits for others to finish: five seconds.
    pub(super) const COMMANDS: Self = Self(wait::<5_000>);
    /// For examining the store: one second.
    pub(super) const LOOKS: Self = Self(wait::<1_000>);
    /// For the ledger. Requests wait for it a little longer: so what is leased at the last moment
    /// is there for the next.
    pub(super) const LEASES: Self = Self(wait::<450>);
    /// For a server's polls: several such waits fit into the second for which it may trust its last
    /// reply, and a write for a request waits longer. Also for last uses, which no request waits
    /// for.
    pub(super) const POLLS: Self = Self(wait::<250>);

    /// Makes `connection` wait so long.
    pub(super) fn set_on(self, connection: &mut rusqlite::Connection) -> rusqlite::Result<()> {
        connection.busy_handler(Some(self.0))
    }
}

/// Pause between two attempts.
const PAUSE: Duration = Duration::from_millis(1);

fn wait<const ATTEMPTS_MAX: i32>(attempts: i32) -> bool {
    let tries_again = attempts < ATTEMPTS_MAX;
    if tries_again {
        thread::sleep(PAUSE);
    }
    tries_again
}

impl FileStamp {
    /// The stamp of the file at `path` now.
    pub(super) fn of(path: &Path) -> Result<Self, KeyStoreError> {
        let metadata = fs::metadata(path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound if reserve::journal_beside(path).exists() => {
                KeyStoreError::Gone {
                    location: location(path),
                }
            }
            io::ErrorKind::NotFound => KeyStoreError::Missing {
                location: location(path),
            },
            _ => failed("look at", path, error),
        })?;
        // SQLite would wait for a writer to a pipe.
        regular_file::refuse_irregular(metadata.file_type())
            .map_err(|error| failed("read", path, error))?;
        Ok(Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            length: metadata.len(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        })
    }
}

/// Keeps the rollback journal and its disk space between changes. A file with a write-ahead log
/// gets a journal instead; while others have it open that is impossible, and happens the next time
/// it is opened.
fn keep_journal(connection: &rusqlite::Connection) -> rusqlite::Result<()> {
    match connection.pragma_update_and_check(None, "journal_mode", "persist", |_mode| Ok(())) {
        Err(error) if is_locked(&error) => Ok(()),
        outcome => outcome,
    }
}

fn is_locked(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
    )
}

fn make_private(path: &Path) -> io::Result<()> {
    let others = fs::metadata(path)?.mode() & 0o077;
    if others == 0 {
        return Ok(());
    }
    fs::set_permissions(path, Permissions::from_mode(0o600))
}

/// SQLite gives its other files the mode of this one.
fn create_file(path: &Path) -> io::Result<()> {
    match OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
    {
        Ok(_created) => durable::sync_directory(durable::directory_of(path)),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

/// The error of an `attempt`, a verb, that SQLite refused.
pub(super) fn refused(
    attempt: &'static str,
    path: &Path,
    error: &rusqlite::Error,
) -> KeyStoreError {
    if is_locked(error) {
        return KeyStoreError::Locked {
            attempt,
            location: location(path),
            source: error.to_string().into(),
        };
    }
    if error.sqlite_error_code() == Some(ErrorCode::ReadOnly) {
        return KeyStoreError::ReadOnly {
            location: location(path),
        };
    }
    failed(attempt, path, error)
}

/// The error of a failed `attempt`, a verb. It keeps the text of the cause, not the cause, since
/// SQLite's errors repeat their sources in their own text, even a long statement.
pub(super) fn failed(
    attempt: &'static str,
    path: &Path,
    cause: impl fmt::Display,
) -> KeyStoreError {
    KeyStoreError::Failed {
        attempt,
        location: location(path),
        source: shortened(cause.to_string()).into(),
    }
}

pub(super) fn location(path: &Path) -> Location {
    Location::File(path.display().to_string())
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;

    use super::*;
    use crate::base::limited::CHARS_MAX;

    #[test]
    fn of_a_long_statement_only_the_beginning_is_shown() {
        let connection = rusqlite::Connection::open_in_memory().unwrap();
        let long = format!("SELECT '{}' FROM FROM", "a".repeat(1 << 20));
        let error = connection.prepare(&long).unwrap_err();
        let error = refused("change", Path::new("keys.sqlite"), &error);
        let shown = error.source().unwrap().to_string();
        assert_eq!(shown.chars().count(), CHARS_MAX + 1);
    }
}
