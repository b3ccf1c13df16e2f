//! CSV: a header and a record for every row, an object of texts.
//!
//! Quotes are those of RFC 4180. The delimiter is whichever of comma, semicolon and tab the first
//! line has most of outside of quotes. An empty cell is null, an empty row is none, and a column
//! without a name must be empty, because spreadsheets add such columns and rows.

use std::borrow::Cow;
use std::io::{self, BufRead, Read};
use std::str::Utf8Error;

use csv::{ByteRecord, ErrorKind, ReaderBuilder, Terminator};
use serde::{Serialize, Serializer};

use super::bounded::{Bounded, Progress, too_long, unread};
use super::{RECORD_MAX, RecordText, Stop, Visit, corrupt, truncated};

/// Longest first line, in bytes.
const HEADER_MAX: u64 = 1024 * 1024;
/// Bytes read ahead.
const BUFFER: usize = 64 * 1024;
/// In the order of preference.
const DELIMITERS: [u8; 3] = [b',', b';', b'\t'];
/// A row that is put at the end: it is only read as one where no quote is left open.
const END: &str = "\u{1}end of the file\u{1}";

/// Hands every row below the header to `visit`.
pub(in crate::mapping) fn read(reader: impl BufRead, visit: &mut Visit<'_>) -> Result<(), Stop> {
    let progress = Progress::new();
    let stopped = |source| unread(source, progress.line());
    let mut reader = Bounded::new(reader, &progress).map_err(stopped)?;
    let mut head = Vec::new();
    let first_line = reader
        .by_ref()
        .take(HEADER_MAX)
        .read_until(b'\n', &mut head);
    first_line.map_err(stopped)?;
    let delimiter = delimiter(&head);
    let end = io::Cursor::new(format!("\n{END}\n"));
    progress.begin(BUFFER);
    let mut rows = Rows {
        reader: ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(delimiter)
            // Rows that end as on Windows would be counted a line late.
            .terminator(Terminator::Any(b'\n'))
            .buffer_capacity(BUFFER)
            .from_reader(io::Cursor::new(head).chain(reader).chain(end)),
        progress: &progress,
        row: ByteRecord::new(),
    };
    let Some((line, cells)) = rows.next()? else {
        return Ok(());
    };
    let header = header(line, &cells)?;
    while let Some((line, cells)) = rows.next()? {
        let text = object(&header, line, cells)?;
        visit(RecordText { line, text: &text }).map_err(Stop::Told)?;
    }
    Ok(())
}

fn delimiter(head: &[u8]) -> u8 {
    let mut counts = [0_usize; DELIMITERS.len()];
    let mut is_quoted = false;
    for byte in head {
        is_quoted ^= *byte == b'"';
        if let Some(at) = DELIMITERS.iter().position(|delimiter| delimiter == byte)
            && !is_quoted
        {
            counts[at] += 1;
        }
    }
    let mut best = 0;
    for at in 1..DELIMITERS.len() {
        if counts[best] < counts[at] {
            best = at;
        }
    }
    DELIMITERS[best]
}

/// The line of a row, and its cells.
type Numbered<'r> = (u64, Vec<Cow<'r, str>>);

struct Rows<'p, R> {
    reader: csv::Reader<R>,
    progress: &'p Progress,
    row: ByteRecord,
}

impl<R: Read> Rows<'_, R> {
    /// The next row that is not empty, with its line.
    fn next(&mut self) -> Result<Option<Numbered<'_>>, Stop> {
        loop {
            let read = self.reader.read_byte_record(&mut self.row);
            let is_row = read.map_err(|error| self.stop(error))?;
            self.progress.begin(BUFFER);
            if !is_row || self.row.as_slice() == END.as_bytes() {
                return Ok(None);
            }
            if !matches!(self.row.as_slice(), b"" | b"\r") {
                break;
            }
        }
        let row = self.row.as_slice();
        let lines = memchr::memchr_iter(b'\n', row).count() as u64;
        let end = self.reader.position().line();
        if row.trim_ascii_end().ends_with(END.as_bytes()) {
            let message = "the quotes that are opened in this row are never closed";
            return Err(truncated(end - lines, message));
        }
        // The row itself ends with a line break too.
        let line = end - lines - 1;
        if RECORD_MAX < row.len() {
            return Err(corrupt(line, too_long()));
        }
        let cells: Result<Vec<_>, _> = self.row.iter().map(cell).collect();
        match cells {
            Ok(cells) => Ok(Some((line, cells))),
            Err(_invalid) => Err(corrupt(
                line,
                "the row is not UTF-8; save the file as UTF-8",
            )),
        }
    }

    fn stop(&self, error: csv::Error) -> Stop {
        let line = self.progress.line();
        match error.into_kind() {
            ErrorKind::Io(source) => unread(source, line),
            other => corrupt(line, format!("the row cannot be read: {other:?}")),
        }
    }
}

/// The text of a cell, with line feeds for line breaks; the last one has half of the row's.
fn cell(bytes: &[u8]) -> Result<Cow<'_, str>, Utf8Error> {
    let text = std::str::from_utf8(bytes)?;
    let text = text.strip_suffix('\r').unwrap_or(text);
    if text.contains('\r') {
        return Ok(Cow::Owned(text.replace("\r\n", "\n")));
    }
    Ok(Cow::Borrowed(text))
}

/// The names of the columns.
fn header(line: u64, cells: &[Cow<'_, str>]) -> Result<Vec<String>, Stop> {
    let names: Vec<String> = cells.iter().map(|cell| cell.trim().to_owned()).collect();
    for (at, name) in names.iter().enumerate() {
        if !name.is_empty() && names[..at].contains(name) {
            let message = format!("two columns are called {name:?}");
            return Err(corrupt(line, message));
        }
    }
    Ok(names)
}

/// The JSON text of a row.
fn object(header: &[String], line: u64, cells: Vec<Cow<'_, str>>) -> Result<String, Stop> {
    if cells.len() != header.len() {
        let (has, wants) = (cells.len(), header.len());
        let message = format!("the row has {has} cells, and the header {wants}");
        return Err(corrupt(line, message));
    }
    let mut named = header.iter().zip(&cells);
    if let Some((_, cell)) = named.find(|(name, cell)| name.is_empty() && !cell.is_empty()) {
        let message = format!("{cell:?} stands in a column without a name");
        return Err(corrupt(line, message));
    }
    let row = Row { header, cells };
    serde_json::to_string(&row).map_err(|error| Stop::Told(error.into()))
}

struct Row<'a> {
    header: &'a [String],
    cells: Vec<Cow<'a, str>>,
}

impl Serialize for Row<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let named = self.header.iter().zip(&self.cells);
        let members = named
            .filter(|(name, _)| !name.is_empty())
            .map(|(name, cell)| (name, Some(cell).filter(|cell| !cell.is_empty())));
        serializer.collect_map(members)
    }
}
