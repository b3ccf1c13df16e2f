//! Reading exports: from what was named on the command line to a stream of lines with their places.
//!
//! Plain and compressed files, folders, archives and standard input all become one stream. Memory
//! is bounded whatever the size: a line is held at most up to [`LINE_MAX`] bytes, an archive's
//! members lie in a temporary file. What a damaged file does to the stream is a [`Fault`], not an
//! error, so that reading goes on with the next file. Nothing here knows what a record is.

pub(crate) mod files;
pub(crate) mod lines;
pub(crate) mod readers;
pub(crate) mod temporary_file;

mod archive;
mod counted;
mod decompress;
mod folder;

use std::fs;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use self::files::{Select, Surroundings, VisitFile};
pub use self::folder::LineFiles;
pub use self::lines::Broken;

use crate::finding::{Code, ExportFile, Line};

/// Longest line that is read, in bytes, without its line break.
pub const LINE_MAX: usize = 1024 * 1024;
/// The name that stands for standard input.
pub const STANDARD_INPUT: &str = "-";

/// Bytes read ahead: enough for archives to be recognised and for few system calls.
const BUFFER: usize = 128 * 1024;

/// Something wrong with a file rather than with what a line says.
#[derive(Debug)]
pub struct Fault {
    /// What kind of damage.
    pub code: Code,
    /// In which file.
    pub file: Arc<ExportFile>,
    /// At which line, if reading got that far.
    pub line: Option<u64>,
    /// What is wrong, for people.
    pub message: String,
}

/// Shows how far an import is.
pub trait ProgressListener {
    /// From now on bytes are read: `total` of them, if that is known.
    fn reading(&self, _total: Option<u64>) {}
    /// From now on records are mapped: `total` of them.
    fn mapping(&self, _total: u64) {}
    /// From now on boats are read: `total` of them.
    fn boats(&self, _total: u64) {}
    /// So many more bytes, records or boats.
    fn advance(&self, _count: u64) {}
}

/// Shows nothing.
impl ProgressListener for () {}

/// Receives the stream.
pub trait Visit {
    /// The next line.
    fn line(&mut self, line: Line<'_>) -> anyhow::Result<()>;
    /// The next piece of a line that is too long to be held; a fault follows the last one.
    fn oversized(&mut self, piece: &[u8]) -> anyhow::Result<()>;
    /// Damage.
    fn fault(&mut self, fault: Fault) -> anyhow::Result<()>;
}

/// Hands the lines of `exports` to `visit`, in order.
///
/// A file or folder that cannot be opened, or that the disk fails to deliver, is an error.
pub fn read(
    exports: &[PathBuf],
    input: &mut dyn Read,
    surroundings: Surroundings<'_>,
    visit: &mut dyn Visit,
) -> anyhow::Result<()> {
    files::read(
        exports,
        input,
        surroundings,
        &LineFiles,
        &mut Lines { visit },
    )
}

/// Bytes that reading `exports` will take, as they lie on disk; none when that cannot be known.
pub fn size(exports: &[PathBuf], selection: &dyn Select) -> Option<u64> {
    let length = |path: &Path| {
        let about = fs::metadata(path).ok()?;
        about.is_file().then_some(about.len())
    };
    let mut total = 0;
    for export in exports {
        if !export.is_dir() {
            total += length(export)?;
            continue;
        }
        for path in folder::list(export, selection).ok()?.files {
            let within = path.strip_prefix(export).unwrap_or(&path);
            let wanted = selection.bytes_wanted(&within.to_string_lossy());
            total += length(&path)?.min(wanted);
        }
    }
    Some(total)
}

/// The files that reading `exports` will open, those of folders included.
pub fn files(exports: &[PathBuf], selection: &dyn Select) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for export in exports {
        if export.is_dir() {
            files.extend(folder::list(export, selection)?.files);
        } else {
            files.push(export.clone());
        }
    }
    Ok(files)
}

/// Cuts files into lines.
struct Lines<'a> {
    visit: &'a mut dyn Visit,
}

impl VisitFile for Lines<'_> {
    fn file(
        &mut self,
        file: &Arc<ExportFile>,
        contents: &mut dyn Read,
    ) -> anyhow::Result<Result<(), Broken>> {
        let reader = BufReader::with_capacity(BUFFER, contents);
        lines::read(file, reader, LINE_MAX, self.visit)
    }

    fn fault(&mut self, fault: Fault) -> anyhow::Result<()> {
        self.visit.fault(fault)
    }
}

#[cfg(test)]
mod tests;
