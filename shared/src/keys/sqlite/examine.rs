//! Examining a store, without changing anything: not its version, not its mode, no journal.

use std::path::Path;

use crate::keys::contents::Overview;
use crate::keys::sqlite::database::{Database, LockTimeout};
use crate::keys::sqlite::{files, reserve, schema};
use crate::keys::statements;
use crate::keys::store::{KeyStoreError, Revision};
use crate::keys::transaction::{Access, Transaction as _};

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
    /// Whether it has the reserve that lets keys be revoked while the disk is full.
    pub has_reserve: bool,
    /// What it holds.
    pub overview: Overview,
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
    let bytes = files::length(path)?;
    let mut database = Database::connect_to_read(path, LockTimeout::EXAMINATIONS)?;
    database.transact(Access::Read, |transaction| {
        let found = transaction.explained(schema::find(transaction.inner))?;
        found.usable(transaction.location())?;
        let has_reserve = reserve::is_there(transaction.inner, path);
        let whole = if checked_bytes_max < bytes {
            WholeOrNot::NotChecked
        } else {
            match transaction.damages(DAMAGES_MAX)? {
                damages if damages.is_empty() => WholeOrNot::Whole,
                damages => WholeOrNot::Damaged(damages),
            }
        };
        Ok(Examination {
            bytes,
            whole,
            is_writable: files::is_writable(path),
            has_reserve: transaction.explained(has_reserve)?,
            overview: statements::overview(transaction)?,
        })
    })
}

/// The state that the store at `path` is in.
pub fn revision(path: &Path) -> Result<Revision, KeyStoreError> {
    Database::connect_to_read(path, LockTimeout::EXAMINATIONS)?
        .transact(Access::Read, |transaction| {
            statements::revision(transaction)
        })
}
