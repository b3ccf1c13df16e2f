//! Reads the rows of a sheet of a workbook: `.xlsx` and `.xlsm`.
//!
//! Values are those that the program last showed, also those of formulas. A date is written
//! `2026-10-01`, with a time `2026-10-01T12:00:00`, a time of day `12:00:00`. An error such as `#N/A` is
//! no value. A cell that is merged over several rows has its value in each of them. Rows are counted
//! as the program shows them and take the place of lines.
//!
//! A workbook is read from its end, so all of it is spooled first. What it unpacks to is measured
//! before the library reads it, because the library holds all but the rows of the sheet in memory, and
//! panics on contradictions.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::sync::Arc;
use std::{io, mem};

use calamine::{Data, Dimensions, ExcelDateTime, Reader, SheetType, Xlsx, XlsxError};
use zip::ZipArchive;

use super::disk::{Chunk, Disk};
use super::table::{self, Begin, COLUMNS_MAX, Cell, Row, address};
use super::{FileError, RECORD_MAX, Visit, corrupt};
use crate::finding::{Code, CountAndFirst, Nth, Start, cut};
use crate::source::incoming::Header;
use crate::source::plan::{Rows as Wanted, SheetName, TableLayout};
use crate::source::unpacking::{Limited, UNPACKED_MAX, Unpacking};
use crate::spool::Spool;

/// The most bytes of a workbook as it is.
const PACKED_MAX: u64 = 128 << 20;
/// The most bytes of a part that is held in memory, such as the texts of all sheets.
const PART_MAX: u64 = 64 << 20;
/// The most bytes of the styles: of each, the library holds much more than its few bytes.
const STYLES_MAX: u64 = 4 << 20;
/// The most bytes of a text in a cell, which has at most 32,767 characters.
const CELL_MAX: usize = 4 * 32_767;
/// The form, in messages.
const FORM: &str = "a workbook";

/// Cells with errors, which are read as empty: of the first, the row, and what messages say of it,
/// as `B17 is #N/A`.
pub(crate) type ErrorCells = CountAndFirst<(u64, String)>;

/// Whether a file that begins with `head` is a workbook.
pub(crate) fn is_one(head: &[u8]) -> bool {
    let has = |name: &[u8]| memchr::memmem::find(head, name).is_some();
    let is_office = has(b"[Content_Types].xml") && !has(b"word/") && !has(b"ppt/");
    let is_book = has(b"xl/workbook.xml") || has(b"xl/_rels/") || has(b"xl/worksheets/");
    head.starts_with(b"PK\x03\x04") && (is_book || is_office)
}

/// The error for a sheet that is not there, or not known.
fn not_found(message: String) -> FileError {
    FileError::Damaged {
        code: Code::RecordsNotFound,
        line: 1,
        message,
    }
}

/// A workbook, and which of its sheets are read.
pub(crate) struct Workbook<'l> {
    opened: Xlsx<Chunk>,
    disk: Disk,
    layout: &'l TableLayout,
    /// The names of the sheets: one at most, except in a preview.
    sheets: Vec<String>,
}

impl<'l> Workbook<'l> {
    /// Measures a file, opens it, and looks for the sheet.
    pub(crate) fn open(file: Spool, layout: &'l TableLayout) -> Result<Self, FileError> {
        let disk = Disk::new(Arc::new(file));
        let opened = caught(1, || {
            check(&disk)?;
            Xlsx::new(disk.chunk(0)).map_err(|error| refused(&disk, 1, &error))
        })?;
        let mut workbook = Self {
            opened,
            disk,
            layout,
            sheets: Vec::new(),
        };
        workbook.sheets = workbook.filled_sheets(layout.sheet.as_ref())?;
        if let ([first, second, ..], true) =
            (workbook.sheets.as_slice(), layout.rows != Wanted::Preview)
        {
            let (first, second) = (cut(first), cut(second));
            let message = format!(
                "{} of its sheets have rows, such as {first:?} and {second:?}: name the one with the records in the source in the mapping, as in `sheet = {first:?}`",
                workbook.sheets.len()
            );
            return Err(not_found(message));
        }
        Ok(workbook)
    }

    /// The name of the sheet that is read, unless this is a preview.
    pub(crate) fn sheet_name(&self) -> Option<&str> {
        let is_preview = self.layout.rows == Wanted::Preview;
        let first = self.sheets.first().filter(|_| !is_preview);
        first.map(String::as_str)
    }

    /// Hands the header of the sheet to `begin`, and then every row below it to `visit`. A preview has
    /// the first rows of all sheets.
    pub(crate) fn read(
        mut self,
        begin: &mut Begin<'_>,
        visit: &mut Visit<'_>,
    ) -> Result<ErrorCells, FileError> {
        let mut errors = ErrorCells::default();
        for name in mem::take(&mut self.sheets) {
            let layout = self.layout;
            let mut sheet = self.sheet(&name)?;
            if layout.rows == Wanted::Preview {
                table::preview(&mut sheet, Some(&name), visit)?;
                continue;
            }
            // Only rejected rows are ever written with a delimiter.
            let header = Header {
                delimiter: b',',
                is_delimiter_named: false,
                names: Vec::new(),
            };
            table::read(&mut sheet, layout, &header, begin, visit)?;
            errors = sheet.errors;
        }
        Ok(errors)
    }

    /// The names of the sheets with rows, or of the wanted one.
    fn filled_sheets(&mut self, wanted: Option<&SheetName>) -> Result<Vec<String>, FileError> {
        let sheets = self.opened.sheets_metadata().iter();
        let sheets = sheets.filter(|sheet| sheet.typ == SheetType::WorkSheet);
        let names: Vec<String> = sheets.map(|sheet| sheet.name.clone()).collect();
        let Some(wanted) = wanted else {
            let mut filled = Vec::new();
            for name in names {
                if table::Rows::next(&mut self.sheet(&name)?)?.is_some() {
                    filled.push(name);
                }
            }
            return Ok(filled);
        };
        let is_wanted = |(name, number): &(&String, u64)| match wanted {
            SheetName::Name(wanted) => *name == wanted,
            SheetName::Number(wanted) => number == wanted,
        };
        if let Some((name, _)) = names.iter().zip(1..).find(is_wanted) {
            return Ok(vec![name.clone()]);
        }
        let wanted = match wanted {
            SheetName::Name(name) => format!("{:?}", cut(name)),
            SheetName::Number(number) => number.to_string(),
        };
        let names: Vec<String> = names
            .iter()
            .take(20)
            .map(|name| format!("{:?}", cut(name)))
            .collect();
        let message = format!(
            "the workbook has no sheet {wanted}; its sheets are {}",
            names.join(", ")
        );
        Err(not_found(message))
    }

    /// The rows of a sheet.
    fn sheet(&mut self, name: &str) -> Result<Sheet<'_>, FileError> {
        let disk = self.disk.clone();
        let merged = caught(1, || {
            let merged = self.opened.merge_cells_by_sheet_name(name);
            merged.map_err(|error| refused(&disk, 1, &error))
        })?;
        let mut deep: BTreeMap<u32, Vec<Dimensions>> = BTreeMap::new();
        for region in merged
            .into_iter()
            .filter(|region| region.start.0 < region.end.0)
        {
            deep.entry(region.start.0).or_default().push(region);
        }
        let opened = &mut self.opened;
        let mut cells = caught(1, || {
            let cells = opened.worksheet_cells_reader(name);
            cells.map_err(|error| refused(&disk, 1, &error))
        })?;
        let mut is_over = false;
        let next = move |errors: &mut ErrorCells, row: u64| loop {
            if is_over {
                return Ok(None);
            }
            match caught(row, || Ok(cells.next_cell()))? {
                // The cell itself was read.
                Err(XlsxError::CellError(error)) => {
                    errors.add(|| (row, format!("a cell is {}", cut(&error))));
                }
                Err(error) => return Err(refused(&disk, row, &error)),
                Ok(None) => is_over = true,
                Ok(Some(cell)) => {
                    let (row, column) = cell.get_position();
                    let value = Data::from(cell.get_value().clone());
                    return Ok(Some((row, column, value)));
                }
            }
        };
        Ok(Sheet {
            next: Box::new(next),
            ahead: None,
            deep,
            filling: BTreeMap::new(),
            read: 0,
            errors: ErrorCells::default(),
        })
    }
}

/// Measures what a workbook unpacks to.
fn check(disk: &Disk) -> Result<(), FileError> {
    let length = disk.file().length();
    if PACKED_MAX < length {
        let message = format!("a workbook has at most {PACKED_MAX} bytes, this one {length}");
        return Err(corrupt(1, message));
    }
    let unpacking = Unpacking::at_most(UNPACKED_MAX);
    unpacking.add_packed(usize::try_from(length).unwrap_or(usize::MAX));
    let mut archive = ZipArchive::new(disk.chunk(0)).map_err(|error| refused(disk, 1, &error))?;
    for index in 0..archive.len() {
        let part = archive
            .by_index(index)
            .map_err(|error| refused(disk, 1, &error))?;
        let name = String::from_utf8_lossy(part.name_raw()).to_ascii_lowercase();
        let most = match name.as_str() {
            name if name.ends_with("styles.xml") => STYLES_MAX,
            name if name.contains("worksheets/") => u64::MAX,
            _ => PART_MAX,
        };
        let reader = part;
        let mut part = Limited {
            reader,
            unpacking: &unpacking,
        };
        let size =
            io::copy(&mut part, &mut io::sink()).map_err(|error| refused(disk, 1, &error))?;
        if most < size {
            let message = format!(
                "its part {:?} unpacks to {size} bytes, and at most {most} are read",
                cut(&name)
            );
            return Err(refused(disk, 1, &message));
        }
    }
    Ok(())
}

fn caught<T>(row: u64, act: impl FnOnce() -> Result<T, FileError>) -> Result<T, FileError> {
    super::caught(FORM, row, act)
}

/// An error of the library, or of the disk behind it.
fn refused(disk: &Disk, row: u64, error: &impl Display) -> FileError {
    match disk.failure() {
        Some(source) => FileError::Unread { line: row, source },
        None => corrupt(row, format!("the file cannot be read as {FORM}: {error}")),
    }
}

/// A cell with its row and column, from 0.
type Placed = (u32, u32, Data);
/// Gives the next cell; the number is that of the row before it.
type NextCell<'w> = dyn FnMut(&mut ErrorCells, u64) -> Result<Option<Placed>, FileError> + 'w;

/// The rows of a sheet.
struct Sheet<'w> {
    next: Box<NextCell<'w>>,
    /// The first cell of the next row.
    ahead: Option<Placed>,
    /// Cells that are merged over several rows, by their first row.
    deep: BTreeMap<u32, Vec<Dimensions>>,
    /// Values of such cells with their last row, by column.
    filling: BTreeMap<u32, (u32, Cell<'static>)>,
    /// How many rows are read, including empty ones.
    read: u32,
    errors: ErrorCells,
}

impl table::Rows for Sheet<'_> {
    fn next(&mut self) -> Result<Option<Row<'_>>, FileError> {
        while let Some(first) = self.next_cell()? {
            let row = first.0;
            let number = u64::from(row) + 1;
            if row < self.read {
                return Err(corrupt(number, "the rows of the sheet are not in order"));
            }
            self.read = row + 1;
            let mut cells = self.cells(first)?;
            self.fill(row, &mut cells)?;
            if cells.iter().any(|cell| !cell.is_empty()) {
                let nth = Some(Nth::Row(number));
                return Ok(Some(Row {
                    start: Start { line: number, nth },
                    is_of_several_lines: false,
                    is_utf8: true,
                    is_in_sheet: true,
                    cells,
                }));
            }
        }
        Ok(None)
    }
}

impl Sheet<'_> {
    fn next_cell(&mut self) -> Result<Option<Placed>, FileError> {
        match self.ahead.take() {
            Some(ahead) => Ok(Some(ahead)),
            None => (self.next)(&mut self.errors, u64::from(self.read.max(1))),
        }
    }

    /// The cells of the row that begins with this one.
    fn cells(&mut self, first: Placed) -> Result<Vec<Cell<'static>>, FileError> {
        let (row, number) = (first.0, u64::from(first.0) + 1);
        let (mut cells, mut bytes) = (Vec::new(), 0);
        let mut next = Some(first);
        while let Some(placed) = next {
            if placed.0 != row {
                self.ahead = Some(placed);
                break;
            }
            let column = placed.1 as usize;
            if COLUMNS_MAX <= column {
                let message = format!("a sheet has at most {COLUMNS_MAX} columns");
                return Err(corrupt(number, message));
            }
            let cell = self.cell(column, number, placed.2);
            if let Cell::Text(text) = &cell {
                bytes += text.len();
            }
            if RECORD_MAX < bytes {
                return Err(corrupt(number, super::bounded::too_long()));
            }
            if cells.len() <= column {
                cells.resize(column + 1, Cell::EMPTY);
            }
            cells[column] = cell;
            next = self.next_cell()?;
        }
        Ok(cells)
    }

    fn cell(&mut self, column: usize, row: u64, value: Data) -> Cell<'static> {
        match value {
            Data::Empty => Cell::EMPTY,
            // Many cells may share one text, so its bytes count for each of them.
            Data::String(text) if CELL_MAX < text.len() => {
                let cell = address(column, row);
                let told = format!("{cell} is longer than the 32,767 characters of a cell");
                self.errors.add(|| (row, told));
                Cell::EMPTY
            }
            Data::String(text) | Data::DateTimeIso(text) | Data::DurationIso(text) => {
                Cell::Text(text.into())
            }
            Data::Int(number) => match i32::try_from(number) {
                Ok(number) => Cell::Number(number.into()),
                Err(_) => Cell::Text(number.to_string().into()),
            },
            Data::Float(number) if number.is_finite() => Cell::Number(number),
            Data::Float(number) => Cell::Text(number.to_string().into()),
            Data::Bool(flag) => Cell::Flag(flag),
            Data::DateTime(time) => Cell::Text(time_text(&time).into()),
            Data::Error(error) => {
                let told = format!("{} is {error}", address(column, row));
                self.errors.add(|| (row, told));
                Cell::EMPTY
            }
        }
    }

    /// Fills in the values of cells that are merged with those of rows above.
    fn fill(&mut self, row: u32, cells: &mut Vec<Cell<'static>>) -> Result<(), FileError> {
        self.filling.retain(|_, (last, _)| row <= *last);
        let mut bytes = 0;
        for (column, (_, value)) in &self.filling {
            let column = *column as usize;
            if let Cell::Text(text) = value {
                bytes += text.len();
            }
            if RECORD_MAX < bytes {
                return Err(corrupt(u64::from(row) + 1, super::bounded::too_long()));
            }
            if cells.len() <= column {
                cells.resize(column + 1, Cell::EMPTY);
            }
            if cells[column].is_empty() {
                cells[column] = value.clone();
            }
        }
        while let Some((first, regions)) = self.deep.pop_first() {
            if row < first {
                self.deep.insert(first, regions);
                break;
            }
            for region in regions.iter().filter(|region| region.start.0 == row) {
                let value = cells.get(region.start.1 as usize);
                if let Some(value) = value.filter(|value| !value.is_empty()) {
                    let value = (region.end.0, value.clone());
                    self.filling.insert(region.start.1, value);
                }
            }
        }
        Ok(())
    }
}

/// A date, a time of day, or both.
fn time_text(time: &ExcelDateTime) -> String {
    let (year, month, day, hour, minute, second, _) = time.to_ymd_hms_milli();
    let date = format!("{year:04}-{month:02}-{day:02}");
    let clock = format!("{hour:02}:{minute:02}:{second:02}");
    let value = time.as_f64();
    if time.is_duration() {
        // Whole seconds of any plausible duration are exact.
        let seconds = (value * 86_400.0).round();
        return format!(
            "{}:{:02}:{:02}",
            (seconds / 3600.0).trunc(),
            (seconds / 60.0).trunc() % 60.0,
            seconds % 60.0
        );
    }
    if (0.0..1.0).contains(&value) {
        return clock;
    }
    if clock == "00:00:00" {
        return date;
    }
    format!("{date}T{clock}")
}
