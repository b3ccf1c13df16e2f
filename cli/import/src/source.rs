//! Reading exports: from what was named on the command line to a stream of lines with their places.
//!
//! Plain and compressed files, folders, archives and standard input all become one stream. Memory
//! is bounded whatever the size: a line is held at most up to [`LINE_MAX`] bytes, an archive's
//! members lie in a temporary file. What is wrong with a file is a finding in the stream,
//! not an error, so that reading goes on with the next file. Nothing here reads what a record says.

pub(crate) mod files;
pub(crate) mod lines;
pub(crate) mod readers;
pub(crate) mod temporary_file;

mod archive;
mod decompress;
mod folder;

use std::fs;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

pub use self::folder::Selection;

pub(crate) use self::files::{Opened, Surroundings};

use crate::finding::{Code, Finding, Kind, Line};

/// Longest line that is read, in bytes, without its line break.
pub const LINE_MAX: usize = 1024 * 1024;
/// The name that stands for standard input.
pub const STANDARD_INPUT: &str = "-";

/// Bytes read ahead: enough for archives to be recognised and for few system calls.
const BUFFER: usize = 128 * 1024;

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

/// What comes of an export, piece by piece, in its order.
#[derive(Debug)]
pub(crate) enum Incoming<'a> {
    /// The next line.
    Line(Line<'a>),
    /// The next piece of a line that is too long to be held; a finding follows the last one.
    Oversized(&'a [u8]),
    /// Something wrong with a file, or worth knowing of a record that was still read.
    Finding(Finding),
    /// A record of which no line could be made.
    Failed(FailedRecord),
    /// A record that is not published.
    Unpublished { kind: Kind, id: &'a str },
}

/// Takes what comes.
pub(crate) type Take<'t> = dyn FnMut(Incoming<'_>) -> anyhow::Result<()> + 't;

/// A record of which no line could be made.
#[derive(Debug)]
pub(crate) struct FailedRecord {
    /// What it was meant to become, if that is known.
    pub(crate) kind: Option<Kind>,
    /// Its id, if that is known.
    pub(crate) id: Option<String>,
    /// Why not.
    pub(crate) findings: Vec<Finding>,
    /// The record as it came.
    pub(crate) raw: Vec<u8>,
}

/// Why reading a file ended early.
#[derive(Debug)]
pub(crate) enum FileError {
    /// The file is damaged, so that records may be lost: leaving some out does not mend it.
    Damaged {
        code: Code,
        line: u64,
        message: String,
    },
    /// What delivers the file failed at this line, be it a disk or a decompressor.
    Unread { line: u64, source: io::Error },
    /// What the records were handed to failed.
    Failed(anyhow::Error),
}

impl From<anyhow::Error> for FileError {
    fn from(error: anyhow::Error) -> Self {
        Self::Failed(error)
    }
}

/// Hands the lines of `exports` to `take`, in order.
///
/// A file or folder that cannot be opened, or that the disk fails to deliver, is an error.
pub(crate) fn read_lines(
    exports: &[PathBuf],
    input: &mut dyn Read,
    surroundings: Surroundings<'_>,
    take: &mut Take<'_>,
) -> anyhow::Result<()> {
    let selection = Selection::line_files();
    files::read(
        exports,
        input,
        surroundings,
        &selection,
        &mut |opened| match opened {
            Opened::Damaged(finding) => Ok(take(Incoming::Finding(*finding))?),
            Opened::File(file, contents) => {
                let reader = BufReader::with_capacity(BUFFER, contents);
                lines::read(file, reader, LINE_MAX, take)
            }
        },
    )
}

/// Bytes that reading `exports` will take, as they lie on disk; none when that cannot be known.
pub fn size(exports: &[PathBuf], selection: &Selection<'_>) -> Option<u64> {
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
            let wanted = (selection.bytes_of)(&within.to_string_lossy())?;
            total += length(&path)?.min(wanted);
        }
    }
    Some(total)
}

/// The files that reading `exports` will open, those of folders included.
pub fn files(exports: &[PathBuf], selection: &Selection<'_>) -> io::Result<Vec<PathBuf>> {
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

#[cfg(test)]
mod tests;
