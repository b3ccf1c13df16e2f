//! What comes of an export: records, and what is wrong with files and records.

use std::io;

use crate::finding::{Code, ExportFile, Finding, Kind, Line};

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
    /// The groups of files of the plan that it is read for.
    pub(crate) groups: &'a [usize],
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
pub(crate) type Sink<'t> = dyn FnMut(Incoming<'_>) -> anyhow::Result<()> + 't;

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
