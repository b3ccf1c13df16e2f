//! One export to read.
//!
//! A fetched export is an unnamed file of this process, which has no path. Findings and logs name
//! its URL, and its ETag is logged along with its hash.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::STANDARD_INPUT;

/// A file, folder or archive, standard input, or a file fetched from a URL.
#[derive(Clone, Debug)]
pub struct Export(Kind);

#[derive(Clone, Debug)]
enum Kind {
    Path(PathBuf),
    Fetched(Arc<File>, Origin),
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

impl Export {
    /// An export that was fetched into this file.
    pub fn fetched(file: File, origin: Origin) -> Self {
        Self(Kind::Fetched(Arc::new(file), origin))
    }

    /// Its path, `-` for standard input; `None` if it was fetched.
    pub(crate) fn path(&self) -> Option<&Path> {
        match &self.0 {
            Kind::Path(path) => Some(path),
            Kind::Fetched(..) => None,
        }
    }

    /// Opens a file, at its beginning.
    pub(crate) fn open(&self) -> io::Result<Box<dyn Read>> {
        Ok(match &self.0 {
            Kind::Path(path) => Box::new(File::open(path)?),
            Kind::Fetched(file, _) => Box::new(FromStart {
                file: Arc::clone(file),
                next: 0,
            }),
        })
    }

    /// The bytes of a file; `None` for anything else.
    pub(crate) fn bytes(&self) -> Option<u64> {
        let about = match &self.0 {
            Kind::Path(path) => fs::metadata(path).ok()?,
            Kind::Fetched(file, _) => file.metadata().ok()?,
        };
        about.is_file().then_some(about.len())
    }

    /// The folder that it is, if it is one.
    pub(crate) fn folder(&self) -> Option<&Path> {
        self.path().filter(|path| path.is_dir())
    }

    /// Whether reading it may wait for another program.
    pub(crate) fn may_block(&self) -> bool {
        self.path()
            .is_some_and(|path| !path.is_file() && !path.is_dir())
    }

    /// Its name in findings and logs.
    pub(crate) fn name(&self) -> String {
        match &self.0 {
            Kind::Path(path) => path.display().to_string(),
            Kind::Fetched(_, origin) => origin.name.clone(),
        }
    }

    /// The name that decides how the file is read.
    pub(crate) fn file_name(&self) -> String {
        match &self.0 {
            Kind::Path(path) => {
                let name = path.file_name().unwrap_or_default();
                name.to_string_lossy().into_owned()
            }
            Kind::Fetched(_, origin) => origin.file_name.clone(),
        }
    }

    pub(crate) fn etag(&self) -> Option<&str> {
        match &self.0 {
            Kind::Path(_) => None,
            Kind::Fetched(_, origin) => origin.etag.as_deref(),
        }
    }

    pub(crate) fn is_standard_input(&self) -> bool {
        self.path()
            .is_some_and(|path| path.as_os_str() == STANDARD_INPUT)
    }
}

impl From<PathBuf> for Export {
    fn from(path: PathBuf) -> Self {
        Self(Kind::Path(path))
    }
}

/// Reads a file from its beginning, whoever else reads it: it leaves the file's own position alone.
struct FromStart {
    file: Arc<File>,
    next: u64,
}

impl Read for FromStart {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.file.read_at(buffer, self.next)?;
        self.next += length as u64;
        Ok(length)
    }
}
