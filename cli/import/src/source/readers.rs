//! Reading the files of content systems: each record as JSON text, with the line it begins at.
//!
//! Reading is streaming: whatever the size of a file, no more than one record of at most
//! [`RECORD_MAX`] bytes is held. A reader stops at the first damage after which records cannot be
//! told from damage; a record that is wrong by itself is told, and the next one read. Nothing here
//! knows what a record means.

pub(super) mod csv;
pub(super) mod json;
pub(super) mod xml;

mod bounded;
mod path;

use std::io;

pub(super) use self::path::RecordsPath;

use crate::findings::Code;

/// Longest text of a record, in bytes, as it stands in its file.
pub(super) const RECORD_MAX: usize = 16 * 1024 * 1024;
/// Deepest nesting of objects and lists, or of elements, in a file.
pub(super) const DEPTH_MAX: usize = 100;

/// One record of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RecordText<'a> {
    /// The line at which it begins, from 1.
    pub(super) line: u64,
    /// Which of the lists that were asked for it is from; none where the whole file is one.
    pub(super) list: Option<usize>,
    /// One JSON value.
    pub(super) text: &'a str,
}

/// A record that cannot be read, though those after it can.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BadRecord {
    /// The line at which it begins, from 1.
    pub(super) line: u64,
    /// What kind of wrong: a code that leaving the record out mends.
    pub(super) code: Code,
    /// What is wrong, for people.
    pub(super) message: String,
    /// The record as JSON, as far as it could be read.
    pub(super) raw: String,
}

/// Receives the records, bad ones too, in the order of the file.
pub(super) type Visit<'a> = dyn FnMut(Result<RecordText<'_>, BadRecord>) -> anyhow::Result<()> + 'a;

/// Why reading a file ended early.
#[derive(Debug)]
pub(super) enum Stop {
    /// The file is damaged.
    Broken(Broken),
    /// What delivers the file failed, be it a disk or a decompressor.
    Unread {
        /// How far it got.
        line: u64,
        /// Why.
        source: io::Error,
    },
    /// Whoever receives the records told so.
    Told(anyhow::Error),
}

/// Damage that ends the reading of a file.
///
/// As records may be lost with it, its code is one that leaving records out does not mend.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Broken {
    /// What kind.
    pub(super) code: Code,
    /// At which line.
    pub(super) line: Option<u64>,
    /// What is wrong, for people.
    pub(super) message: String,
}

/// A file that cannot be read beyond a line.
fn corrupt(line: u64, message: impl Into<String>) -> Stop {
    Stop::Broken(Broken {
        code: Code::FileCorrupt,
        line: Some(line),
        message: message.into(),
    })
}

/// A file that ends where more must follow.
fn truncated(line: u64, message: impl Into<String>) -> Stop {
    Stop::Broken(Broken {
        code: Code::FileTruncated,
        line: Some(line),
        message: message.into(),
    })
}

#[cfg(test)]
mod tests;
