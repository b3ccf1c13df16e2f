//! One export to read.
//!
//! A fetched export is a spool of this process, which has no path. Findings and logs name
//! its URL, and its ETag is logged along with its hash.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::unpacking::UNPACKED_MAX;
use crate::spool::{Part, Spool};

/// The name that stands for standard input.
pub const STANDARD_INPUT: &str = "-";

/// A file, folder or archive, standard input, or a file fetched from a URL.
#[derive(Clone)]
pub struct Export {
    kind: Kind,
    /// Most bytes that each of its files may unpack to.
    unpacked_max: u64,
}

#[derive(Clone)]
enum Kind {
    Path(PathBuf),
    Fetched(Arc<Spool>, Origin),
}

/// Where a fetched file came from.
#[derive(Clone, Debug)]
pub struct Origin {
    /// The URL in the form that may be shown.
    pub name: String,
    /// The file name in the URL.
    pub file_name: String,
    /// SHA-256 of the contents, hexadecimal.
    pub sha256: String,
    /// Its ETag.
    pub etag: Option<String>,
    /// SHA-256 of the URL, if `name` does not show all of it.
    pub address_sha256: Option<String>,
}

impl Export {
    /// An export that was fetched into this finished spool.
    pub fn fetched(file: Spool, origin: Origin) -> Self {
        Self::of(Kind::Fetched(Arc::new(file), origin))
    }

    const fn of(kind: Kind) -> Self {
        Self {
            kind,
            unpacked_max: UNPACKED_MAX,
        }
    }

    /// The same, of which each file may unpack to this many bytes.
    #[must_use]
    pub fn unpacking_at_most(self, unpacked_max: u64) -> Self {
        Self {
            unpacked_max,
            ..self
        }
    }

    pub(super) const fn unpacked_max(&self) -> u64 {
        self.unpacked_max
    }

    /// Its path, `-` for standard input; `None` if it was fetched.
    pub(crate) fn path(&self) -> Option<&Path> {
        match &self.kind {
            Kind::Path(path) => Some(path),
            Kind::Fetched(..) => None,
        }
    }

    /// Opens a file, at its beginning.
    pub(crate) fn open(&self) -> io::Result<Box<dyn Read>> {
        Ok(match &self.kind {
            Kind::Path(path) => Box::new(File::open(path)?),
            Kind::Fetched(file, _) => Box::new(Part::new(Arc::clone(file), 0..file.length())),
        })
    }

    /// The bytes of a file; `None` for anything else.
    pub(crate) fn bytes(&self) -> Option<u64> {
        match &self.kind {
            Kind::Path(path) => {
                let about = fs::metadata(path).ok()?;
                about.is_file().then_some(about.len())
            }
            Kind::Fetched(file, _) => Some(file.length()),
        }
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
        match &self.kind {
            Kind::Path(path) => path.display().to_string(),
            Kind::Fetched(_, origin) => origin.name.clone(),
        }
    }

    /// The name that decides how the file is read.
    pub(crate) fn file_name(&self) -> String {
        match &self.kind {
            Kind::Path(path) => {
                let name = path.file_name().unwrap_or_default();
                name.to_string_lossy().into_owned()
            }
            Kind::Fetched(_, origin) => origin.file_name.clone(),
        }
    }

    /// Where it was fetched from.
    pub fn origin(&self) -> Option<&Origin> {
        match &self.kind {
            Kind::Path(_) => None,
            Kind::Fetched(_, origin) => Some(origin),
        }
    }

    pub(crate) fn is_standard_input(&self) -> bool {
        self.path()
            .is_some_and(|path| path.as_os_str() == STANDARD_INPUT)
    }
}

impl From<PathBuf> for Export {
    fn from(path: PathBuf) -> Self {
        Self::of(Kind::Path(path))
    }
}
