//! Finds the table in CSV or in a workbook: its sheet, and the row that names the columns.
//!
//! Only the first rows are looked at. What is found is written into the draft, so that an import
//! guesses nothing.

use std::io;
use std::path::Path;

use serde_json::Value;

use super::decision::Decision;
use super::named::is_name_of_field;
use super::status::is_of_withheld;
use super::text::clean;
use crate::finding::{Nth, cut};
use crate::source::readers::table::{Previewed, column_name};
use crate::source::{self, Export, Incoming, Plan, ReadContext, Rows, SheetName, TableLayout};

/// Where the table is, and what a person has to know of it.
#[derive(Default)]
pub(super) struct Table {
    pub(super) layout: TableLayout,
    /// The name of its sheet.
    pub(super) sheet: Option<String>,
    /// Whether the program does not show the sheet.
    pub(super) is_hidden: bool,
    pub(super) decisions: Vec<Decision>,
    /// Why there is none after all.
    pub(super) none: Option<String>,
}

/// The first rows of a sheet, or of a file of CSV.
struct Sheet {
    file: String,
    name: Option<String>,
    is_hidden: bool,
    rows: Vec<Row>,
}

/// What a person has to know if no delimiter was found.
const KNOWN: &str = "commas, semicolons, tabs and bars are known between cells; if another character stands there, write a line such as `sep=~` above all others";
/// How many sheets are looked at.
const SHEETS_MAX: usize = 64;

/// A row that is not empty.
struct Row {
    number: u64,
    cells: Vec<Value>,
}

/// Looks at the files of a plan that previews tables: the likeliest of them counts.
pub(super) fn find(exports: &[Export], plan: &Plan, temp_dir: &Path) -> anyhow::Result<Table> {
    let context = ReadContext {
        temp_dir,
        progress: &(),
    };
    let mut sheets: Vec<Sheet> = Vec::new();
    source::read(exports, &mut io::empty(), context, plan, &mut |incoming| {
        if let Incoming::Record(record) = incoming {
            let (sheet, cells): Previewed = serde_json::from_slice(record.line.contents())?;
            let (name, is_hidden) = sheet.unzip();
            let file = &record.line.file.name;
            if sheets
                .last()
                .is_none_or(|last| (&last.file, &last.name) != (file, &name))
            {
                if SHEETS_MAX <= sheets.len() {
                    return Ok(());
                }
                sheets.push(Sheet {
                    file: file.clone(),
                    name,
                    is_hidden: is_hidden.unwrap_or_default(),
                    rows: Vec::new(),
                });
            }
            let number = match record.line.start.nth {
                Some(Nth::Row(row)) => row,
                _ => record.line.start.line,
            };
            if let Some(sheet) = sheets.last_mut() {
                let cells = cells.into_iter().map(shortened).collect();
                sheet.rows.push(Row { number, cells });
            }
        }
        Ok(())
    })?;
    // The first of equals, since `max_by_key` returns the last and the order is reversed.
    let likeliest = sheets.iter().rev();
    let likeliest = likeliest.max_by_key(|sheet| {
        let known = sheet.header().map_or(0, Row::known);
        let is_withheld = sheet.is_hidden || sheet.name.as_deref().is_some_and(is_of_withheld);
        (2 < known && !is_withheld, known)
    });
    Ok(likeliest
        .map(|sheet| sheet.table(&sheets))
        .unwrap_or_default())
}

/// As much of a cell as a name may have.
fn shortened(cell: Value) -> Value {
    match cell {
        Value::String(text) => cut(&text).into(),
        other => other,
    }
}

impl Sheet {
    fn table(&self, all: &[Self]) -> Table {
        let wide = self.rows.iter().filter(|row| 1 < row.cells.len());
        let is_one_column = self.name.is_none() && 2 * wide.count() < self.rows.len();
        let mut table = Table {
            sheet: self.name.clone(),
            is_hidden: self.is_hidden,
            none: is_one_column.then(|| format!("{} has one column: {KNOWN}", self.file)),
            ..Table::default()
        };
        let others = all
            .iter()
            .filter(|other| other.file == self.file && other.name != self.name);
        let others: Vec<String> = others.filter_map(Self::shown).collect();
        if let Some(name) = self.name.clone().filter(|_| !others.is_empty()) {
            let own = self.shown().unwrap_or_default();
            let why = format!("{own}; not read: {}", others.join(", "));
            table.decisions.push(Decision::new("sheet", why));
            table.layout.sheet = Some(SheetName::Name(name));
        }
        let Some(header) = self.header() else {
            let width = self.rows.iter().map(|row| row.cells.len()).max();
            let columns = (1..=width.unwrap_or_default()).map(column_name);
            table.layout.rows = Rows::Without(columns.collect());
            let why = "no row looks like names: write what each column holds, and drop the line if the first row names them";
            table.decisions.push(Decision::new("columns", why));
            return table;
        };
        if self
            .rows
            .first()
            .is_some_and(|first| first.number != header.number)
        {
            let number = header.number;
            table.layout.rows = Rows::Below(number);
            let why = format!("row {number} names the columns; nothing above it is read");
            table.decisions.push(Decision::new("header", why));
        }
        let below = self.rows.iter().filter(|row| header.number < row.number);
        let most = below.map(|row| row.cells.len()).max();
        if self.name.is_none() && most.is_some_and(|most| most < header.cells.len()) {
            let why = "it ends in a delimiter that its rows do not have: a column without a name";
            table.decisions.push(Decision::new("header", why));
        }
        table
    }

    /// Its name, as messages show it.
    fn shown(&self) -> Option<String> {
        let hidden = if self.is_hidden { " (hidden)" } else { "" };
        let name = self.name.as_deref()?;
        Some(format!("{}{hidden}", clean(name, 40)))
    }

    /// The row that names the columns: one with names of fields, or else the first with about as many
    /// cells as any, before any row with numbers.
    fn header(&self) -> Option<&Row> {
        let named = self.rows.iter().rev().filter(|row| row.names_fields());
        let named = named.max_by_key(|row| row.known());
        let most = self.rows.iter().map(Row::filled).max().unwrap_or_default();
        let mut above = self.rows.iter().take_while(|row| !row.is_data());
        named.or_else(|| above.find(|row| 3 * most <= 4 * row.filled()))
    }
}

impl Row {
    fn texts(&self) -> impl Iterator<Item = &str> {
        let texts = self.cells.iter().filter_map(Value::as_str);
        texts.map(str::trim).filter(|text| !text.is_empty())
    }

    fn filled(&self) -> usize {
        let is_filled = |cell: &&Value| cell.as_str().is_none_or(|text| !text.trim().is_empty());
        self.cells.iter().filter(is_filled).count()
    }

    /// How many cells are called like fields.
    fn known(&self) -> usize {
        self.texts().filter(|text| is_name_of_field(text)).count()
    }

    /// Whether most of it, or several cells and no number, are called like fields.
    fn names_fields(&self) -> bool {
        let known = self.known();
        2 <= known && (!self.is_data() || self.filled() <= 2 * known)
    }

    /// Whether it has several cells, and numbers or dates among them.
    fn is_data(&self) -> bool {
        let is_number = |text: &str| {
            text.contains(|c: char| c.is_ascii_digit())
                && text
                    .chars()
                    .all(|c| c.is_ascii_digit() || " .,:+-/'".contains(c))
        };
        let is_typed = |cell: &Value| cell.is_number() || cell.is_boolean();
        2 <= self.filled() && (self.cells.iter().any(is_typed) || self.texts().any(is_number))
    }
}
