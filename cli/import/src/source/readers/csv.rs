//! Reads the rows of CSV.
//!
//! Quoting follows RFC 4180. The delimiter is whichever of comma, semicolon and tab occurs most
//! often in the header outside of quotes, or a bar if every line has one. If the first line is like `sep=;`, as Excel writes it, it
//! names the delimiter, and the table begins below it. Lines may end in a carriage return alone, as
//! old programs of the Macintosh write them.

use std::borrow::Cow;
use std::io::{self, BufRead, BufReader, Read};
use std::mem;

use super::bounded::{Bounded, Progress, too_long, unread};
use super::table::{self, Begin, Cell, Row};
use super::{FileError, RECORD_MAX, Visit, corrupt, truncated};
use crate::finding::{BYTE_ORDER_MARK, Nth, Start};
use crate::source::incoming::Header;
use crate::source::plan::{Rows, TableLayout};
use csv::{ByteRecord, ErrorKind, ReaderBuilder, Terminator};

/// The most bytes of the first lines that are searched for the delimiter.
const HEAD_MAX: u64 = 1024 * 1024;
/// Bytes read ahead.
const BUFFER: usize = 64 * 1024;
/// In order of preference. The last stands between the members of lists too, so it counts only if
/// every line has it, also the header.
const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];
/// A row appended to the file. It is read as a row of its own only if no quote is left open.
const END: &str = "\u{1}end of the file\u{1}";

/// Hands the header to `begin`, and then every row below it to `visit`.
pub(crate) fn read(
    mut reader: impl BufRead,
    layout: &TableLayout,
    begin: &mut Begin<'_>,
    visit: &mut Visit<'_>,
) -> Result<(), FileError> {
    let progress = Progress::new();
    let stopped = |source| unread(source, progress.line());
    let (head, is_old) = ends(&mut reader).map_err(stopped)?;
    let reader = io::Cursor::new(head).chain(reader);
    let reader: Box<dyn BufRead> = if is_old {
        let reader = OldLines {
            reader,
            is_after_return: false,
        };
        Box::new(BufReader::with_capacity(BUFFER, reader))
    } else {
        Box::new(reader)
    };
    let mut reader = Bounded::new(reader, &progress).map_err(stopped)?;
    let mut head = Vec::new();
    let mut lines = Vec::new();
    for _ in 0..layout.rows.lines() {
        let begin = head.len();
        let most = HEAD_MAX - HEAD_MAX.min(begin as u64);
        let line = reader.by_ref().take(most).read_until(b'\n', &mut head);
        if line.map_err(stopped)? == 0 {
            break;
        }
        lines.push(begin..head.len());
    }
    let first = lines.first().cloned().unwrap_or_default();
    let given = named_delimiter(&head[first.clone()]);
    let delimiter = if let Some(given) = given {
        // A blank line takes its place, so lines are counted correctly.
        head.splice(first, *b"\n");
        given
    } else {
        let is_header = |at: &usize| layout.rows == Rows::Preview || at + 1 == lines.len();
        let headers = (0..lines.len()).filter(is_header);
        delimiter(headers.map(|at| &head[lines[at].clone()]))
    };
    let end = io::Cursor::new(format!("\n{END}\n"));
    progress.begin(BUFFER);
    let mut rows = CsvRows {
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
    if matches!(layout.rows, Rows::Preview) {
        return table::preview(&mut rows, None, visit);
    }
    let header = Header {
        delimiter,
        is_delimiter_named: given.is_some(),
        names: Vec::new(),
    };
    table::read(&mut rows, layout, &header, begin, visit)
}

/// As much of a file as tells how its lines end, and whether that is in a carriage return alone.
fn ends(reader: &mut impl BufRead) -> io::Result<(Vec<u8>, bool)> {
    let mut head = Vec::new();
    loop {
        let chunk = reader.fill_buf()?;
        let length = chunk.len();
        head.extend_from_slice(chunk);
        reader.consume(length);
        match is_old(&head) {
            Some(is_old) => return Ok((head, is_old)),
            None if length == 0 || BUFFER <= head.len() => return Ok((head, false)),
            None => {}
        }
    }
}

/// Whether the first line ends in a carriage return alone, if that is known. In quotes, none ends.
fn is_old(head: &[u8]) -> Option<bool> {
    let (mut is_quoted, mut is_cell_begun) = (false, false);
    for (at, byte) in head.iter().enumerate() {
        match byte {
            b'\n' if !is_quoted => return Some(false),
            b'\r' if !is_quoted => return head.get(at + 1).map(|next| *next != b'\n'),
            // Elsewhere, it is the sign of inches; two of them within quotes are one.
            b'"' if is_quoted || !is_cell_begun => {
                is_quoted = !is_quoted;
                is_cell_begun = false;
            }
            _ => is_cell_begun = !DELIMITERS.contains(byte) && !BYTE_ORDER_MARK.contains(byte),
        }
    }
    None
}

/// A file of which every carriage return ends a line, with a line feed behind it or without.
struct OldLines<R> {
    reader: R,
    is_after_return: bool,
}

impl<R: Read> Read for OldLines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let length = self.reader.read(buffer)?;
            let mut kept = 0;
            for at in 0..length {
                let byte = buffer[at];
                let is_return = byte == b'\r';
                if mem::replace(&mut self.is_after_return, is_return) && byte == b'\n' {
                    continue;
                }
                buffer[kept] = if is_return { b'\n' } else { byte };
                kept += 1;
            }
            if 0 < kept || length == 0 {
                return Ok(kept);
            }
        }
    }
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

/// The delimiter of which these lines have most; of several, of which the line in their middle has.
fn delimiter<'h>(lines: impl Iterator<Item = &'h [u8]>) -> u8 {
    let counts: Vec<[usize; DELIMITERS.len()]> = lines.map(delimiters_in).collect();
    let usual = |at: usize| {
        let mut counts: Vec<usize> = counts.iter().map(|counts| counts[at]).collect();
        counts.sort_unstable();
        counts.get(counts.len() / 2).copied().unwrap_or_default()
    };
    let mut best = 0;
    for at in 1..DELIMITERS.len() {
        let is_in_all = || counts.iter().all(|counts| 0 < counts[at]);
        if usual(best) < usual(at) && (at + 1 < DELIMITERS.len() || is_in_all()) {
            best = at;
        }
    }
    DELIMITERS[best]
}

/// How often each delimiter occurs in a line outside of quotes.
fn delimiters_in(line: &[u8]) -> [usize; DELIMITERS.len()] {
    let mut counts = [0; DELIMITERS.len()];
    let mut is_quoted = false;
    for byte in line {
        is_quoted ^= *byte == b'"';
        if let Some(at) = DELIMITERS.iter().position(|delimiter| delimiter == byte)
            && !is_quoted
        {
            counts[at] += 1;
        }
    }
    counts
}

struct CsvRows<'p, R> {
    reader: csv::Reader<R>,
    progress: &'p Progress,
    row: ByteRecord,
    /// How many lines so far begin no row: they go on in a cell.
    uncounted: u64,
}

impl<R: Read> table::RowSource for CsvRows<'_, R> {
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
            is_in_sheet: false,
            is_utf8: self
                .row
                .iter()
                .all(|cell| std::str::from_utf8(cell).is_ok()),
            cells: self.row.iter().map(cell).map(Cell::Text).collect(),
        }))
    }
}

impl<R: Read> CsvRows<'_, R> {
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
