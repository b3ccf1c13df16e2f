//! One thing that is to be read as an export.
//!
//! What was fetched from an address lies in a nameless file of this process; it is called by its
//! address, and its ETag goes where its hash does.

use std::fs::File;
use std::os::fd::AsRawFd as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::STANDARD_INPUT;

/// A file, folder or archive, standard input, or what was fetched from an address.
#[derive(Clone, Debug)]
pub struct Export {
    path: PathBuf,
    fetched: Option<Fetched>,
}

/// Where a fetched file came from.
#[derive(Clone, Debug)]
pub struct Origin {
    /// The address as it may be shown.
    pub name: String,
    /// What the file is called there.
    pub file_name: String,
    /// The ETag that it had there.
    pub etag: Option<String>,
}

#[derive(Clone, Debug)]
struct Fetched {
    origin: Origin,
    /// Holds the file, which the path names for as long as it is open.
    _file: Arc<File>,
}

impl Export {
    /// What was fetched into this file.
    pub fn fetched(file: File, origin: Origin) -> Self {
        Self {
            path: PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd())),
            fetched: Some(Fetched {
                origin,
                _file: Arc::new(file),
            }),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// What findings and logs call it.
    pub(crate) fn name(&self) -> String {
        match &self.fetched {
            Some(fetched) => fetched.origin.name.clone(),
            None => self.path.display().to_string(),
        }
    }

    /// The name that decides how the file is read.
    pub(crate) fn file_name(&self) -> String {
        if let Some(fetched) = &self.fetched {
            return fetched.origin.file_name.clone();
        }
        let name = self.path.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }

    pub(crate) fn etag(&self) -> Option<&str> {
        self.fetched.as_ref()?.origin.etag.as_deref()
    }

    pub(crate) fn is_standard_input(&self) -> bool {
        self.path.as_os_str() == STANDARD_INPUT
    }
}

impl From<PathBuf> for Export {
    fn from(path: PathBuf) -> Self {
        Self {
            path,
            fetched: None,
        }
    }
}
