//! One connection to the file: how it is opened, and what a transaction of it is.

use std::fmt;
use std::fs::{self, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior};

use crate::base::durable;
use crate::base::regular_file;
use crate::keys::sqlite::damage::refuse_cut;
use crate::keys::sqlite::examine::is_writable;
use crate::keys::sqlite::patience::Patience;
use crate::keys::sqlite::reserve;
use crate::keys::sqlite::schema::{self, Found};
use crate::keys::store::{CHANGE, KeyStoreError};

/// A connection with our settings to a file with our tables.
#[derive(Debug)]
pub struct Database {
    pub(super) connection: Connection,
    pub(super) location: PathBuf,
}

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

/// What ends a transaction early, undoing it.
#[derive(Debug)]
pub enum Stop {
    /// SQLite failed.
    Sqlite(rusqlite::Error),
    /// SQLite found the file damaged, and says how.
    Damaged(String),
    /// A rule of ours refused.
    Refused(KeyStoreError),
}

impl From<rusqlite::Error> for Stop {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl From<KeyStoreError> for Stop {
    fn from(error: KeyStoreError) -> Self {
        Self::Refused(error)
    }
}

impl Database {
    /// Opens the file at `path`, which must exist. One of an earlier version has all the tables that
    /// servers cannot do without, and is left as it is. A lock that outlasts `patience` is an error.
    pub(super) fn open(path: &Path, patience: Patience) -> Result<Self, KeyStoreError> {
        let database = Self::connect(path, patience)?;
        match schema::find(&database.connection) {
            Ok(Found::Known | Found::Older) => Ok(database),
            Ok(Found::Empty) => Err(KeyStoreError::Missing {
                location: text(path),
            }),
            Ok(Found::Foreign) => Err(KeyStoreError::Foreign {
                location: text(path),
            }),
            Ok(Found::Newer(found)) => Err(KeyStoreError::Newer {
                location: text(path),
                found,
                known: schema::VERSION,
            }),
            Err(error) => Err(refused("open", path, &error)),
        }
    }

    /// Opens the file at `path`, which must exist, with all our tables, and its reserve if possible.
    /// A file that others could read, as a copy may be, is made its owner's alone.
    pub(super) fn open_complete(path: &Path, patience: Patience) -> Result<Self, KeyStoreError> {
        let mut database = Self::open(path, patience)?;
        make_private(path).map_err(|error| failed("protect", path, error))?;
        let found = schema::find(&database.connection);
        if found.map_err(|error| refused("open", path, &error))? == Found::Older {
            database.complete()?;
        }
        reserve::put_back(path);
        Ok(database)
    }

    /// Opens the file at `path`, which is made where there is none, for its owner alone.
    pub(super) fn open_or_create(path: &Path, patience: Patience) -> Result<Self, KeyStoreError> {
        create_file(path).map_err(|error| failed("create", path, error))?;
        let mut database = Self::connect(path, patience)?;
        let found = schema::find(&database.connection);
        if found.map_err(|error| refused("open", path, &error))? == Found::Empty {
            database.complete()?;
        }
        drop(database);
        Self::open_complete(path, patience)
    }

    /// Makes the tables that are missing, where no other process did so in the meantime.
    fn complete(&mut self) -> Result<(), KeyStoreError> {
        self.change(|transaction| match schema::find(transaction)? {
            Found::Empty | Found::Older => Ok(schema::complete(transaction)?),
            Found::Known | Found::Newer(_) | Found::Foreign => Ok(()),
        })
    }

    fn connect(path: &Path, patience: Patience) -> Result<Self, KeyStoreError> {
        // SQLite would say no more than that it cannot open the file.
        FileStamp::of(path)?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connect = || {
            let mut connection = Connection::open_with_flags(path, flags)?;
            patience.give(&mut connection)?;
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
            location: path.to_owned(),
        })
    }

    /// Refuses a file in which nothing can be counted, though it can be read: SQLite opens such a
    /// file too, and finds out about its directory only when it has something to write.
    pub(super) fn refuse_read_only(&self) -> Result<(), KeyStoreError> {
        let is_read_only = self.connection.is_readonly(rusqlite::MAIN_DB);
        let is_read_only = is_read_only.map_err(|error| refused("open", &self.location, &error))?;
        if is_read_only || !is_writable(&self.location) {
            return Err(KeyStoreError::ReadOnly {
                location: text(&self.location),
            });
        }
        Ok(())
    }

    /// Reads at one moment of the database.
    pub(super) fn read<T>(
        &mut self,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, Stop>,
    ) -> Result<T, KeyStoreError> {
        self.transact("read", TransactionBehavior::Deferred, work)
    }

    /// Changes the database: wholly and durably, or not at all.
    pub(super) fn change<T>(
        &mut self,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, Stop>,
    ) -> Result<T, KeyStoreError> {
        let location = self.location.clone();
        self.transact(CHANGE, TransactionBehavior::Immediate, |transaction| {
            refuse_cut(transaction, FileStamp::of(&location)?.length)?;
            let value = work(transaction)?;
            reserve::keep_journal(&location);
            Ok(value)
        })
    }

    fn transact<T>(
        &mut self,
        attempt: &'static str,
        behavior: TransactionBehavior,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, Stop>,
    ) -> Result<T, KeyStoreError> {
        let connection = &mut self.connection;
        let transact = || {
            let transaction = connection.transaction_with_behavior(behavior)?;
            let value = work(&transaction)?;
            transaction.commit()?;
            Ok(value)
        };
        transact().map_err(|stop| match stop {
            Stop::Sqlite(error) => refused(attempt, &self.location, &error),
            Stop::Damaged(found) => failed(attempt, &self.location, found),
            Stop::Refused(error) => error,
        })
    }
}

impl FileStamp {
    /// The stamp of the file at `path` now.
    pub(super) fn of(path: &Path) -> Result<Self, KeyStoreError> {
        let metadata = fs::metadata(path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => KeyStoreError::Missing {
                location: text(path),
            },
            _ => failed("look at", path, error),
        })?;
        // SQLite would wait for somebody to write to a pipe.
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

/// Leaves the rollback journal there between changes, with its room. A file that still has a
/// write-ahead log is turned into one with a journal; while others have it open that cannot be
/// done, and is done by whoever opens it next.
fn keep_journal(connection: &Connection) -> rusqlite::Result<()> {
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
            location: text(path),
            source: error.to_string().into(),
        };
    }
    if error.sqlite_error_code() == Some(ErrorCode::ReadOnly) {
        return KeyStoreError::ReadOnly {
            location: text(path),
        };
    }
    failed(attempt, path, error)
}

/// The error of a failed `attempt`, a verb. The text of the cause is kept and not the cause, since
/// SQLite's errors repeat in their own text what stands below them.
fn failed(attempt: &'static str, path: &Path, cause: impl fmt::Display) -> KeyStoreError {
    KeyStoreError::Failed {
        attempt,
        location: text(path),
        source: cause.to_string().into(),
    }
}

pub(super) fn text(path: &Path) -> String {
    path.display().to_string()
}
