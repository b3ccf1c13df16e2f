//! A copy of a store while servers use it.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rusqlite::types::{ToSqlOutput, ValueRef};

use crate::keys::sqlite::database::{Database, LockTimeout};
use crate::keys::sqlite::failure::refused;
use crate::keys::store::KeyStoreError;
use crate::keys::transaction::Access;

/// Copies the store at `path`, as it is at one moment, into the empty file at `to`. SQLite reads
/// every row, so that damage which it meets is an error; changes and charges wait meanwhile.
pub fn back_up(path: &Path, to: &Path) -> Result<(), KeyStoreError> {
    let mut database = Database::open(path, LockTimeout::COMMANDS)?;
    database.transact(Access::Read, |transaction| {
        transaction.refuse_cut()?;
        Ok(())
    })?;
    let target = ToSqlOutput::Borrowed(ValueRef::Text(to.as_os_str().as_bytes()));
    let copied = database.connection.execute("VACUUM INTO ?1", [target]);
    copied
        .map(drop)
        .map_err(|error| refused("back up", path, &error))
}
