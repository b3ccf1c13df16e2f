//! Workbooks of the open document format: `.ods`.
//!
//! All sheets are in one part, which streams. Cells and rows that repeat are given one by one, but
//! not where they are empty: a program writes one row for the million below the last.

use std::collections::{HashSet, VecDeque};
use std::io::BufRead;
use std::mem;

use calamine::{Data, Dimensions};
use quick_xml::Reader;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesRef, BytesStart, Event};
use zip::ZipArchive;

use super::super::bounded::{Progress, too_long};
use super::super::disk::{Chunk, Disk};
use super::super::table::COLUMNS_MAX;
use super::super::{FileError, RECORD_MAX, corrupt, truncated};
use super::book::{Book, CELLS_MAX, Listed, MERGED_MAX, Met, NUMBER, Next, SHEETS_MAX, too_wide};
use super::parts::{attribute, events, measure, next, refused, too_many};
use crate::source::error_cells::{NOT_CALCULATED, OTHER, is_error};
use crate::source::unpacking::Unpacking;

/// The part with the sheets.
const CONTENT: &str = "content.xml";
/// How many elements a sheet is in.
const SHEET_DEPTH: usize = 3;

/// The attributes that may have the value of a cell.
const VALUES: [&str; 5] = [
    "office:value",
    "office:date-value",
    "office:time-value",
    "office:boolean-value",
    "office:string-value",
];

/// A workbook in the form `.ods`.
pub(super) struct Ods {
    archive: ZipArchive<Chunk>,
    disk: Disk,
    progress: Progress,
    sheets: Vec<Listed>,
}

impl Ods {
    pub(super) fn open(disk: Disk, unpacking: &Unpacking) -> Result<Self, FileError> {
        let (mut sheets, mut merged) = (Vec::<Listed>::new(), 0);
        // The styles of sheets come before these.
        let (mut style, mut hidden) = (None, HashSet::new());
        measure(&disk, unpacking, is_content, &mut |_, depth, element| {
            let of = |name| attribute(element, name);
            match element.name().as_ref() {
                // One more shows that there are too many.
                "style:style" => style = of("style:name"),
                "style:table-properties" if of("table:display").as_deref() == Some("false") => {
                    hidden.extend(style.take());
                }
                "table:table" if depth == SHEET_DEPTH && sheets.len() <= SHEETS_MAX => {
                    sheets.push(Listed {
                        name: of("table:name").unwrap_or_default(),
                        is_filled: Some(false),
                        is_hidden: of("table:style-name").is_some_and(|of| hidden.contains(&of)),
                    });
                }
                "table:table-cell" => {
                    let rows = of("table:number-rows-spanned");
                    merged += usize::from(rows.is_some_and(|rows| rows != "1"));
                }
                "text:p" => {
                    // Every value has a text for people.
                    if let Some(sheet) = sheets.last_mut() {
                        sheet.is_filled = Some(true);
                    }
                }
                _ => {}
            }
        })?;
        if MERGED_MAX < merged {
            return Err(too_many("merged regions", MERGED_MAX));
        }
        let archive = ZipArchive::new(disk.chunk(0)).map_err(|error| refused(&disk, 1, &error))?;
        Ok(Self {
            archive,
            disk,
            progress: Progress::new(),
            sheets,
        })
    }
}

fn is_content(part: &str) -> bool {
    part == CONTENT
}

impl Book for Ods {
    fn sheets(&self) -> Vec<Listed> {
        self.sheets.clone()
    }

    fn sheet<'b>(&'b mut self, name: &str) -> Result<Box<Next<'b>>, FileError> {
        let mut sheets = self.sheets.iter();
        let place = sheets.position(|sheet| sheet.name == name && sheet.is_filled == Some(true));
        let Some(before) = place else {
            return Ok(Box::new(|| Ok(None)));
        };
        let disk = &self.disk;
        let content = self.archive.by_name(CONTENT);
        let content = content.map_err(|error| refused(disk, 1, &error))?;
        let mut cells = Cells {
            disk,
            reader: events(disk, content, &self.progress)?,
            progress: &self.progress,
            buffer: Vec::new(),
            before,
            depth: 0,
            skipped: None,
            is_over: false,
            row: OdsRow::default(),
            cell: None,
            ready: VecDeque::new(),
        };
        Ok(Box::new(move || cells.next()))
    }
}

/// The cells of a sheet.
struct Cells<'b, R> {
    disk: &'b Disk,
    reader: Reader<R>,
    progress: &'b Progress,
    buffer: Vec<u8>,
    /// How many sheets come before it.
    before: usize,
    /// How many elements are open.
    depth: usize,
    /// How many of them an element is in that is not read, such as a comment.
    skipped: Option<usize>,
    is_over: bool,
    row: OdsRow,
    cell: Option<OdsCell>,
    /// What comes next.
    ready: VecDeque<Met>,
}

/// A row, or several that are the same.
#[derive(Default)]
struct OdsRow {
    number: u32,
    /// How many elements it is in, while it is open.
    depth: Option<usize>,
    repeated: u32,
    /// How often it is still to be given, once it was read.
    left: u32,
    is_hidden: bool,
    /// The column of the next cell.
    column: u32,
    cells: Vec<(u32, Data)>,
    /// How many of them are written in the file.
    written: usize,
    bytes: usize,
    /// How many cells of the sheet repeat others so far.
    copies: usize,
}

/// A cell, or several that are the same.
struct OdsCell {
    depth: usize,
    kind: String,
    /// The value, if it is not the text.
    value: Option<String>,
    is_formula: bool,
    is_covered: bool,
    repeated: u32,
    rows: u32,
    text: String,
    /// How many elements its open paragraph is in, and whether it has one.
    paragraph: Option<usize>,
    has_paragraph: bool,
}

impl<R: BufRead> Cells<'_, R> {
    fn next(&mut self) -> Result<Option<Met>, FileError> {
        loop {
            if let Some(met) = self.ready.pop_front() {
                return Ok(Some(met));
            }
            if 0 < self.row.left {
                self.row.give(&mut self.ready);
            } else if self.is_over {
                return Ok(None);
            } else {
                let mut buffer = mem::take(&mut self.buffer);
                self.event(&mut buffer)?;
                self.buffer = buffer;
            }
        }
    }

    fn event(&mut self, buffer: &mut Vec<u8>) -> Result<(), FileError> {
        let number = u64::from(self.row.number) + 1;
        let event = next(self.disk, &mut self.reader, self.progress, buffer);
        match event.map_err(|error| error.unwrap_or_else(|| damaged(number)))? {
            Event::Start(element) => {
                self.start(&element);
                self.depth += 1;
            }
            Event::Empty(element) => {
                self.start(&element);
                self.end()?;
            }
            Event::End(_) => {
                self.depth = self.depth.saturating_sub(1);
                self.end()?;
            }
            Event::Text(text) => self.text(&text.xml10_content()),
            Event::CData(text) => self.text(&text.xml10_content()),
            Event::GeneralRef(reference) => self.reference(&reference),
            Event::Eof => return Err(truncated(number, "the workbook ends before its sheet does")),
            Event::Comment(_) | Event::Decl(_) | Event::DocType(_) | Event::PI(_) => {}
        }
        Ok(())
    }

    fn start(&mut self, element: &BytesStart<'_>) {
        if self.skipped.is_some() || self.depth < SHEET_DEPTH {
            return;
        }
        let name = element.name();
        let name: &str = name.as_ref();
        let is_read = match (&mut self.cell, name) {
            (Some(cell), _) => cell.start(name, element, self.depth),
            (None, "table:table") if self.depth == SHEET_DEPTH && self.before == 0 => true,
            (None, "table:table") if self.depth == SHEET_DEPTH => {
                self.before -= 1;
                false
            }
            (None, "table:table-row") => {
                self.row.begin(element, self.depth);
                true
            }
            (None, "table:table-cell" | "table:covered-table-cell") => {
                self.cell = Some(OdsCell::new(element, self.depth));
                true
            }
            // Rows lie in groups, and among the rows of a header.
            (None, other) => other.starts_with("table:table-") && SHEET_DEPTH < self.depth,
        };
        if !is_read {
            self.skipped = Some(self.depth);
        }
    }

    /// Ends the element that is in so many elements as are open.
    fn end(&mut self) -> Result<(), FileError> {
        if self.skipped.is_some() {
            self.skipped = self.skipped.filter(|depth| *depth != self.depth);
            return Ok(());
        }
        if let Some(cell) = self.cell.as_mut().filter(|cell| cell.depth < self.depth) {
            cell.paragraph = cell.paragraph.filter(|depth| *depth != self.depth);
        } else if let Some(cell) = self.cell.take() {
            self.row.add(&cell, &mut self.ready)?;
        } else if self.row.depth == Some(self.depth) {
            self.row.end()?;
        } else if self.depth == SHEET_DEPTH {
            self.is_over = true;
        }
        Ok(())
    }

    fn text(&mut self, text: &str) {
        let cell = self.cell.as_mut().filter(|_| self.skipped.is_none());
        if let Some(cell) =
            cell.filter(|cell| cell.paragraph.is_some() && cell.text.len() <= RECORD_MAX)
        {
            cell.text.push_str(text);
        }
    }

    fn reference(&mut self, reference: &BytesRef<'_>) {
        let character = reference.resolve_char_ref().ok().flatten();
        let character = character.map(String::from);
        let name: &str = reference;
        let text = character.or_else(|| resolve_predefined_entity(name).map(str::to_owned));
        self.text(&text.unwrap_or_default());
    }
}

fn damaged(row: u64) -> FileError {
    corrupt(
        row,
        "the file cannot be read as a workbook: its XML is damaged",
    )
}

impl OdsRow {
    fn begin(&mut self, element: &BytesStart<'_>, depth: usize) {
        let visibility = attribute(element, "table:visibility").unwrap_or_default();
        self.depth = Some(depth);
        self.repeated = number_of(element, "table:number-rows-repeated");
        self.is_hidden = matches!(visibility.as_str(), "collapse" | "filter");
        self.column = 0;
        (self.written, self.bytes) = (0, 0);
        self.cells.clear();
    }

    /// Adds a cell as often as it repeats.
    fn add(&mut self, cell: &OdsCell, ready: &mut VecDeque<Met>) -> Result<(), FileError> {
        let (row, column) = (self.number, self.column);
        self.column = column.saturating_add(cell.repeated);
        if 1 < cell.rows {
            let end = (row.saturating_add(cell.rows - 1), column);
            let start = (row, column);
            ready.push_back(Met::Merged(Dimensions { start, end }));
        }
        let Some(value) = cell.value() else {
            return Ok(());
        };
        let number = u64::from(row) + 1;
        if COLUMNS_MAX < self.column as usize {
            return Err(too_wide(number));
        }
        let text = cell.value.as_deref().unwrap_or(&cell.text);
        self.bytes += text.len().max(NUMBER) * cell.repeated as usize;
        if RECORD_MAX < self.bytes {
            return Err(corrupt(number, too_long()));
        }
        self.written += 1;
        let columns = column..self.column;
        self.cells
            .extend(columns.map(|column| (column, value.clone())));
        Ok(())
    }

    fn end(&mut self) -> Result<(), FileError> {
        self.depth = None;
        let given = self.cells.len() * self.repeated as usize;
        self.copies += given.saturating_sub(self.written);
        if CELLS_MAX < self.copies {
            return Err(too_many("cells that repeat others", CELLS_MAX));
        }
        if self.cells.is_empty() {
            self.number = self.number.saturating_add(self.repeated);
        } else {
            self.left = self.repeated;
        }
        Ok(())
    }

    /// Gives the cells once more, for the next row.
    fn give(&mut self, ready: &mut VecDeque<Met>) {
        let row = self.number;
        ready.extend(self.is_hidden.then_some(Met::Hidden(row)));
        let cells = self.cells.iter();
        ready.extend(cells.map(|(column, value)| Met::Cell((row, *column, value.clone()))));
        self.number = row.saturating_add(1);
        self.left -= 1;
    }
}

impl OdsCell {
    fn new(element: &BytesStart<'_>, depth: usize) -> Self {
        let of = |name| attribute(element, name);
        let is_error = of("calcext:value-type").is_some_and(|kind| kind == "error");
        let kind = if is_error {
            Some("error".to_owned())
        } else {
            of("office:value-type")
        };
        let value = VALUES.iter().find_map(|name| attribute(element, name));
        Self {
            depth,
            kind: kind.unwrap_or_default(),
            value,
            is_formula: of("table:formula").is_some(),
            // What a program keeps below a merged cell is not shown.
            is_covered: element.name().as_ref() == "table:covered-table-cell",
            repeated: number_of(element, "table:number-columns-repeated"),
            rows: number_of(element, "table:number-rows-spanned"),
            text: String::new(),
            paragraph: None,
            has_paragraph: false,
        }
    }

    /// Begins an element within the cell; returns whether its text is of the cell.
    fn start(&mut self, name: &str, element: &BytesStart<'_>, depth: usize) -> bool {
        match name {
            _ if self.paragraph.is_none() => {
                if name != "text:p" {
                    return false;
                }
                if self.has_paragraph {
                    self.text.push('\n');
                }
                (self.paragraph, self.has_paragraph) = (Some(depth), true);
            }
            "text:s" => {
                let blanks = number_of(element, "text:c").min(1_000);
                self.text.extend((0..blanks).map(|_| ' '));
            }
            "text:tab" => self.text.push('\t'),
            "text:line-break" => self.text.push('\n'),
            _ => return name.starts_with("text:"),
        }
        true
    }

    fn value(&self) -> Option<Data> {
        let text = self.value.as_deref().unwrap_or(&self.text);
        let number = || text.parse().ok().map(Data::Float);
        let typed = match self.kind.as_str() {
            _ if self.is_covered => return None,
            // Some programs write a number beside it.
            _ if is_error(&self.text) => Some(Data::String(self.text.clone())),
            "error" => Some(Data::String(OTHER.to_owned())),
            "" if self.is_formula && text.is_empty() => {
                Some(Data::String(NOT_CALCULATED.to_owned()))
            }
            "float" | "percentage" | "currency" => number(),
            "boolean" => Some(Data::Bool(text == "true")),
            // Fractions of seconds are errors of binary fractions.
            "date" => text
                .split('.')
                .next()
                .map(|text| Data::DateTimeIso(text.to_owned())),
            "time" => clock(text).map(Data::DurationIso),
            _ => None,
        };
        let is_any = !text.is_empty();
        typed.or_else(|| is_any.then(|| Data::String(text.to_owned())))
    }
}

/// A duration such as `PT12H30M00S`, as `12:30:00`.
fn clock(duration: &str) -> Option<String> {
    let mut rest = duration.strip_prefix("PT")?;
    let mut parts = [0.0_f64; 3];
    for (part, mark) in parts.iter_mut().zip(['H', 'M', 'S']) {
        if let Some((number, after)) = rest.split_once(mark) {
            (*part, rest) = (number.parse().ok()?, after);
        }
    }
    let [hours, minutes, seconds] = parts.map(f64::trunc);
    Some(format!("{hours:02}:{minutes:02}:{seconds:02}"))
}

/// The number in an attribute, or 1.
fn number_of(element: &BytesStart<'_>, name: &str) -> u32 {
    let number = attribute(element, name).and_then(|number| number.parse().ok());
    number.unwrap_or(1)
}
