//! Reads the files of content systems, giving each record as JSON text with the line where it
//! begins.
//!
//! Readers stream: whatever the size of a file, no more than one record of at most [`RECORD_MAX`]
//! bytes is held. A reader stops at the first damage after which records can no longer be told from
//! damage. If only a single record is bad, it is reported and the next one is read. Nothing here
//! knows what a record means.

pub(crate) mod csv;
pub(crate) mod json;
pub(crate) mod parquet;
pub(crate) mod table;
pub(crate) mod workbook;
pub(crate) mod xml;

mod bounded;
mod disk;
mod path;

pub(crate) use self::path::{RecordsPath, in_path};

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::incoming::FileError;
use crate::finding::{Code, Start};

/// Maximum length of a record in bytes, as it is in its file.
pub(crate) const RECORD_MAX: usize = 16 * 1024 * 1024;
/// The deepest nesting of elements or columns in a file: that of a record, and of what holds it.
pub(crate) const DEPTH_MAX: usize = 160;

/// One record of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RecordText<'a> {
    /// Where it begins.
    pub(crate) start: Start,
    /// The index of its list among the requested ones; `None` if the whole file is one list.
    pub(crate) list: Option<usize>,
    /// Whether people count it among the records of its list.
    pub(crate) is_counted: bool,
    /// One JSON value.
    pub(crate) text: &'a str,
}

impl<'a> RecordText<'a> {
    /// A row of a file of rows, with the number that it has there.
    const fn of_row(start: Start, text: &'a str) -> Self {
        Self {
            start,
            list: None,
            is_counted: false,
            text,
        }
    }
}

/// The lists in a file that may have several.
#[derive(Debug, Default)]
pub(crate) struct Lists {
    /// The indices of the requested ones that it does not have.
    pub(crate) absent: Vec<usize>,
    /// The paths of lists of objects beside the requested ones.
    pub(crate) others: BTreeSet<String>,
}

/// A record that cannot be read, although the following ones can.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BadRecord {
    /// Where it begins.
    pub(crate) start: Start,
    /// The kind of problem, one that leaving the record out solves.
    pub(crate) code: Code,
    /// The message for people.
    pub(crate) message: String,
    /// As much of the record as could be read, as JSON.
    pub(crate) raw: String,
}

/// Receives the records, including bad ones, in the file's order.
pub(crate) type Visit<'a> = dyn FnMut(Result<RecordText<'_>, BadRecord>) -> anyhow::Result<()> + 'a;

/// The error for a file that cannot be read beyond a line.
fn corrupt(line: u64, message: impl Into<String>) -> FileError {
    FileError::Damaged {
        code: Code::FileCorrupt,
        line,
        message: message.into(),
    }
}

/// The error for a file that ends too early.
fn truncated(line: u64, message: impl Into<String>) -> FileError {
    FileError::Damaged {
        code: Code::FileTruncated,
        line,
        message: message.into(),
    }
}

/// Runs `act` and turns a panic into an error at `row`: libraries panic if a file contradicts
/// itself.
fn caught<T>(
    form: &str,
    row: u64,
    act: impl FnOnce() -> Result<T, FileError>,
) -> Result<T, FileError> {
    catch_unwind(AssertUnwindSafe(act)).unwrap_or_else(|_panic| {
        let message = format!("the file contradicts itself, so that it cannot be read as {form}");
        Err(corrupt(row, message))
    })
}

#[cfg(test)]
pub(crate) mod tests;
