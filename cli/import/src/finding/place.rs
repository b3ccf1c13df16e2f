//! Files of an export, their lines, and places in them.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::spool::Stored;

/// The byte order mark of UTF-8, which some programs write at the beginning of a file.
pub(crate) const BYTE_ORDER_MARK: &[u8] = &[0xef, 0xbb, 0xbf];

/// One file of lines, on its own or in a folder or archive.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ExportFile {
    /// Its position in the order of reading.
    pub ordinal: u32,
    /// The name that messages show: a path, followed by the member's path if it is in an archive,
    /// and by the sheet of a workbook in brackets.
    pub name: String,
    /// Its path within its folder or archive; its file name if it was named on its own.
    pub path: String,
}

/// One line that is not blank.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// The file it is in.
    pub file: &'a Arc<ExportFile>,
    /// Where it begins.
    pub start: Start,
    /// Its bytes, unchanged, without the line feed.
    pub raw: &'a [u8],
    /// Whether the file ends right after it, without a line break.
    pub is_unterminated: bool,
    /// How a mapping made it, if one did.
    pub made: Option<Made>,
}

/// How a mapping made a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Made {
    /// The number of the rule.
    pub rule: u32,
    /// The text of the record that it is made of.
    pub of: Stored,
}

impl<'a> Line<'a> {
    /// Its bytes without line break and byte order mark.
    pub fn contents(&self) -> &'a [u8] {
        let contents = self.raw.strip_suffix(b"\r").unwrap_or(self.raw);
        match self.start.line {
            1 => contents.strip_prefix(BYTE_ORDER_MARK).unwrap_or(contents),
            _ => contents,
        }
    }
}

/// A line of an export, or a file of it as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub file: Arc<ExportFile>,
    /// Where the record, or the line, begins; `None` if the file as a whole is meant.
    pub start: Option<Start>,
}

/// Where a record begins in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Start {
    /// Its line, from 1; in a file of Parquet, its row.
    pub line: u64,
    /// What people count it by, if that is not lines.
    pub nth: Option<Nth>,
}

/// The number of a record, from 1, for whoever does not look for it by lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Nth {
    /// Of its row, as a spreadsheet shows it: the header is the first, and a row is one whatever
    /// line breaks its cells have.
    Row(u64),
    /// Among the records of its list.
    Record(u64),
}

impl Place {
    /// Where a record of a file begins.
    pub fn at(file: &Arc<ExportFile>, start: Start) -> Self {
        Self {
            file: Arc::clone(file),
            start: Some(start),
        }
    }

    /// The line, from 1.
    pub fn line(&self) -> Option<u64> {
        self.start.map(|start| start.line)
    }

    /// What people count the record by, if that is not lines.
    pub fn nth(&self) -> Option<Nth> {
        self.start?.nth
    }
}

/// The beginning of a line.
impl From<u64> for Start {
    fn from(line: u64) -> Self {
        Self { line, nth: None }
    }
}

/// As messages say it: `row 5`.
impl fmt::Display for Nth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Row(row) => write!(f, "row {row}"),
            Self::Record(record) => write!(f, "record {record}"),
        }
    }
}

/// As messages show it: `boats.ndjson:4`.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file.name)?;
        self.line().map_or(Ok(()), |line| write!(f, ":{line}"))
    }
}
