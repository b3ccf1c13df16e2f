//! Reads the rows of a sheet of a workbook: `.xlsx`, `.xlsm`, `.xls` and `.ods`.
//!
//! Values are those that the program last showed, also those of formulas. A date is written
//! `2026-10-01`, with a time `2026-10-01T12:00:00`, a time of day `12:00:00`. An error such as `#N/A`
//! stays a text, which [`error_cells`](crate::source::error_cells) tells from values. A cell that is merged over several rows has its value in each of them. Rows are counted
//! as the program shows them and take the place of lines. Hidden rows are read, and counted.
//!
//! A workbook is read from its end, so all of it is spooled first. Nothing here knows how a form
//! writes a cell.

pub(crate) mod book;
mod ods;
mod parts;
mod xls;
mod xlsx;

use std::collections::{BTreeMap, BTreeSet};
use std::mem;

use calamine::{Data, Dimensions, ExcelDateTime};

use self::book::{Book, Listed, Met, NUMBER, Next, ODS, Placed, ROWS_MAX, SHEETS_MAX, too_wide};
use self::ods::Ods;
use self::parts::{refused, too_many};
use self::xls::OldBook;
use self::xlsx::ExcelBook;
use super::disk::Disk;
use super::table::{self, Begin, COLUMNS_MAX, Cell, Row, address};
use super::{FileError, RECORD_MAX, Visit, corrupt};
use crate::finding::{Code, CountAndFirst, Nth, Start, cut};
use crate::json::first_repeated;
use crate::source::error_cells::{NOT_CALCULATED, OTHER, is_error};
use crate::source::incoming::Header;
use crate::source::plan::{Rows, SheetName, TableLayout};
use crate::source::unpacking::Unpacking;
use crate::source::unread::COMPOUND;
use crate::spool::Spool;

/// The most bytes of a text in a cell, which has at most 32,767 characters.
const CELL_MAX: usize = 4 * 32_767;

/// What is told of the cells and rows of a sheet that was read.
#[derive(Debug, Default)]
pub(crate) struct SheetNotes {
    /// Cells with errors, which are read as empty: of the first, the row, and what messages say of it,
    /// as `B17 is #N/A`.
    pub(crate) errors: CountAndFirst<(u64, String)>,
    /// Rows that are hidden, which are read: the number of the first.
    pub(crate) hidden: CountAndFirst<u64>,
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
    book: Box<dyn Book>,
    layout: &'l TableLayout,
    /// Counts what its cells have, since many may share one text.
    unpacking: Unpacking,
    /// The sheets with rows: one at most, except in a preview.
    sheets: Vec<Listed>,
}

impl<'l> Workbook<'l> {
    /// Opens a file, of which so many bytes may be unpacked, and looks for the sheet.
    pub(crate) fn open(
        file: Spool,
        layout: &'l TableLayout,
        unpacked_max: u64,
    ) -> Result<Self, FileError> {
        let disk = Disk::new(file);
        let counter = || Unpacking::of(disk.file().length(), unpacked_max);
        let (measured, unpacking) = (counter(), counter());
        let head = disk.head().map_err(|error| refused(&disk, 1, &error))?;
        let book: Box<dyn Book> = if head.starts_with(COMPOUND) {
            Box::new(OldBook::open(disk)?)
        } else if memchr::memmem::find(&head, ODS).is_some() {
            Box::new(Ods::open(disk, &measured)?)
        } else {
            Box::new(ExcelBook::open(disk, &measured)?)
        };
        let mut workbook = Self {
            book,
            layout,
            unpacking,
            sheets: Vec::new(),
        };
        workbook.sheets = workbook.filled_sheets(layout.sheet.as_ref())?;
        if let ([first, second, ..], true) =
            (workbook.sheets.as_slice(), layout.rows != Rows::Preview)
        {
            let (first, second) = (cut(&first.name), cut(&second.name));
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
        let is_preview = self.layout.rows == Rows::Preview;
        let first = self.sheets.first().filter(|_| !is_preview);
        first.map(|sheet| sheet.name.as_str())
    }

    /// Hands the header of the sheet to `begin`, and then every row below it to `visit`. A preview has
    /// the first rows of all sheets.
    pub(crate) fn read(
        mut self,
        begin: &mut Begin<'_>,
        visit: &mut Visit<'_>,
    ) -> Result<SheetNotes, FileError> {
        let mut notes = SheetNotes::default();
        for listed in mem::take(&mut self.sheets) {
            let layout = self.layout;
            let mut sheet = self.sheet(&listed.name)?;
            if layout.rows == Rows::Preview {
                table::preview(&mut sheet, Some((&listed.name, listed.is_hidden)), visit)?;
                continue;
            }
            // Only rejected rows are ever written with a delimiter.
            let header = Header {
                delimiter: b',',
                is_delimiter_named: false,
                names: Vec::new(),
            };
            table::read(&mut sheet, layout, &header, begin, visit)?;
            notes = sheet.notes;
        }
        Ok(notes)
    }

    /// The sheets with rows, or the wanted one.
    fn filled_sheets(&mut self, wanted: Option<&SheetName>) -> Result<Vec<Listed>, FileError> {
        let sheets = self.book.sheets();
        if SHEETS_MAX < sheets.len() {
            return Err(too_many("sheets", SHEETS_MAX));
        }
        if let Some(name) = first_repeated(sheets.iter().map(|sheet| sheet.name.as_str())) {
            let message = format!("two sheets are called {:?}: rename one of them", cut(name));
            return Err(corrupt(1, message));
        }
        let Some(wanted) = wanted else {
            let mut filled = Vec::new();
            for listed in sheets {
                let is_filled = match listed.is_filled {
                    Some(is_filled) => is_filled,
                    None => table::RowSource::next(&mut self.sheet(&listed.name)?)?.is_some(),
                };
                filled.extend(is_filled.then_some(listed));
            }
            return Ok(filled);
        };
        let is_wanted = |(sheet, number): &(&Listed, u64)| match wanted {
            SheetName::Name(wanted) => sheet.name == *wanted,
            SheetName::Number(wanted) => number == wanted,
        };
        if let Some((sheet, _)) = sheets.iter().zip(1..).find(is_wanted) {
            return Ok(vec![sheet.clone()]);
        }
        let wanted = match wanted {
            SheetName::Name(name) => format!("{:?}", cut(name)),
            SheetName::Number(number) => number.to_string(),
        };
        let names: Vec<String> = sheets
            .iter()
            .take(20)
            .map(|sheet| format!("{:?}", cut(&sheet.name)))
            .collect();
        let message = format!(
            "the workbook has no sheet {wanted}; its sheets are {}",
            names.join(", ")
        );
        Err(not_found(message))
    }

    /// The rows of a sheet.
    fn sheet(&mut self, name: &str) -> Result<Sheet<'_>, FileError> {
        Ok(Sheet {
            next: self.book.sheet(name)?,
            unpacking: &self.unpacking,
            ahead: None,
            deep: BTreeMap::new(),
            filling: BTreeMap::new(),
            hidden: BTreeSet::new(),
            read: 0,
            notes: SheetNotes::default(),
        })
    }
}

/// The rows of a sheet.
struct Sheet<'w> {
    next: Box<Next<'w>>,
    unpacking: &'w Unpacking,
    /// The first cell of the next row.
    ahead: Option<Placed>,
    /// Cells that are merged over several rows, by their first row.
    deep: BTreeMap<u32, Vec<Dimensions>>,
    /// Values of such cells with their last row, by column.
    filling: BTreeMap<u32, (u32, Cell<'static>)>,
    /// Hidden rows that were not read yet.
    hidden: BTreeSet<u32>,
    /// How many rows are read, including empty ones.
    read: u32,
    notes: SheetNotes,
}

impl table::RowSource for Sheet<'_> {
    fn next(&mut self) -> Result<Option<Row<'_>>, FileError> {
        while let Some(first) = self.next_cell()? {
            let row = first.0;
            let number = u64::from(row) + 1;
            if ROWS_MAX <= row {
                return Err(corrupt(
                    number,
                    format!("a sheet has at most {ROWS_MAX} rows"),
                ));
            }
            if row < self.read {
                return Err(corrupt(number, "the rows of the sheet are not in order"));
            }
            self.read = row + 1;
            let mut cells = self.cells(first)?;
            self.fill(row, &mut cells)?;
            let is_hidden = self.hidden.remove(&row);
            if cells.iter().any(Cell::is_value) {
                if is_hidden {
                    self.notes.hidden.add(|| number);
                }
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
        if let Some(ahead) = self.ahead.take() {
            return Ok(Some(ahead));
        }
        while let Some(met) = (self.next)()? {
            match met {
                Met::Cell(placed) => return Ok(Some(placed)),
                Met::Fault(row, told) => self.notes.errors.add(|| (u64::from(row) + 1, told)),
                Met::Merged(region) if region.start.0 < region.end.0 => {
                    self.deep.entry(region.start.0).or_default().push(region);
                }
                Met::Merged(_) => {}
                Met::Hidden(row) => _ = self.hidden.insert(row),
            }
        }
        Ok(None)
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
                return Err(too_wide(number));
            }
            let cell = self.cell(column, number, placed.2);
            bytes += cell.length();
            self.place(&mut cells, column, cell, bytes, number)?;
            next = self.next_cell()?;
        }
        Ok(cells)
    }

    /// Places a value in a row, unless one is there, whose texts have so many bytes with it.
    fn place(
        &self,
        cells: &mut Vec<Cell<'static>>,
        column: usize,
        cell: Cell<'static>,
        bytes: usize,
        row: u64,
    ) -> Result<(), FileError> {
        let counted = self.unpacking.add_unpacked(cell.length().max(NUMBER));
        counted.map_err(|refused| {
            corrupt(row, format!("of the workbook no more is read: {refused}"))
        })?;
        if RECORD_MAX < bytes {
            return Err(corrupt(row, super::bounded::too_long()));
        }
        if cells.len() <= column {
            cells.resize(column + 1, Cell::EMPTY);
        }
        if cells[column].is_empty() {
            cells[column] = cell;
        }
        Ok(())
    }

    fn cell(&mut self, column: usize, row: u64, value: Data) -> Cell<'static> {
        match value {
            Data::Empty => Cell::EMPTY,
            // Many cells may share one text, so its bytes count for each of them.
            Data::String(text) if CELL_MAX < text.len() => {
                let cell = address(column, row);
                let told = format!("{cell} is longer than the 32,767 characters of a cell");
                self.notes.errors.add(|| (row, told));
                Cell::EMPTY
            }
            Data::String(text) if is_error(&text) => self.error(column, row, &text),
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
            Data::Error(error) => self.error(column, row, &error.to_string()),
        }
    }

    /// A cell that is an error, which is told.
    fn error(&mut self, column: usize, row: u64, error: &str) -> Cell<'static> {
        let known = if is_error(error) { error } else { OTHER };
        let told = match known {
            NOT_CALCULATED => "a formula without a value",
            error => error,
        };
        let told = format!("{} is {told}", address(column, row));
        self.notes.errors.add(|| (row, told));
        Cell::Text(known.to_owned().into())
    }

    /// Fills in the values of cells that are merged with those of rows above.
    fn fill(&mut self, row: u32, cells: &mut Vec<Cell<'static>>) -> Result<(), FileError> {
        self.filling.retain(|_, (last, _)| row <= *last);
        let mut bytes = 0;
        for (column, (_, value)) in &self.filling {
            bytes += value.length();
            let (column, number) = (*column as usize, u64::from(row) + 1);
            self.place(cells, column, value.clone(), bytes, number)?;
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
