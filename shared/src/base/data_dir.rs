//! The data directory: where everything that the service keeps lies.
//!
//! The layout is defined here alone. Nothing here reads or writes what the files contain.

use std::fs::{self, DirBuilder};
use std::io::{self, ErrorKind};
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
        let created = DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&self.0);
        match created {
            // It may exist all the same, where it could not be looked at before.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                if fs::metadata(&self.0)?.is_dir() {
                    return Ok(());
                }
                Err(ErrorKind::NotADirectory.into())
            }
            created => created,
        }
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

    /// Held locked while releases or the pointer change.
    pub fn release_lock(&self) -> PathBuf {
        self.0.join("releases.lock")
    }

    /// Who changed releases or the pointer.
    pub fn release_log(&self) -> PathBuf {
        self.0.join("releases.log")
    }

    /// Held locked by the running server of an environment.
    pub fn server_lock(&self, environment: &str) -> PathBuf {
        self.0.join(format!("server-{environment}.lock"))
    }

    /// Which state of the keys the running server of an environment acts on.
    pub fn server_seen(&self, environment: &str) -> PathBuf {
        self.0.join(format!("server-{environment}.seen"))
    }

    /// The sizes of images that an import has asked for.
    pub fn images_database(&self) -> PathBuf {
        self.0.join("images.sqlite")
    }

    /// Keys, subscriptions and usage.
    pub fn keys_database(&self) -> PathBuf {
        self.0.join("keys.sqlite")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_data_directory_may_be_there_already_but_not_as_a_file() {
        let directory = tempfile::tempdir().unwrap();
        let data = DataDir::new(directory.path().join("a/b"));
        data.create().unwrap();
        data.create().unwrap();
        let file = tempfile::NamedTempFile::new_in(data.path()).unwrap();
        let refused = DataDir::new(file.path()).create().unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::NotADirectory);
    }
}
