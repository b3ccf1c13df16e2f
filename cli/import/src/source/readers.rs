//! Reading the files of content systems: each record as JSON text, with the line it begins at.
//!
//! Reading is streaming: whatever the size of a file, no more than one record of at most
//! [`RECORD_MAX`] bytes is held. A reader stops at the first damage after which records cannot be
//! distinguished from damage; a record that is wrong by itself is reported, and the next one read.
//! Nothing here knows what a record means.

pub(crate) mod csv;
pub(crate) mod json;
pub(crate) mod parquet;
pub(crate) mod xml;

mod bounded;
mod path;

pub(crate) use self::path::RecordsPath;

use super::incoming::FileError;
use crate::finding::Code;

/// Longest text of a record, in bytes, as it stands in its file.
pub(crate) const RECORD_MAX: usize = 16 * 1024 * 1024;
/// Deepest nesting of objects and lists, or of elements, in a file.
pub(crate) const DEPTH_MAX: usize = 100;

/// One record of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RecordText<'a> {
    /// The line at which it begins, or the row that it is, from 1.
    pub(crate) line: u64,
    /// Which of the lists that were asked for it is from; none where the whole file is one.
    pub(crate) list: Option<usize>,
    /// One JSON value.
    pub(crate) text: &'a str,
}

/// A record that cannot be read, though those after it can.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BadRecord {
    /// The line at which it begins, or the row that it is, from 1.
    pub(crate) line: u64,
    /// What kind of wrong: a code that leaving the record out mends.
    pub(crate) code: Code,
    /// What is wrong, for people.
    pub(crate) message: String,
    /// The record as JSON, as far as it could be read.
    pub(crate) raw: String,
}

/// Receives the records, bad ones too, in the order of the file.
pub(crate) type Visit<'a> = dyn FnMut(Result<RecordText<'_>, BadRecord>) -> anyhow::Result<()> + 'a;

/// A file that cannot be read beyond a line.
fn corrupt(line: u64, message: impl Into<String>) -> FileError {
    FileError::Damaged {
        code: Code::FileCorrupt,
        line,
        message: message.into(),
    }
}

/// A file that ends where more must follow.
fn truncated(line: u64, message: impl Into<String>) -> FileError {
    FileError::Damaged {
        code: Code::FileTruncated,
        line,
        message: message.into(),
    }
}

#[cfg(test)]
mod tests;
