//! Examining a store, without changing anything: not its version, not its mode, no journal.
//!
//! Not for a process that has the store open: reading the file without SQLite and closing it drops
//! SQLite's locks on it in the same process.

use std::collections::HashMap;
use std::io::{self, Read};
use std::path::Path;

use nix::unistd::{AccessFlags, access};
use rusqlite::OpenFlags;

use crate::base::durable;
use crate::base::regular_file;
use crate::keys::key::KeyId;
use crate::keys::last_use::LastUse;
use crate::keys::sqlite::database::{
    Database, FileStamp, LockTimeout, SqliteTransaction, location, refused,
};
use crate::keys::sqlite::reserve;
use crate::keys::sqlite::schema::{self, Found};
use crate::keys::statements;
use crate::keys::store::{KeySnapshot, KeyStoreError, Revision};
use crate::keys::transaction::{Access, Transaction as _};

/// Offset of the byte that tells the journal mode: 2 for a write-ahead log.
const MODE_AT: usize = 18;
const MODE_LOG: u8 = 2;
/// Most damages that are listed.
const DAMAGES_MAX: usize = 3;

/// What a store was found to be.
#[derive(Clone, Debug)]
pub struct Examination {
    /// Size of its file, in bytes.
    pub bytes: u64,
    /// Whether it is intact.
    pub whole: WholeOrNot,
    /// Whether it, its journal and its directory are writable.
    pub is_writable: bool,
    /// The format of its file.
    pub form: Form,
    /// Whether it has the reserve that lets keys be revoked while the disk is full.
    pub has_reserve: bool,
    /// Its revision, if its version has one.
    pub revision: Option<Revision>,
    /// Its keys and subscriptions; none if it has a write-ahead log, which would have to be written
    /// to.
    pub contents: KeySnapshot,
    /// The last use of each key that was used.
    pub last_uses: HashMap<KeyId, LastUse>,
    /// Time of the last change in the audit log, Unix time.
    pub last_change: Option<i64>,
    /// Start of the latest period with a charge, Unix time.
    pub latest_charged: Option<i64>,
}

/// How the file of a store is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// As this version makes it.
    Current,
    /// That of an earlier version: the next command that works on it migrates it.
    Older,
    /// With a write-ahead log, which the next command that works on it merges and removes, unless
    /// another program has the file open.
    WithLog,
}

/// Whether a store is intact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WholeOrNot {
    /// It was read through and is whole.
    Whole,
    /// It is too large to be read through.
    NotChecked,
    /// What is wrong with it.
    Damaged(Vec<String>),
}

/// Examines the store at `path`. One of more than `checked_bytes_max` bytes is not read through.
pub fn examine(path: &Path, checked_bytes_max: u64) -> Result<Examination, KeyStoreError> {
    let bytes = FileStamp::of(path)?.length;
    let mut examination = Examination {
        bytes,
        whole: WholeOrNot::NotChecked,
        is_writable: is_writable(path),
        form: Form::Current,
        has_reserve: false,
        revision: None,
        contents: KeySnapshot::default(),
        last_uses: HashMap::new(),
        last_change: None,
        latest_charged: None,
    };
    if has_log(path).map_err(|error| unreadable(path, &error))? {
        examination.form = Form::WithLog;
        return Ok(examination);
    }
    let mut database = open(path)?;
    database.transact(Access::Read, |transaction| {
        examination.form = form(transaction)?;
        examination.has_reserve =
            transaction.explained(reserve::is_there(transaction.inner, path))?;
        if bytes <= checked_bytes_max {
            examination.whole = whole_or_not(transaction)?;
        }
        examination.contents = statements::snapshot(transaction)?;
        examination.latest_charged = statements::latest_charged(transaction)?;
        if examination.form == Form::Current {
            examination.last_change = statements::last_change(transaction)?;
            examination.revision = Some(statements::revision(transaction)?);
            examination.last_uses = statements::last_uses(transaction)?;
        }
        Ok(examination)
    })
}

/// The state that the store at `path` is in.
pub fn revision(path: &Path) -> Result<Revision, KeyStoreError> {
    open(path)?.transact(Access::Read, |transaction| {
        statements::revision(transaction)
    })
}

/// A read-only connection.
fn open(path: &Path) -> Result<Database, KeyStoreError> {
    FileStamp::of(path)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connect = || {
        let mut connection = rusqlite::Connection::open_with_flags(path, flags)?;
        LockTimeout::LOOKS.set_on(&mut connection)?;
        connection.pragma_update(None, "trusted_schema", false)?;
        connection.pragma_update(None, "cell_size_check", true)?;
        Ok(connection)
    };
    Ok(Database {
        connection: connect().map_err(|error| refused("open", path, &error))?,
        path: path.to_owned(),
    })
}

/// The format of the file, which has no log; an error if it is not a store of this program.
fn form(transaction: &SqliteTransaction<'_>) -> Result<Form, KeyStoreError> {
    let location = transaction.location();
    match transaction.explained(schema::find(transaction.inner))? {
        Found::Known => Ok(Form::Current),
        Found::Older => Ok(Form::Older),
        Found::Empty => Err(KeyStoreError::Missing { location }),
        Found::Foreign => Err(KeyStoreError::Foreign { location }),
        Found::Newer(found) => Err(KeyStoreError::Newer {
            location,
            found,
            known: schema::VERSION,
        }),
    }
}

fn whole_or_not(transaction: &SqliteTransaction<'_>) -> Result<WholeOrNot, KeyStoreError> {
    let check = format!("PRAGMA quick_check({DAMAGES_MAX})");
    let found =
        transaction.explained(transaction.inner.prepare(&check).and_then(|mut check| {
            let found = check.query_map([], |row| row.get::<_, String>(0))?;
            found.collect::<rusqlite::Result<Vec<_>>>()
        }))?;
    Ok(match &found[..] {
        [fine] if fine == "ok" => WholeOrNot::Whole,
        _ => WholeOrNot::Damaged(found),
    })
}

/// Whether the file, its directory and its journal are writable: the file may have been given to
/// another user without the journal.
pub(super) fn is_writable(path: &Path) -> bool {
    let may_write = |path: &Path| access(path, AccessFlags::W_OK).is_ok();
    let journal = reserve::journal_of(path).ok();
    may_write(path)
        && may_write(durable::directory_of(path))
        && journal.is_none_or(|journal| !journal.exists() || may_write(&journal))
}

/// Whether the file has a write-ahead log, beside which SQLite cannot read without writing.
fn has_log(path: &Path) -> io::Result<bool> {
    let mut start = [0; MODE_AT + 1];
    match regular_file::open(path)?.read_exact(&mut start) {
        Ok(()) => Ok(start[MODE_AT] == MODE_LOG),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

fn unreadable(path: &Path, error: &io::Error) -> KeyStoreError {
    KeyStoreError::Failed {
        attempt: "read",
        location: location(path),
        source: error.to_string().into(),
    }
}
