//! One connection to the file, and whether the file is still the one that was opened.

use std::fmt;
use std::fs::{self, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};

use crate::durable;
use crate::keys::change::KeyUnchangeable;
use crate::keys::sqlite::schema::{self, Found};
use crate::keys::store::KeyStoreError;

/// A connection with our settings to a file with our tables.
#[derive(Debug)]
pub(super) struct Database {
    pub(super) connection: Connection,
    location: PathBuf,
    stamp: FileStamp,
}

/// What `stat` says of the database: which files it is, and whether the main one was written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FileStamp {
    main: FileId,
    /// The write-ahead log, where commits go: whoever has opened one that was since deleted
    /// neither sees nor is seen. It exists as long as anybody has the database open.
    log: Option<FileId>,
    length: u64,
    modified_seconds: i64,
    modified_nanos: i64,
}

/// Device and inode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FileId(u64, u64);

/// What ends a transaction early, undoing it.
#[derive(Debug)]
pub(super) enum Stop {
    /// SQLite failed.
    Sqlite(rusqlite::Error),
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

impl From<KeyUnchangeable> for Stop {
    fn from(error: KeyUnchangeable) -> Self {
        Self::Refused(error.into())
    }
}

impl Database {
    /// Opens the file at `path`, which must exist. A lock that is held longer than `patience` is
    /// an error.
    pub(super) fn open(path: &Path, patience: Duration) -> Result<Self, KeyStoreError> {
        let mut database = Self::connect(path, patience)?;
        match schema::find(&database.connection) {
            Ok(Found::Known) => {
                // Having read, this connection has its log.
                database.stamp.log = FileStamp::of(path)?.log;
                Ok(database)
            }
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
            Err(error) => Err(failed("open", path, error)),
        }
    }

    /// Opens the file at `path`, which is made where there is none, for its owner alone.
    pub(super) fn open_or_create(path: &Path, patience: Duration) -> Result<Self, KeyStoreError> {
        create_file(path).map_err(|error| failed("create", path, error))?;
        let mut database = Self::connect(path, patience)?;
        let found = schema::find(&database.connection);
        if found.map_err(|error| failed("open", path, error))? == Found::Empty {
            database
                .connection
                .pragma_update_and_check(None, "journal_mode", "wal", |_row| Ok(()))
                .map_err(|error| failed("create", path, error))?;
            // Another process may have made the tables in the meantime.
            database.change(|transaction| match schema::find(transaction)? {
                Found::Empty => Ok(schema::create(transaction)?),
                _ => Ok(()),
            })?;
        }
        drop(database);
        Self::open(path, patience)
    }

    fn connect(path: &Path, patience: Duration) -> Result<Self, KeyStoreError> {
        let stamp = FileStamp::of(path)?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connect = || {
            let connection = Connection::open_with_flags(path, flags)?;
            connection.busy_timeout(patience)?;
            connection.pragma_update(None, "synchronous", "full")?;
            connection.pragma_update(None, "foreign_keys", true)?;
            connection.pragma_update(None, "trusted_schema", false)?;
            connection.pragma_update(None, "cell_size_check", true)?;
            Ok(connection)
        };
        let connection = connect().map_err(|error: rusqlite::Error| failed("open", path, error))?;
        Ok(Self {
            connection,
            location: path.to_owned(),
            stamp,
        })
    }

    /// The stamp of the file when it was opened.
    pub(super) const fn stamp(&self) -> FileStamp {
        self.stamp
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
        self.transact("change", TransactionBehavior::Immediate, work)
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
            Stop::Sqlite(error) => failed(attempt, &self.location, error),
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
        let id = |metadata: &Metadata| FileId(metadata.dev(), metadata.ino());
        let mut log = path.as_os_str().to_owned();
        log.push("-wal");
        Ok(Self {
            main: id(&metadata),
            log: fs::metadata(log).ok().as_ref().map(id),
            length: metadata.len(),
            modified_seconds: metadata.mtime(),
            modified_nanos: metadata.mtime_nsec(),
        })
    }

    /// Whether both are of the same files, written to in between or not.
    pub(super) fn is_same_database(self, other: Self) -> bool {
        (self.main, self.log) == (other.main, other.log)
    }
}

/// SQLite gives its other files the mode of this one.
fn create_file(path: &Path) -> io::Result<()> {
    match OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
    {
        Ok(_created) => match path.parent() {
            Some(directory) if !directory.as_os_str().is_empty() => {
                durable::sync_directory(directory)
            }
            _ => durable::sync_directory(Path::new(".")),
        },
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

/// The error of a failed `attempt`, a verb. The text of the cause is kept and not the cause, since
/// SQLite's errors repeat in their own text what stands below them.
pub(super) fn failed(
    attempt: &'static str,
    path: &Path,
    cause: impl fmt::Display,
) -> KeyStoreError {
    KeyStoreError::Failed {
        attempt,
        location: text(path),
        source: cause.to_string().into(),
    }
}

fn text(path: &Path) -> String {
    path.display().to_string()
}
