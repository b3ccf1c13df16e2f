//! Reads the rows of a table, whatever it is written in: each row below the header is a record, an
//! object of its cells.
//!
//! An empty cell is null, and an empty row is skipped. A mapping may name the row of the header, or
//! the columns of a table without one. Columns that are called alike are told apart by their places,
//! as `Price (column 7)`, and one without a name among others is `column 1`. A column without a name
//! after all others must be empty or missing, because spreadsheets add such columns. An apostrophe before a
//! formula is not part of the text.
//!
//! If a row does not have as many cells as the header, only that row is bad. Where the first row goes
//! on with empty cells, all others must have as many. A row of several lines has swallowed others
//! because of misplaced quotes, so nothing after it can be trusted.

use std::borrow::Cow;
use std::collections::HashMap;
use std::mem;

use serde::{Serialize, Serializer};

use super::{BadRecord, FileError, RecordText, Visit, corrupt};
use crate::finding::{Code, Nth, Start, cut};
use crate::json::first_repeated;
use crate::source::error_cells::is_error;
use crate::source::formula::unescaped;
use crate::source::incoming::Header;
use crate::source::plan::{PREVIEW_ROWS, Rows, TableLayout};

/// The most columns of a header: as many as a spreadsheet allows.
pub(crate) const COLUMNS_MAX: usize = 16_384;
/// The most digits that a spreadsheet keeps of a number, before the last of them.
const DIGITS: usize = 14;
/// What columns are called in a sheet.
const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ";
/// The first whole number that is not exact.
const WHOLE_MAX: f64 = 9_007_199_254_740_992.0;
/// The message for a row that is not UTF-8.
const NOT_UTF8: &str = "the row is not UTF-8; save the file as UTF-8, or add its encoding to the source in the mapping, as in `encoding = \"windows-1252\"`";

/// Takes the header.
pub(crate) type Begin<'a> = dyn FnMut(Header) -> anyhow::Result<()> + 'a;

/// The rows of a table from its first.
pub(super) trait RowSource {
    /// The next row that is not empty, with its place.
    fn next(&mut self) -> Result<Option<Row<'_>>, FileError>;
}

/// A row that is not empty.
pub(super) struct Row<'r> {
    pub(super) start: Start,
    /// Whether any cell of CSV has line breaks.
    pub(super) is_of_several_lines: bool,
    pub(super) is_utf8: bool,
    /// Whether it lies in a sheet, whose cells have addresses and whose rows end where they like.
    pub(super) is_in_sheet: bool,
    pub(super) cells: Vec<Cell<'r>>,
}

/// The value of a cell.
#[derive(Clone, Debug)]
pub(super) enum Cell<'r> {
    /// A text, with invalid UTF-8 replaced. The empty text is no value.
    Text(Cow<'r, str>),
    Number(f64),
    Flag(bool),
}

/// What a preview tells of a row: the name of its sheet and whether that is hidden, and its cells.
pub(crate) type Previewed = (Option<(String, bool)>, Vec<serde_json::Value>);

/// Hands the header to `begin`, and then every row below it to `visit`.
pub(super) fn read(
    rows: &mut impl RowSource,
    layout: &TableLayout,
    header: &Header,
    begin: &mut Begin<'_>,
    visit: &mut Visit<'_>,
) -> Result<(), FileError> {
    let Some(names) = names(rows, layout)? else {
        return Ok(());
    };
    begin(Header {
        names: names.clone(),
        ..header.clone()
    })?;
    let mut columns = Columns::of(names);
    let mut is_first = true;
    while let Some(row) = rows.next()? {
        let start = row.start;
        if mem::take(&mut is_first) {
            columns.widen(&row);
        }
        let visited = match columns.object(row)? {
            Ok(text) => visit(Ok(RecordText::of_row(start, &text))),
            Err(bad) => visit(Err(bad)),
        };
        visited.map_err(FileError::Failed)?;
    }
    Ok(())
}

/// Hands the first rows to `visit` as they are, each a [`Previewed`].
pub(super) fn preview(
    rows: &mut impl RowSource,
    sheet: Option<(&str, bool)>,
    visit: &mut Visit<'_>,
) -> Result<(), FileError> {
    for _ in 0..PREVIEW_ROWS {
        let Some(row) = rows.next()? else {
            break;
        };
        let text = json(&(sheet, &row.cells))?;
        visit(Ok(RecordText::of_row(row.start, &text))).map_err(FileError::Failed)?;
    }
    Ok(())
}

/// The names of the columns; `None` if the table is empty.
fn names(
    rows: &mut impl RowSource,
    layout: &TableLayout,
) -> Result<Option<Vec<String>>, FileError> {
    let header = match &layout.rows {
        Rows::Without(columns) => return Ok(Some(columns.clone())),
        Rows::Below(header) => *header,
        Rows::BelowFirst | Rows::Preview => 0,
    };
    let mut line = 1;
    while let Some(row) = rows.next()? {
        line = row.start.line;
        if header <= row.number() {
            if header != 0 && header < row.number() {
                break;
            }
            return names_of(&row).map(Some);
        }
    }
    if header == 0 {
        return Ok(None);
    }
    let message = format!(
        "row {header} is empty, and the mapping says `header = {header}`: name the row of the header"
    );
    Err(corrupt(line, message))
}

/// The names in a header.
fn names_of(row: &Row<'_>) -> Result<Vec<String>, FileError> {
    if !row.is_utf8 {
        return Err(corrupt(row.start.line, NOT_UTF8));
    }
    if COLUMNS_MAX < row.cells.len() {
        let columns = row.cells.len();
        let message = format!("a header has at most {COLUMNS_MAX} columns, this one {columns}");
        return Err(corrupt(row.start.line, message));
    }
    let texts: Vec<Cow<'_, str>> = row.cells.iter().map(Cell::shown).collect();
    let texts: Vec<&str> = texts.iter().map(|text| text.trim()).collect();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for text in &texts {
        *counts.entry(text).or_default() += 1;
    }
    let last = texts.iter().rposition(|text| !text.is_empty());
    let width = last.map_or(0, |last| last + 1);
    let names = texts.iter().zip(1..).map(|(text, column)| match *text {
        "" if column <= width => column_name(column),
        "" => String::new(),
        text if 1 < counts[text] => format!("{text} ({})", column_name(column)),
        text => text.to_owned(),
    });
    let names: Vec<String> = names.collect();
    let called = names.iter().map(String::as_str);
    if let Some(name) = first_repeated(called.filter(|name| !name.is_empty())) {
        let message = format!("two columns are called {:?}", cut(name));
        return Err(corrupt(row.start.line, message));
    }
    Ok(names)
}

/// What a column without a name is called.
pub(crate) fn column_name(column: usize) -> String {
    format!("column {column}")
}

/// The address of a cell, as `B17`; `column` counts from 0.
pub(super) fn address(column: usize, row: u64) -> String {
    let mut letters = Vec::new();
    let mut left = column + 1;
    while 0 < left {
        letters.push(char::from(LETTERS[(left - 1) % LETTERS.len()]));
        left = (left - 1) / LETTERS.len();
    }
    let letters: String = letters.iter().rev().collect();
    format!("{letters}{row}")
}

/// The columns of a table, and how many cells its rows may have.
struct Columns {
    names: Vec<String>,
    /// Either is right.
    widths: [usize; 2],
    /// What decides the widths.
    by: &'static str,
}

impl Columns {
    fn of(names: Vec<String>) -> Self {
        let last = names.iter().rposition(|name| !name.is_empty());
        Self {
            widths: [names.len(), last.map_or(0, |last| last + 1)],
            names,
            by: "the header",
        }
    }

    /// Takes the empty cells into account with which the first row goes on behind the header: a
    /// delimiter at the end of each row.
    fn widen(&mut self, first: &Row<'_>) {
        let beyond = first.cells.get(self.names.len()..).unwrap_or_default();
        if !first.is_in_sheet && !beyond.is_empty() && beyond.iter().all(Cell::is_empty) {
            self.names.resize(first.cells.len(), String::new());
            self.widths = [self.names.len(); 2];
            self.by = "the first row";
        }
    }

    /// The JSON text of a row, or the reason why it has none.
    fn object(&self, mut row: Row<'_>) -> Result<Result<String, BadRecord>, FileError> {
        if row.is_in_sheet {
            row.fit(self.names.len());
        }
        let (code, message) = match self.mismatch(&row) {
            Some(message) if row.is_of_several_lines => {
                let reason = "it goes on over several lines: a quote may be missing";
                return Err(corrupt(row.start.line, format!("{message}, and {reason}")));
            }
            _ if !row.is_utf8 => (Code::InvalidUtf8, NOT_UTF8.to_owned()),
            Some(message) => (Code::InvalidRow, message),
            None => {
                let (header, cells) = (&self.names, &row.cells);
                return json(&Object { header, cells }).map(Ok);
            }
        };
        Ok(Err(BadRecord {
            start: row.start,
            code,
            message,
            raw: json(&row.cells)?,
        }))
    }

    /// How the cells of a row do not fit.
    fn mismatch(&self, row: &Row<'_>) -> Option<String> {
        let cells = &row.cells;
        if !row.is_in_sheet && !self.widths.contains(&cells.len()) {
            let (has, wants, by) = (cells.len(), self.widths[0], self.by);
            let shown: String = cells.iter().map(Cell::shown).collect();
            // Old programs write U+001A at the end of a file.
            let control = shown.chars().find(|c| c.is_control() && !c.is_whitespace());
            let control = control.map(|control| {
                format!(
                    ", and has the control character U+{:04X}",
                    u32::from(control)
                )
            });
            let control = control.unwrap_or_default();
            return Some(format!(
                "the row has {has} cells, and {by} {wants}{control}"
            ));
        }
        let is_named =
            |column: usize| (self.names.get(column)).is_some_and(|name| !name.is_empty());
        let mut cells = cells.iter().enumerate();
        let (column, cell) = cells.find(|(column, cell)| !is_named(*column) && !cell.is_empty())?;
        let at = if row.is_in_sheet {
            format!(" in {}", address(column, row.number()))
        } else {
            String::new()
        };
        let cell = cell.shown();
        Some(format!(
            "{:?}{at} stands in a column without a name",
            cut(&cell)
        ))
    }
}

fn json(value: &impl Serialize) -> Result<String, FileError> {
    serde_json::to_string(value).map_err(|error| FileError::Failed(error.into()))
}

impl Row<'_> {
    /// Its number, as a spreadsheet shows it.
    fn number(&self) -> u64 {
        match self.start.nth {
            Some(Nth::Row(row)) => row,
            _ => self.start.line,
        }
    }

    /// Adds empty cells up to the width of the header, or drops them beyond it.
    fn fit(&mut self, width: usize) {
        while width < self.cells.len() && self.cells.last().is_some_and(Cell::is_empty) {
            self.cells.pop();
        }
        while self.cells.len() < width {
            self.cells.push(Cell::EMPTY);
        }
    }
}

impl Cell<'_> {
    pub(super) const EMPTY: Self = Self::Text(Cow::Borrowed(""));

    pub(super) fn is_empty(&self) -> bool {
        matches!(self, Self::Text(text) if text.is_empty())
    }

    /// Whether it has a value, which an error is not.
    pub(super) fn is_value(&self) -> bool {
        !matches!(self, Self::Text(text) if text.is_empty() || is_error(text))
    }

    /// The bytes of a text; numbers have none.
    pub(super) fn length(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Number(_) | Self::Flag(_) => 0,
        }
    }

    fn shown(&self) -> Cow<'_, str> {
        match self {
            Self::Text(text) => Cow::Borrowed(text),
            Self::Number(number) => Cow::Owned(number_of(*number).to_string()),
            Self::Flag(flag) => Cow::Owned(flag.to_string()),
        }
    }
}

/// A number as spreadsheets show it: without the error of binary fractions, and without `.0`.
fn number_of(number: f64) -> serde_json::Value {
    let shown: f64 = format!("{number:.DIGITS$e}").parse().unwrap_or(number);
    let whole = format!("{shown:.0}").parse::<i64>();
    match whole {
        Ok(whole) if shown.fract() == 0.0 && shown.abs() < WHOLE_MAX => whole.into(),
        _ => shown.into(),
    }
}

impl Serialize for Cell<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => serializer.serialize_str(unescaped(text)),
            Self::Number(number) => number_of(*number).serialize(serializer),
            Self::Flag(flag) => serializer.serialize_bool(*flag),
        }
    }
}

struct Object<'a> {
    header: &'a [String],
    cells: &'a [Cell<'a>],
}

impl Serialize for Object<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let named = self.header.iter().zip(self.cells);
        let members = named
            .filter(|(name, _)| !name.is_empty())
            .map(|(name, cell)| (name, Some(cell).filter(|cell| !cell.is_empty())));
        serializer.collect_map(members)
    }
}
