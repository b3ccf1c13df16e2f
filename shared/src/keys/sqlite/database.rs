//! A file with our tables, on one connection: how it is opened, how long it waits for locks, its
//! transactions.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use rusqlite::types::{ToSql, ToSqlOutput, ValueRef};
use rusqlite::{OpenFlags, TransactionBehavior, params_from_iter};

use crate::keys::sqlite::failure::{failed, location, refused};
use crate::keys::sqlite::{files, reserve, schema};
use crate::keys::statements;
use crate::keys::store::{CHANGE, KeyStoreError, Location};
use crate::keys::tables::Found;
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

impl Database {
    /// Opens the file at `path`, which must exist and have our tables. A lock held longer than
    /// `timeout` is an error.
    pub(super) fn open(path: &Path, timeout: LockTimeout) -> Result<Self, KeyStoreError> {
        let database = Self::connect(path, timeout)?;
        database.found()?.usable(location(path))?;
        Ok(database)
    }

    /// The same for commands: only its owner may read the file from then on, and it has its reserve
    /// if possible.
    pub(crate) fn open_complete(path: &Path) -> Result<Self, KeyStoreError> {
        let database = Self::open(path, LockTimeout::COMMANDS)?;
        files::make_private(path)?;
        Self::put_reserve_back(path);
        Ok(database)
    }

    /// Opens the file at `path`, and creates it, for its owner alone, if it does not exist.
    pub(crate) fn open_or_create(path: &Path) -> Result<Self, KeyStoreError> {
        files::create(path)?;
        let mut database = Self::connect(path, LockTimeout::COMMANDS)?;
        if database.found()? == Found::Nothing {
            database.make_tables()?;
        }
        drop(database);
        Self::open_complete(path)
    }

    /// What the file says about its tables.
    fn found(&self) -> Result<Found, KeyStoreError> {
        schema::find(&self.connection).map_err(|error| refused("open", &self.path, &error))
    }

    /// Makes the tables, unless another process did so in the meantime.
    fn make_tables(&mut self) -> Result<(), KeyStoreError> {
        self.transact(Access::UrgentChange, |transaction| {
            if transaction.explained(schema::find(transaction.inner))? == Found::Nothing {
                transaction.explained(schema::make(transaction.inner))?;
                statements::raise_revision(transaction)?;
            }
            Ok(())
        })
    }

    /// Refills the reserve of the file at `path` if possible: the disk may be full, or the file
    /// locked or not writable. In a transaction of its own, so that a failure undoes nothing else;
    /// readers are not kept out for long.
    pub(super) fn put_reserve_back(path: &Path) {
        let refill = || {
            let mut database = Self::open(path, LockTimeout::POLLS)?;
            let is_full = reserve::is_full(&database.connection, path);
            if !is_full.map_err(|error| refused("read", path, &error))? {
                database.transact(Access::Change, |transaction| {
                    transaction.explained(schema::mark(transaction.inner))
                })?;
            }
            Ok::<_, KeyStoreError>(())
        };
        let _outcome = refill();
    }

    fn connect(path: &Path, timeout: LockTimeout) -> Result<Self, KeyStoreError> {
        Self::connect_with(path, OpenFlags::SQLITE_OPEN_READ_WRITE, |connection| {
            timeout.set_on(connection)?;
            // A journal that stays keeps its disk space.
            connection.pragma_update_and_check(None, "journal_mode", "persist", |_mode| Ok(()))?;
            connection.pragma_update(None, "synchronous", "extra")?;
            connection.pragma_update(None, "foreign_keys", true)
        })
    }

    /// A connection that changes nothing.
    pub(super) fn connect_to_read(
        path: &Path,
        timeout: LockTimeout,
    ) -> Result<Self, KeyStoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY;
        Self::connect_with(path, flags, |connection| timeout.set_on(connection))
    }

    fn connect_with(
        path: &Path,
        flags: OpenFlags,
        set: impl FnOnce(&mut rusqlite::Connection) -> rusqlite::Result<()>,
    ) -> Result<Self, KeyStoreError> {
        // SQLite would only say that it cannot open the file.
        files::length(path)?;
        let connect = || {
            let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            let mut connection = rusqlite::Connection::open_with_flags(path, flags)?;
            set(&mut connection)?;
            // The system may have no directory for temporary files that can be written.
            connection.pragma_update(None, "temp_store", "memory")?;
            connection.pragma_update(None, "trusted_schema", false)?;
            connection.pragma_update(None, "cell_size_check", true)?;
            Ok(connection)
        };
        Ok(Self {
            connection: connect()
                .map_err(|error: rusqlite::Error| refused("open", path, &error))?,
            path: path.to_owned(),
        })
    }

    /// Refuses a read-only file: SQLite opens it too, and notices its directory only when it has
    /// something to write.
    pub(super) fn refuse_read_only(&self) -> Result<(), KeyStoreError> {
        let is_read_only = self.connection.is_readonly(rusqlite::MAIN_DB);
        let is_read_only = is_read_only.map_err(|error| refused("open", &self.path, &error))?;
        if is_read_only || !files::is_writable(&self.path) {
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
        // What fails before the commit is rolled back.
        let (attempt, behavior) = match access {
            Access::Read => ("read", TransactionBehavior::Deferred),
            Access::Change | Access::UrgentChange => ("write to", TransactionBehavior::Immediate),
        };
        let inner = self.connection.transaction_with_behavior(behavior);
        let inner = inner.map_err(|error| refused(attempt, &self.path, &error))?;
        let transaction = SqliteTransaction {
            inner: &inner,
            path: &self.path,
            attempt,
        };
        if access != Access::Read {
            transaction.refuse_cut()?;
        }
        let value = work(&transaction)?;
        if access == Access::Change {
            transaction.explained(reserve::keep_pages(&inner))?;
        }
        if access != Access::Read {
            reserve::keep_journal(&self.path);
        }
        let committed = inner.commit();
        committed.map_err(|error| refused(CHANGE, &self.path, &error))?;
        Ok(value)
    }
}

impl SqliteTransaction<'_> {
    /// Explains an error of SQLite in this transaction.
    pub(super) fn explained<T>(&self, outcome: rusqlite::Result<T>) -> Result<T, KeyStoreError> {
        outcome.map_err(|error| refused(self.attempt, self.path, &error))
    }

    /// Refuses a file in which SQLite finds damage. It is read through.
    pub(super) fn refuse_damaged(&self) -> Result<(), KeyStoreError> {
        self.refuse_cut()?;
        match &self.damages(1)?[..] {
            [] => Ok(()),
            damages => Err(failed(self.attempt, self.path, damages.concat())),
        }
    }

    /// What SQLite finds damaged in the whole file, `most` damages at most.
    pub(super) fn damages(&self, most: usize) -> Result<Vec<String>, KeyStoreError> {
        let check = format!("PRAGMA quick_check({most})");
        let mut damages = self.explained(self.inner.prepare(&check).and_then(|mut check| {
            let found = check.query_map([], |row| row.get::<_, String>(0))?;
            found.collect::<rusqlite::Result<Vec<_>>>()
        }))?;
        damages.retain(|found| found != "ok");
        Ok(damages)
    }

    /// Refuses a file that ends within a page. SQLite itself refuses a file that lacks pages, but
    /// reads the missing end of its last page as zeros, and would write there. Nothing here repairs
    /// a file.
    pub(super) fn refuse_cut(&self) -> Result<(), KeyStoreError> {
        let page_bytes = self
            .inner
            .pragma_query_value(None, "page_size", |row| row.get(0));
        let page_bytes: i64 = self.explained(page_bytes)?;
        let length = files::length(self.path)?;
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
    new_token: "lower(hex(randomblob(16)))",
    defer_references: "PRAGMA defer_foreign_keys = true",
    count_on: None,
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
    pub(super) const EXAMINATIONS: Self = Self(wait::<1_000>);
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
