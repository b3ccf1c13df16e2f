//! Reads CSV: after a header, each row is a record, an object of texts.
//!
//! Quoting follows RFC 4180. The delimiter is whichever of comma, semicolon and tab occurs most
//! often in the first line outside of quotes. If that line is like `sep=;`, as Excel writes it, it
//! names the delimiter, and the header follows. An empty cell is null, an empty row is skipped, and
//! a column without a name must be empty, because spreadsheets add such columns and rows. An
//! apostrophe before a formula is not part of the text.
//!
//! A header has at most as many columns as spreadsheets allow.
//!
//! If a row of one line does not have as many cells as the header, only that row is bad. A row of
//! several lines has swallowed others because of misplaced quotes, so nothing after it can be
//! trusted.

use std::borrow::Cow;
use std::io::{self, BufRead, Read};

use csv::{ByteRecord, ErrorKind, ReaderBuilder, Terminator};
use serde::{Serialize, Serializer};

use super::bounded::{Bounded, Progress, too_long, unread};
use super::{BadRecord, FileError, RECORD_MAX, RecordText, Visit, corrupt, truncated};
use crate::finding::{Code, Nth, Start, cut};
use crate::json::first_repeated;
use crate::source::formula::unescaped;
use crate::source::incoming::Header;

/// The most bytes of the first line that are searched for the delimiter.
const HEADER_MAX: u64 = 1024 * 1024;
/// The most columns of a header: as many as a spreadsheet allows.
pub(crate) const COLUMNS_MAX: usize = 16_384;
/// Bytes read ahead.
const BUFFER: usize = 64 * 1024;
/// In order of preference.
const DELIMITERS: [u8; 3] = [b',', b';', b'\t'];
/// A row appended to the file. It is read as a row of its own only if no quote is left open.
const END: &str = "\u{1}end of the file\u{1}";
/// The message for a row that is not UTF-8.
const NOT_UTF8: &str = "the row is not UTF-8; save the file as UTF-8, or add its encoding to the source in the mapping, as in `encoding = \"windows-1252\"`";

/// Hands the header to `begin`, and then every row below it to `visit`.
pub(crate) fn read(
    reader: impl BufRead,
    begin: &mut dyn FnMut(Header) -> anyhow::Result<()>,
    visit: &mut Visit<'_>,
) -> Result<(), FileError> {
    let progress = Progress::new();
    let stopped = |source| unread(source, progress.line());
    let mut reader = Bounded::new(reader, &progress).map_err(stopped)?;
    let mut head = Vec::new();
    let first_line = reader
        .by_ref()
        .take(HEADER_MAX)
        .read_until(b'\n', &mut head);
    first_line.map_err(stopped)?;
    let given = named_delimiter(&head);
    let delimiter = match given {
        Some(given) => {
            // A blank line takes its place, so lines are counted correctly.
            head = b"\n".to_vec();
            given
        }
        None => delimiter(&head),
    };
    let end = io::Cursor::new(format!("\n{END}\n"));
    progress.begin(BUFFER);
    let mut rows = Rows {
        reader: ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(delimiter)
            // With the default terminator, rows with Windows line ends would be counted a line
            // late.
            .terminator(Terminator::Any(b'\n'))
            .buffer_capacity(BUFFER)
            .from_reader(io::Cursor::new(head).chain(reader).chain(end)),
        progress: &progress,
        row: ByteRecord::new(),
        // Spreadsheets do not show the line that names the delimiter.
        uncounted: u64::from(given.is_some()),
    };
    let Some(row) = rows.next()? else {
        return Ok(());
    };
    let names = names_of(&row)?;
    let header = Header {
        delimiter,
        is_delimiter_named: given.is_some(),
        names,
    };
    begin(header.clone())?;
    while let Some(row) = rows.next()? {
        let start = row.start;
        let visited = match object(&header.names, row)? {
            Ok(text) => visit(Ok(RecordText {
                start,
                list: None,
                text: &text,
            })),
            Err(bad) => visit(Err(bad)),
        };
        visited.map_err(FileError::Failed)?;
    }
    Ok(())
}

/// The delimiter that a first line like `sep=;` names.
fn named_delimiter(head: &[u8]) -> Option<u8> {
    let (mark, named) = head.trim_ascii_end().split_at_checked(b"sep=".len())?;
    let named = match named {
        // White space at the end was trimmed above, but it may have been a tab as the delimiter.
        [] => head[mark.len()..].first().filter(|byte| **byte == b'\t'),
        [named] => Some(named),
        _ => None,
    };
    let is_mark = mark.eq_ignore_ascii_case(b"sep=");
    let can_be_one = |byte: &u8| is_mark && (*byte == b'\t' || byte.is_ascii_punctuation());
    named
        .copied()
        .filter(|byte| can_be_one(byte) && *byte != b'"')
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

/// A row that is not empty.
struct Row<'r> {
    start: Start,
    /// Whether any cell has line breaks.
    is_of_several_lines: bool,
    /// Its cells, with invalid UTF-8 replaced.
    cells: Vec<Cow<'r, str>>,
    is_utf8: bool,
}

struct Rows<'p, R> {
    reader: csv::Reader<R>,
    progress: &'p Progress,
    row: ByteRecord,
    /// How many lines so far begin no row: they go on in a cell.
    uncounted: u64,
}

impl<R: Read> Rows<'_, R> {
    /// The next row that is not empty, with its line.
    fn next(&mut self) -> Result<Option<Row<'_>>, FileError> {
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
        // The row itself also ends with a line break.
        let line = end - lines - 1;
        if RECORD_MAX < row.len() {
            return Err(corrupt(line, too_long()));
        }
        let nth = Some(Nth::Row(line - self.uncounted));
        self.uncounted += lines;
        Ok(Some(Row {
            start: Start { line, nth },
            is_of_several_lines: 0 < lines,
            is_utf8: self
                .row
                .iter()
                .all(|cell| std::str::from_utf8(cell).is_ok()),
            cells: self.row.iter().map(cell).collect(),
        }))
    }

    fn stop(&self, error: csv::Error) -> FileError {
        let line = self.progress.line();
        match error.into_kind() {
            ErrorKind::Io(source) => unread(source, line),
            other => corrupt(line, format!("the row cannot be read: {other:?}")),
        }
    }
}

/// The text of a cell with line feeds as line breaks. The last cell includes the carriage return of
/// the row's line break.
fn cell(bytes: &[u8]) -> Cow<'_, str> {
    let text = String::from_utf8_lossy(bytes.strip_suffix(b"\r").unwrap_or(bytes));
    if text.contains('\r') {
        return Cow::Owned(text.replace("\r\n", "\n"));
    }
    text
}

/// The names of the columns.
fn names_of(row: &Row<'_>) -> Result<Vec<String>, FileError> {
    if !row.is_utf8 {
        return Err(corrupt(row.start.line, NOT_UTF8));
    }
    if COLUMNS_MAX < row.cells.len() {
        let columns = row.cells.len();
        let message = format!("a header has at most {COLUMNS_MAX} columns, this one {columns}");
        return Err(corrupt(row.start.line, message));
    }
    let names = row.cells.iter().map(|cell| cell.trim());
    if let Some(name) = first_repeated(names.clone().filter(|name| !name.is_empty())) {
        let message = format!("two columns are called {:?}", cut(name));
        return Err(corrupt(row.start.line, message));
    }
    Ok(names.map(str::to_owned).collect())
}

/// The JSON text of a row, or the reason why it has none.
fn object(header: &[String], row: Row<'_>) -> Result<Result<String, BadRecord>, FileError> {
    let Row { start, cells, .. } = row;
    let (code, message) = match mismatch(header, &cells) {
        Some(message) if row.is_of_several_lines => {
            let reason = "it goes on over several lines: a quote may be missing";
            return Err(corrupt(start.line, format!("{message}, and {reason}")));
        }
        _ if !row.is_utf8 => (Code::InvalidUtf8, NOT_UTF8.to_owned()),
        Some(message) => (Code::InvalidRow, message),
        None => return json(&Object { header, cells }).map(Ok),
    };
    Ok(Err(BadRecord {
        start,
        code,
        message,
        raw: json(&cells.iter().map(|cell| unescaped(cell)).collect::<Vec<_>>())?,
    }))
}

/// How the cells of a row do not fit the header.
fn mismatch(header: &[String], cells: &[Cow<'_, str>]) -> Option<String> {
    if cells.len() != header.len() {
        let (has, wants) = (cells.len(), header.len());
        return Some(format!("the row has {has} cells, and the header {wants}"));
    }
    let mut named = header.iter().zip(cells);
    let (_, cell) = named.find(|(name, cell)| name.is_empty() && !cell.is_empty())?;
    Some(format!("{:?} stands in a column without a name", cut(cell)))
}

fn json(value: &impl Serialize) -> Result<String, FileError> {
    serde_json::to_string(value).map_err(|error| FileError::Failed(error.into()))
}

struct Object<'a> {
    header: &'a [String],
    cells: Vec<Cow<'a, str>>,
}

impl Serialize for Object<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let named = self.header.iter().zip(&self.cells);
        let members = named
            .filter(|(name, _)| !name.is_empty())
            .map(|(name, cell)| (name, Some(unescaped(cell)).filter(|cell| !cell.is_empty())));
        serializer.collect_map(members)
    }
}
