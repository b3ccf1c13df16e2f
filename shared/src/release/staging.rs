//! A directory in which a release comes into being. It has no release's name until it is whole;
//! dropped or interrupted before, it is gone with all that is in it.

use std::fs::Permissions;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use tempfile::TempDir;

use super::leftovers::STAGING;
use crate::base::durable;
use crate::release::interruption::{Change, Unfinished, uninterrupted};

/// The directory.
pub(super) struct Staging {
    // Dropped in this order: it is known as long as it is there.
    directory: TempDir,
    _unfinished: Unfinished,
}

impl Staging {
    /// Makes one among the releases in `place`, for its owner alone.
    pub(super) fn create(place: &Path) -> io::Result<Self> {
        let make = || {
            tempfile::Builder::new()
                .prefix(STAGING)
                .permissions(Permissions::from_mode(0o700))
                .tempdir_in(place)
        };
        let (directory, unfinished) = Unfinished::make(make)?;
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
