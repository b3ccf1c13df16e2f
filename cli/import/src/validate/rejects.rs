//! Writes the records that are left out as they were read, so that they can be corrected and read
//! again: lines unchanged, rows of CSV below their header, and all others as JSON, one on a line.
//!
//! Nothing here decides what is left out.

use std::collections::{HashMap, HashSet};
use std::io::{self, Write};
use std::sync::Arc;

use anyhow::Context as _;
use csv::WriterBuilder;
use serde_json::Value;

use crate::finding::{BYTE_ORDER_MARK, Line, Place};
use crate::source::formula::escaped;
use crate::source::{Header, Original};
use crate::spool::{Spool, Stored};

/// The writer of the records that are left out.
pub(super) struct Rejects<'a> {
    out: &'a mut dyn Write,
    /// The headers of files of rows, by the ordinals of the files.
    pub(super) headers: HashMap<u32, Header>,
    /// The texts of which a mapping makes records, if one does and all are read.
    pub(super) originals: Option<Arc<Spool>>,
    /// The offsets of those that were written: several records may be made of one.
    written: HashSet<u64>,
    /// The ordinal of the file whose header stands above what is written next.
    below: Option<u32>,
}

impl<'a> Rejects<'a> {
    /// Nothing is left out yet.
    pub(super) fn new(out: &'a mut dyn Write) -> Self {
        Self {
            out,
            headers: HashMap::new(),
            originals: None,
            written: HashSet::new(),
            below: None,
        }
    }

    /// Writes a record, or what the mapping made it of. A record in the mapping itself is no part
    /// of the export.
    pub(super) fn record(&mut self, line: Line<'_>) -> anyhow::Result<()> {
        match line.made {
            Some(made) => self.stored(line.file.ordinal, made.of),
            None if self.originals.is_some() => Ok(()),
            None => self.line(line.raw),
        }
    }

    /// Writes a record of which nothing could be made.
    pub(super) fn failed(
        &mut self,
        place: Option<&Place>,
        original: Original,
    ) -> anyhow::Result<()> {
        // A record without a place is in no file of rows.
        let ordinal = place.map_or(u32::MAX, |place| place.file.ordinal);
        match original {
            Original::Text(text) => self.text(ordinal, text),
            Original::Stored(stored) => self.stored(ordinal, stored),
        }
    }

    /// Writes a piece of a line that is too long to be held.
    pub(super) fn piece(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        written(self.out.write_all(bytes))
    }

    /// Ends a line that was written in pieces.
    pub(super) fn end_of_line(&mut self) -> anyhow::Result<()> {
        written(self.out.write_all(b"\n"))
    }

    fn line(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        self.below = None;
        self.piece(bytes)?;
        self.end_of_line()
    }

    fn stored(&mut self, file: u32, stored: Stored) -> anyhow::Result<()> {
        let Some(originals) = self.originals.as_ref() else {
            return Ok(());
        };
        if !self.written.insert(stored.offset) {
            return Ok(());
        }
        let text = originals.read(stored);
        let text = text.map_err(|error| originals.unread(error))?;
        self.text(file, text)
    }

    /// Writes a record of this file, given its text as JSON.
    fn text(&mut self, file: u32, text: Vec<u8>) -> anyhow::Result<()> {
        let Some(header) = self.headers.get(&file) else {
            return self.line(&on_one_line(text));
        };
        let row: Value = serde_json::from_slice(&text).context("a row could not be read again")?;
        let above = self.below.replace(file);
        if above.is_none() {
            // It counts for more than the `encoding` of a mapping, and spreadsheets heed it too.
            written(self.out.write_all(BYTE_ORDER_MARK))?;
        }
        let is_below = above == Some(file);
        if header.is_delimiter_named && !is_below {
            written(writeln!(self.out, "sep={}", char::from(header.delimiter)))?;
        }
        let mut rows = WriterBuilder::new();
        rows.flexible(true).delimiter(header.delimiter);
        let mut rows = rows.from_writer(&mut *self.out);
        if !is_below {
            written(rows.write_record(&header.names).map_err(io::Error::from))?;
        }
        let cell = |value: &Value| match value {
            Value::Null => String::new(),
            Value::String(text) => escaped(text).into_owned(),
            // Of a workbook.
            other => other.to_string(),
        };
        let cells: Vec<String> = match &row {
            Value::Array(cells) => cells.iter().map(cell).collect(),
            named => header.names.iter().map(|name| cell(&named[name])).collect(),
        };
        written(rows.write_record(cells).map_err(io::Error::from))?;
        written(rows.flush())
    }
}

/// Removes line breaks. JSON has them only between tokens, so the record stays the same.
fn on_one_line(mut text: Vec<u8>) -> Vec<u8> {
    for byte in &mut text {
        if matches!(byte, b'\n' | b'\r') {
            *byte = b' ';
        }
    }
    text
}

fn written(written: io::Result<()>) -> anyhow::Result<()> {
    written.context("could not write the rejected records")
}
