//! What was begun and never finished: directories and files that a killed command left behind.
//!
//! Their names begin in a way that no release's does. Only who holds the lock on releases may
//! remove them, because to anybody else they may be work under way.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::ReleaseError;

/// Prefix of directories that are being written.
pub(super) const STAGING: &str = ".staging-";
/// Prefix of releases that are being deleted.
pub(super) const PRUNED: &str = ".pruned-";
/// Prefix of files that are being written.
const NEW: &str = ".new-";

/// Something unfinished.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leftover {
    /// Where it is.
    pub path: PathBuf,
    /// Size of all files in it.
    pub bytes: u64,
}

/// Everything unfinished in `directory`, by name; nothing where there is no directory.
pub(super) fn find(directory: &Path) -> Result<Vec<PathBuf>, ReleaseError> {
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

/// Removes a file, or a directory with all that is in it.
pub(crate) fn remove(path: &Path) -> Result<(), ReleaseError> {
    let removed = fs::symlink_metadata(path).and_then(|metadata| {
        if metadata.is_dir() {
            fs::remove_dir_all(path)
        } else {
            fs::remove_file(path)
        }
    });
    removed.map_err(ReleaseError::io("remove", path))
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
