//! What the forms of workbooks have in common: how a file is known, and what a sheet gives.
//!
//! Nothing here reads a file.

use calamine::{Data, Dimensions, Sheet, SheetType, SheetVisible};

use super::super::table::COLUMNS_MAX;
use super::super::{FileError, corrupt};
use crate::source::plan::without_compression;
use crate::source::unread::{COMPOUND, outermost};

/// What a number counts as, in bytes.
pub(super) const NUMBER: usize = 8;
/// The most cells that are in memory at once, or that repeat others.
pub(super) const CELLS_MAX: usize = 4_000_000;
/// The most rows, as many as a spreadsheet allows: a row may repeat as often as a file says.
pub(super) const ROWS_MAX: u32 = 1_048_576;
/// The most sheets: each is opened to see whether it has rows.
pub(super) const SHEETS_MAX: usize = 250;
/// The most regions of merged cells in all sheets.
pub(super) const MERGED_MAX: usize = 100_000;
/// What an `.ods` says of itself in its first part.
pub(super) const ODS: &[u8] = b"opendocument.spreadsheet";

/// Whether a file of this name that begins with `head` is a workbook. Of the older Office documents
/// only the name says which are.
pub(crate) fn is_one(name: &str, head: &[u8]) -> bool {
    if head.starts_with(COMPOUND) {
        let name = without_compression(name);
        return name.to_ascii_lowercase().ends_with(".xls");
    }
    let head = outermost(head);
    let has = |name: &[u8]| memchr::memmem::find(head, name).is_some();
    let is_office = has(b"[Content_Types].xml") && !has(b"word/") && !has(b"ppt/");
    let is_book = has(b"xl/workbook.xml") || has(b"xl/_rels/") || has(b"xl/worksheets/");
    head.starts_with(b"PK\x03\x04") && (is_book || is_office || has(ODS))
}

/// A cell with its row and column, from 0.
pub(super) type Placed = (u32, u32, Data);

/// A sheet as a workbook lists it.
#[derive(Clone, Debug)]
pub(super) struct Listed {
    pub(super) name: String,
    /// Whether it has any value, if that is known.
    pub(super) is_filled: Option<bool>,
    /// Whether the program does not show it.
    pub(super) is_hidden: bool,
}

/// A form of workbooks. Whoever reads one refuses two sheets of one name.
pub(super) trait Book {
    /// Its sheets of cells.
    fn sheets(&self) -> Vec<Listed>;

    /// What gives what a sheet has, row by row.
    fn sheet<'b>(&'b mut self, name: &str) -> Result<Box<Next<'b>>, FileError>;
}

/// The sheets of cells among those that the library knows.
pub(super) fn of_cells(sheets: &[Sheet]) -> Vec<Listed> {
    let of_cells = sheets
        .iter()
        .filter(|sheet| sheet.typ == SheetType::WorkSheet);
    let listed = of_cells.map(|sheet| Listed {
        name: sheet.name.clone(),
        is_filled: None,
        is_hidden: sheet.visible != SheetVisible::Visible,
    });
    listed.collect()
}

/// Gives what a sheet has next.
pub(super) type Next<'b> = dyn FnMut() -> Result<Option<Met>, FileError> + 'b;

/// What a sheet has. Rows and columns count from 0.
pub(super) enum Met {
    Cell(Placed),
    /// A cell that is an error, in an unknown column: its row, and what messages say of it.
    Fault(u32, String),
    /// A region of merged cells. It comes before the row below its first.
    Merged(Dimensions),
    /// A hidden row. It comes before its cells.
    Hidden(u32),
}

/// The error for a row with more columns than a spreadsheet has.
pub(super) fn too_wide(row: u64) -> FileError {
    corrupt(row, format!("a sheet has at most {COLUMNS_MAX} columns"))
}
