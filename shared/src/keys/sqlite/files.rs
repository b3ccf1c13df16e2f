//! The file of a store and its journal, as the system sees them.
//!
//! The file is looked at and never opened here: opening it without SQLite and closing it again would
//! drop SQLite's own locks on it.

use std::ffi::OsString;
use std::fs::{self, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use nix::unistd::{AccessFlags, access};

use crate::base::durable;
use crate::base::regular_file;
use crate::keys::sqlite::failure::{failed, location};
use crate::keys::store::KeyStoreError;

/// The length in bytes of the file at `path`, which must be a plain file: SQLite would wait for a
/// writer to a pipe, and a link may lead to the keys of others.
pub(super) fn length(path: &Path) -> Result<u64, KeyStoreError> {
    let location = || location(path);
    let metadata = fs::symlink_metadata(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound if journal_of(path).exists() => KeyStoreError::Gone {
            location: location(),
        },
        io::ErrorKind::NotFound => KeyStoreError::Missing {
            location: location(),
        },
        _ => failed("look at", path, error),
    })?;
    regular_file::refuse_irregular(metadata.file_type())
        .map_err(|error| failed("read", path, error))?;
    Ok(metadata.len())
}

/// Creates the file at `path`, for its owner alone, if it does not exist. SQLite gives its other
/// files the mode of this one.
///
/// A file whose journal is there is not created: it had keys, which a new one would not know.
pub(super) fn create(path: &Path) -> Result<(), KeyStoreError> {
    if let Err(gone @ KeyStoreError::Gone { .. }) = length(path) {
        return Err(gone);
    }
    let mut options = OpenOptions::new();
    let options = options.write(true).create_new(true).mode(0o600);
    let created = match options.open(path) {
        Ok(_created) => durable::sync_directory(durable::directory_of(path)),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    };
    created.map_err(|error| failed("create", path, error))
}

/// Makes a file that others could read, as a copy may be, private to its owner.
pub(super) fn make_private(path: &Path) -> Result<(), KeyStoreError> {
    let protect = || match fs::metadata(path)?.mode() & 0o077 {
        0 => Ok(()),
        _ => fs::set_permissions(path, Permissions::from_mode(0o600)),
    };
    protect().map_err(|error| failed("protect", path, error))
}

/// Whether the file, its directory and its journal are writable: the file may have been given to
/// another user without the journal.
pub(super) fn is_writable(path: &Path) -> bool {
    let may_write = |path: &Path| access(path, AccessFlags::W_OK).is_ok();
    let journal = journal_of(path);
    may_write(path)
        && may_write(durable::directory_of(path))
        && (!journal.exists() || may_write(&journal))
}

/// The journal of the file at `path`.
pub(super) fn journal_of(path: &Path) -> PathBuf {
    let mut journal = OsString::from(path);
    journal.push("-journal");
    journal.into()
}
