//! The data directory: where everything that the service keeps lies.
//!
//! The layout is said here once. Nothing here reads or writes what the files contain.

use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// A data directory, existing or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataDir(PathBuf);

impl DataDir {
    /// The data directory at `path`.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }

    /// Creates the directory, and those above it, for its owner alone.
    pub fn create(&self) -> io::Result<()> {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&self.0)
    }

    /// The directory itself.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Releases, one directory each.
    pub fn releases(&self) -> PathBuf {
        self.0.join("releases")
    }

    /// The pointer to the active release.
    pub fn current(&self) -> PathBuf {
        self.0.join("current")
    }

    /// Held locked by whoever changes releases or the pointer.
    pub fn release_lock(&self) -> PathBuf {
        self.0.join("releases.lock")
    }

    /// Held locked by the running server of an environment.
    pub fn server_lock(&self, environment: &str) -> PathBuf {
        self.0.join(format!("server-{environment}.lock"))
    }

    /// Keys, subscriptions and usage.
    pub fn keys_database(&self) -> PathBuf {
        self.0.join("keys.sqlite")
    }
}
