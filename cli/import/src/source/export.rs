//! One export to read.
//!
//! A fetched export is an unnamed file of this process. Findings and logs name its URL, and its
//! ETag is logged along with its hash.

use std::fs::File;
use std::os::fd::AsRawFd as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::STANDARD_INPUT;

/// A file, folder or archive, standard input, or a file fetched from a URL.
#[derive(Clone, Debug)]
pub struct Export {
    path: PathBuf,
    fetched: Option<Fetched>,
}

/// Where a fetched file came from.
#[derive(Clone, Debug)]
pub struct Origin {
    /// The URL in the form that may be shown.
    pub name: String,
    /// The file name in the URL.
    pub file_name: String,
    /// Its ETag.
    pub etag: Option<String>,
}

#[derive(Clone, Debug)]
struct Fetched {
    origin: Origin,
    /// Keeps the file open, because the path is valid only while it is.
    _file: Arc<File>,
}

impl Export {
    /// An export that was fetched into this file.
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

    /// Its name in findings and logs.
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
