//! Workbooks of Excel: `.xlsx` and `.xlsm`.
//!
//! The library holds all but the rows of a sheet in memory, panics on contradictions, and knows no
//! hidden rows.

use std::collections::BTreeMap;

use calamine::{Data, Reader as _, Xlsx, XlsxError};
use quick_xml::events::BytesStart;

use super::super::disk::{Chunk, Disk};
use super::super::{FileError, caught};
use super::book::{Book, Listed, MERGED_MAX, Met, Next, ROWS_MAX, of_cells};
use super::parts::{FORM, attribute, cut_off, measure, refused, too_many};
use crate::finding::cut;
use crate::source::error_cells::NOT_CALCULATED;
use crate::source::unpacking::Unpacking;

/// The most hidden rows in all sheets.
const HIDDEN_MAX: usize = ROWS_MAX as usize;

/// A workbook of Excel.
pub(super) struct ExcelBook {
    opened: Xlsx<Chunk>,
    disk: Disk,
    noted: Noted,
}

/// What is noted while the parts are measured.
#[derive(Default)]
struct Noted {
    /// The names of sheets, with the ids of their parts.
    ids: BTreeMap<String, String>,
    /// The parts, by their ids.
    parts: BTreeMap<String, String>,
    /// The hidden rows of each part.
    hidden: BTreeMap<String, Vec<u32>>,
    /// How many rows of the part there are so far, and how many merged regions and hidden rows in all.
    rows: u32,
    merged: usize,
    hidden_rows: usize,
}

impl ExcelBook {
    pub(super) fn open(disk: Disk, unpacking: &Unpacking) -> Result<Self, FileError> {
        let mut noted = Noted::default();
        measure(&disk, unpacking, is_noted, &mut |part, _, element| {
            noted.note(part, element);
        })?;
        if MERGED_MAX < noted.merged {
            return Err(too_many("merged regions", MERGED_MAX));
        }
        if HIDDEN_MAX < noted.hidden_rows {
            return Err(too_many("hidden rows", HIDDEN_MAX));
        }
        let opened = caught(FORM, 1, || {
            Xlsx::new(disk.chunk(0)).map_err(|error| cut_off(&disk, &error))
        })?;
        Ok(Self {
            opened,
            disk,
            noted,
        })
    }
}

/// Whether a part has sheets, or says where they are.
fn is_noted(part: &str) -> bool {
    part.contains("worksheets/") || part.starts_with("xl/workbook") || is_of_sheets(part)
}

/// Whether a part says which part each sheet is.
fn is_of_sheets(part: &str) -> bool {
    part.starts_with("xl/_rels/")
}

/// The part that a relationship of the workbook leads to, in lower case.
fn part_of(target: &str) -> String {
    let part = target.strip_prefix('/').map(str::to_owned);
    let part = part.unwrap_or_else(|| format!("xl/{target}"));
    part.to_ascii_lowercase()
}

impl Noted {
    fn note(&mut self, part: &str, element: &BytesStart<'_>) {
        let of = |name| attribute(element, name);
        match element.local_name().as_ref() {
            "worksheet" => self.rows = 0,
            "row" => {
                let number = of("r").and_then(|number| number.parse().ok());
                self.rows = number.unwrap_or_else(|| self.rows.saturating_add(1));
                let is_hidden =
                    of("hidden").is_some_and(|hidden| hidden == "1" || hidden == "true");
                self.hidden_rows += usize::from(is_hidden);
                if is_hidden && self.hidden_rows <= HIDDEN_MAX {
                    let rows = self.hidden.entry(part.to_owned()).or_default();
                    rows.push(self.rows.saturating_sub(1));
                }
            }
            "mergeCell" => self.merged += 1,
            "sheet" => self.ids.extend(of("name").zip(of("id"))),
            "Relationship" if is_of_sheets(part) => {
                let target = of("Target").map(|target| part_of(&target));
                self.parts.extend(of("Id").zip(target));
            }
            _ => {}
        }
    }

    /// The hidden rows of a sheet.
    fn hidden(&self, sheet: &str) -> Vec<u32> {
        let part = self.ids.get(sheet).and_then(|id| self.parts.get(id));
        let hidden = part.and_then(|part| self.hidden.get(part));
        hidden.cloned().unwrap_or_default()
    }
}

impl Book for ExcelBook {
    fn sheets(&self) -> Vec<Listed> {
        of_cells(self.opened.sheets_metadata())
    }

    fn sheet<'b>(&'b mut self, name: &str) -> Result<Box<Next<'b>>, FileError> {
        let (disk, opened) = (&self.disk, &mut self.opened);
        let merged = caught(FORM, 1, || {
            let merged = opened.merge_cells_by_sheet_name(name);
            merged.map_err(|error| refused(disk, 1, &error))
        })?;
        let hidden = self.noted.hidden(name).into_iter().map(Met::Hidden);
        let mut first = merged.into_iter().map(Met::Merged).chain(hidden);
        let mut cells = caught(FORM, 1, || {
            let cells = opened.worksheet_cells_reader(name);
            cells.map_err(|error| refused(disk, 1, &error))
        })?;
        let (mut is_over, mut row) = (false, 0);
        Ok(Box::new(move || {
            if let Some(met) = first.next() {
                return Ok(Some(met));
            }
            if is_over {
                return Ok(None);
            }
            let number = u64::from(row) + 1;
            let cell = match caught(FORM, number, || Ok(cells.next_cell_with_formula_metadata()))? {
                // The cell itself was read.
                Err(XlsxError::CellError(error)) => {
                    return Ok(Some(Met::Fault(row, format!("a cell is {}", cut(&error)))));
                }
                Err(error) => return Err(refused(disk, number, &error)),
                Ok(cell) => cell,
            };
            is_over = cell.is_none();
            Ok(cell.map(|cell| {
                let column = cell.pos.1;
                row = cell.pos.0;
                let value = match (Data::from(cell.value), cell.formula) {
                    (Data::Empty, Some(_)) => Data::String(NOT_CALCULATED.to_owned()),
                    (value, _) => value,
                };
                Met::Cell((row, column, value))
            }))
        }))
    }
}
