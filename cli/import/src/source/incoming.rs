//! The items in the stream of an export: records, and findings about files and records.

use std::io;
use std::sync::Arc;

use crate::finding::{Code, ExportFile, Finding, Kind, Line};
use crate::spool::{Spool, Stored};

/// An item of an export, in the export's order.
#[derive(Debug)]
pub(crate) enum Incoming<'a> {
    /// The next record, as it is in its file.
    Record(Record<'a>),
    /// The next native record made by a mapping.
    Mapped(Line<'a>),
    /// The first bytes of a file that has no records.
    Head(&'a ExportFile, &'a [u8]),
    /// The header of a file of rows, before its rows.
    Header(&'a ExportFile, Header),
    /// The texts of all records that a mapping read, before what it makes of them.
    Originals(Arc<Spool>),
    /// The next piece of a line that is too long to be held; a finding follows the last piece.
    Oversized(&'a [u8]),
    /// A problem with a file, or a note on a record that was still read.
    Finding(Finding),
    /// A record from which no line could be made.
    Failed(FailedRecord),
    /// A record that is not published, with what people call it.
    Unpublished {
        kind: Kind,
        id: &'a str,
        name: Option<&'a str>,
    },
}

/// A record as it is in its file, and what it is read for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record<'a> {
    /// Its text and place.
    pub(crate) line: Line<'a>,
    /// Its position among the other records.
    pub(crate) spot: Spot,
    /// The plan's groups of files that it is read for.
    pub(crate) groups: &'a [usize],
}

/// Where a record is in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Spot {
    /// The index of its list in the layout; `None` if the whole file is one list.
    pub(crate) list: Option<u16>,
    /// Its position in that list, or in the file, starting at 1.
    pub(crate) position: u32,
}

/// The header of a file of rows, with what stands between its cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) delimiter: u8,
    /// Whether the file names it, in a line before the header.
    pub(crate) is_delimiter_named: bool,
    /// The names of the columns; empty for those without.
    pub(crate) names: Vec<String>,
}

/// Takes the items.
pub(crate) type Sink<'t> = dyn FnMut(Incoming<'_>) -> anyhow::Result<()> + 't;

/// A record from which no line could be made.
#[derive(Debug)]
pub(crate) struct FailedRecord {
    /// The kind it was meant to become, if known.
    pub(crate) kind: Option<Kind>,
    /// The reasons, each with its id if known: a rule may make several records of one.
    pub(crate) findings: Vec<Finding>,
    /// The record as it was read.
    pub(crate) original: Original,
}

/// A record as it was read.
#[derive(Debug)]
pub(crate) enum Original {
    Text(Vec<u8>),
    /// One of the texts of all records.
    Stored(Stored),
}

/// Why reading a file ended early.
#[derive(Debug)]
pub(crate) enum FileError {
    /// The file is damaged, so records may be lost, and leaving out records cannot repair that.
    Damaged {
        code: Code,
        line: u64,
        message: String,
    },
    /// The disk or the decompressor failed at this line.
    Unread { line: u64, source: io::Error },
    /// The receiver of the records failed.
    Failed(anyhow::Error),
}

impl From<anyhow::Error> for FileError {
    fn from(error: anyhow::Error) -> Self {
        Self::Failed(error)
    }
}
