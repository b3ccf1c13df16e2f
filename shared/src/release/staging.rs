//! Directories in which releases come into being, and what killed commands left of them.
//!
//! A staging directory has no release's name until it is whole; dropped or interrupted before, it
//! is gone with all that is in it. The names of what is unfinished begin in a way that no release's
//! does. Only the holder of the lock on releases may remove leftovers, because to all others they
//! may be work under way.

use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use tempfile::TempDir;

use super::ReleaseError;
use super::interruption::{Change, Unfinished, uninterrupted};
use crate::base::data_dir::DataDir;
use crate::base::durable;

/// Prefix of directories that are being written.
pub(super) const STAGING: &str = ".staging-";
/// Prefix of releases that are being deleted.
pub(super) const PRUNED: &str = ".pruned-";
/// Prefix of files that are being written.
const NEW: &str = ".new-";

/// A directory in which a release comes into being.
pub(super) struct Staging {
    // Dropped in this order: it is known as long as it is there.
    directory: TempDir,
    _unfinished: Unfinished,
}

impl Staging {
    /// Makes one among the releases in `place`, which is made too, for its owner alone.
    pub(super) fn create(place: &Path) -> Result<Self, ReleaseError> {
        DataDir::new(place)
            .create()
            .map_err(ReleaseError::io("create", place))?;
        let make = || {
            tempfile::Builder::new()
                .prefix(STAGING)
                .permissions(Permissions::from_mode(0o700))
                .tempdir_in(place)
        };
        let (directory, unfinished) =
            Unfinished::make(make).map_err(ReleaseError::io("create a directory in", place))?;
        Ok(Self {
            directory,
            _unfinished: unfinished,
        })
    }

    pub(super) fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Gives the directory its final name, once everything in it is synced.
    pub(super) fn publish(self, to: &Path, change: Option<Change>) -> io::Result<()> {
        uninterrupted(change, || durable::publish_directory(self.path(), to))?;
        // It has another name, under which it stays.
        _ = self.directory.keep();
        Ok(())
    }
}

/// Something unfinished.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leftover {
    /// Where it is.
    pub path: PathBuf,
    /// Size of all files in it.
    pub bytes: u64,
}

/// Everything unfinished in `directory`, by name; nothing where there is no directory.
pub(super) fn find_leftovers(directory: &Path) -> Result<Vec<PathBuf>, ReleaseError> {
    let listed = match fs::read_dir(directory) {
        Ok(entries) => entries.collect::<io::Result<Vec<_>>>(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => Err(error),
    };
    let mut leftovers = Vec::new();
    for entry in listed.map_err(ReleaseError::io("list", directory))? {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if [STAGING, PRUNED, NEW]
            .iter()
            .any(|prefix| name.starts_with(prefix))
        {
            leftovers.push(entry.path());
        }
    }
    leftovers.sort_unstable();
    Ok(leftovers)
}

/// Gives the directory of a release a time of modification, which is not a part of its contents.
pub(super) fn set_modified(directory: &Path, wanted_seconds: i64) -> Result<(), ReleaseError> {
    // Nothing is published before 1970; what claims to be is merely not young.
    let seconds = u64::try_from(wanted_seconds).unwrap_or(0);
    let time = UNIX_EPOCH + Duration::from_secs(seconds);
    let set = File::open(directory).and_then(|opened| {
        opened.set_modified(time)?;
        opened.sync_all()
    });
    set.map_err(ReleaseError::io("set the time of", directory))
}

/// Size in bytes of a file, or of all files in a directory.
pub(super) fn size(path: &Path) -> io::Result<u64> {
    let metadata = fs::symlink_metadata(path)?;
    if !metadata.is_dir() {
        return Ok(metadata.len());
    }
    let mut bytes = 0;
    for entry in fs::read_dir(path)? {
        bytes += size(&entry?.path())?;
    }
    Ok(bytes)
}
