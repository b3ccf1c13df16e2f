//! Reading exports: from what was named on the command line to a stream of records with their places.
//!
//! Plain and compressed files, folders, archives and standard input all become one stream, cut into
//! records as a [`Plan`] says. Memory is bounded whatever the size: a record is held at most up to
//! [`LINE_MAX`] or [`RECORD_MAX`](readers::RECORD_MAX) bytes, an archive's members lie in a temporary
//! file. What is wrong with a file is a finding in the stream, not an error, so that reading goes on
//! with the next file. Nothing here reads what a record says.

pub(crate) mod plan;
pub(crate) mod readers;
pub(crate) mod temporary_file;

mod archive;
mod decompress;
mod files;
mod folder;
mod lines;
mod passes;
mod records;

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

pub use self::folder::Selection;

pub(crate) use self::files::Surroundings;
pub(crate) use self::plan::{Contents, Format, Layout, Plan};

use self::records::Records;
use crate::finding::{Code, ExportFile, Finding, Kind, Line};

/// Longest line that is read, in bytes, without its line break.
pub const LINE_MAX: usize = 1024 * 1024;
/// The name that stands for standard input.
pub const STANDARD_INPUT: &str = "-";

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
    /// The next record, as its file has it.
    Record(Record<'a>),
    /// The next native record that a mapping made.
    Mapped(Line<'a>),
    /// The first bytes of a file that has no records.
    Head(&'a ExportFile, &'a [u8]),
    /// The next piece of a line that is too long to be held; a finding follows the last one.
    Oversized(&'a [u8]),
    /// Something wrong with a file, or worth knowing of a record that was still read.
    Finding(Finding),
    /// A record of which no line could be made.
    Failed(FailedRecord),
    /// A record that is not published.
    Unpublished { kind: Kind, id: &'a str },
}

/// A record as its file has it, and what it is read for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record<'a> {
    /// What it says, and where.
    pub(crate) line: Line<'a>,
    /// Its place among the others.
    pub(crate) spot: Spot,
    /// The sections of the plan that it is read for.
    pub(crate) sections: &'a [usize],
}

/// Where in its file a record stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Spot {
    /// Which of the lists of its layout it is from; none where the whole file is one.
    pub(crate) list: Option<u16>,
    /// Its place among the records of that list, or of the file, from 1.
    pub(crate) position: u32,
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

/// What became of the files of an export.
#[derive(Debug, Default)]
pub(crate) struct FilesRead {
    /// What became of the files of each section; one that is missing has no file.
    pub(crate) sections: BTreeMap<usize, SectionFiles>,
    /// Whether files may be missing because an archive broke off.
    pub(crate) is_damaged: bool,
}

/// What became of the files of a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SectionFiles {
    Read,
    /// Some without a list of records, which has been reported.
    WithoutList,
}

/// Hands the records of `exports` to `take`, in order.
///
/// A file or folder that cannot be opened, or that the disk fails to deliver, is an error.
pub(crate) fn read(
    exports: &[PathBuf],
    input: &mut dyn Read,
    surroundings: Surroundings<'_>,
    plan: &Plan<'_>,
    take: &mut Take<'_>,
) -> anyhow::Result<FilesRead> {
    let mut records = Records::new(plan, surroundings.temp_dir, take);
    let selection = &plan.selection;
    files::read(exports, input, surroundings, selection, &mut |opened| {
        records.opened(opened)
    })?;
    Ok(records.finish())
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
