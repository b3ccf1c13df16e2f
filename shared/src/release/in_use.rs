//! A release in use: a shared lock on its manifest, for as long as the release is read.
//!
//! Pruning takes the lock exclusively, and moves the release away before releasing it. So a reader
//! that has the lock, and finds the manifest still under its name, has a release that stays where
//! it is.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;

use crate::base::file_lock::FileLock;
use crate::base::regular_file;

/// Keeps a release from being pruned until the last copy is dropped.
#[derive(Clone, Debug)]
pub struct InUse {
    manifest: Arc<FileLock>,
}

impl InUse {
    /// Takes the lock on the manifest at `path`; waits while a prune is moving the release away,
    /// after which the manifest is not found.
    pub(super) fn take(path: &Path) -> io::Result<Self> {
        let manifest = FileLock::share(regular_file::open(path)?)?;
        let (named, locked) = (fs::metadata(path)?, manifest.file().metadata()?);
        if (named.dev(), named.ino()) != (locked.dev(), locked.ino()) {
            return Err(io::ErrorKind::NotFound.into());
        }
        Ok(Self {
            manifest: Arc::new(manifest),
        })
    }

    /// The contents of the manifest that is locked.
    pub(super) fn read(&self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        io::Read::read_to_end(&mut self.manifest.file(), &mut bytes)?;
        Ok(bytes)
    }
}

/// The right to move a release away, until it is dropped.
pub(super) struct Unused {
    _manifest: Option<FileLock>,
}

impl Unused {
    /// Takes the lock on the manifest at `path` alone; `None` when the release is being read.
    /// One that has no manifest cannot be read.
    pub(super) fn take(path: &Path) -> io::Result<Option<Self>> {
        let manifest = match regular_file::open(path) {
            Ok(manifest) => manifest,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Some(Self { _manifest: None }));
            }
            Err(error) => return Err(error),
        };
        let lock = FileLock::take_free(manifest)?;
        Ok(lock.map(|lock| Self {
            _manifest: Some(lock),
        }))
    }
}
