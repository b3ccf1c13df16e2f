//! How commands show tables and details: the one place that knows the table library.
//!
//! Plain aligned columns without lines, so that output reads well and is easy to cut and grep. At a
//! terminal they fit its width; elsewhere nothing is broken or left out.

mod fit;

use comfy_table::{
    Cell as Drawn, Color, ColumnConstraint, ContentArrangement, Table, Width, presets,
};
use unicode_width::UnicodeWidthStr;

use self::fit::fitted;
use crate::terminal::Terminal;
use crate::terminal::style::Style;
use crate::terminal::wrap::wrap_at;

/// Blanks between two columns.
const GAP: usize = 2;

/// A column of a list.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    heading: &'static str,
    fit: Fit,
}

/// What becomes of a column where the terminal is too narrow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fit {
    /// It stays as it is.
    Whole,
    /// Its texts are broken, between words if possible.
    Wrapped,
    /// It is left out, the lowest number first.
    Spare(u8),
    /// The same, and where there is no terminal it is left out too.
    Extra(u8),
}

impl Column {
    /// A column that is broken into lines where it must be: names and sentences.
    pub const fn wrapped(heading: &'static str) -> Self {
        let fit = Fit::Wrapped;
        Self { heading, fit }
    }

    /// A column that is left out where it must be, the one with the lowest number first.
    pub const fn spare(number: u8, heading: &'static str) -> Self {
        let fit = Fit::Spare(number);
        Self { heading, fit }
    }

    /// A column that says again, in words for people, what others say: shown at a terminal only.
    pub const fn extra(number: u8, heading: &'static str) -> Self {
        let fit = Fit::Extra(number);
        Self { heading, fit }
    }
}

/// A column that is always shown as it is: what names a row, and what is short.
impl From<&'static str> for Column {
    fn from(heading: &'static str) -> Self {
        let fit = Fit::Whole;
        Self { heading, fit }
    }
}

/// What stands in one row of one column.
#[derive(Clone, Debug)]
pub struct Cell {
    text: String,
    style: Style,
}

impl Cell {
    /// A text that means something.
    pub fn new(text: impl Into<String>, style: Style) -> Self {
        let text = text.into();
        Self { text, style }
    }

    /// Columns on the screen.
    fn width(&self) -> usize {
        let lines = self.text.split('\n');
        lines.map(UnicodeWidthStr::width).max().unwrap_or(0)
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::new(text, Style::Plain)
    }
}

/// A table with a heading, one line a row, columns two spaces apart. What had to be left out is
/// named below it.
pub fn list<const COLUMNS: usize>(
    columns: [impl Into<Column>; COLUMNS],
    rows: impl IntoIterator<Item = [impl Into<Cell>; COLUMNS]>,
    terminal: Terminal,
) -> String {
    let columns: [Column; COLUMNS] = columns.map(Into::into);
    let heading = columns.map(|column| Cell::new(column.heading, Style::Plain));
    let rows = rows.into_iter().map(|row| row.map(Into::into));
    let rows: Vec<[Cell; COLUMNS]> = std::iter::once(heading).chain(rows).collect();
    drawn(&columns, rows, terminal)
}

/// What is known of one thing: a label and a value on each line.
pub fn details<'a>(
    lines: impl IntoIterator<Item = (&'a str, impl Into<Cell>)>,
    terminal: Terminal,
) -> String {
    let rows = lines.into_iter();
    let rows = rows.map(|(label, value)| [Cell::new(label, Style::Plain), value.into()]);
    let columns = [Column::from(""), Column::wrapped("")];
    drawn(&columns, rows.collect(), terminal)
}

fn drawn<const COLUMNS: usize>(
    columns: &[Column; COLUMNS],
    rows: Vec<[Cell; COLUMNS]>,
    terminal: Terminal,
) -> String {
    let width = |place: usize| rows.iter().map(|row| row[place].width()).max().unwrap_or(0);
    let natural: [usize; COLUMNS] = std::array::from_fn(width);
    let fits = columns.map(|column| column.fit);
    let widths = fitted(&fits, &natural, terminal.columns);
    let kept: Vec<(usize, usize)> = (0..)
        .zip(&widths)
        .filter_map(|(place, width)| Some((place, (*width)?)))
        .collect();
    let mut table = bare(terminal);
    for row in rows {
        table.add_row(kept.iter().map(|&(place, _)| drawn_cell(&row[place])));
    }
    for (place, (column, (_, width))) in table.column_iter_mut().zip(&kept).enumerate() {
        let gap = if place + 1 == kept.len() { 0 } else { GAP };
        column.set_padding((0, u16::try_from(gap).unwrap_or(0)));
        let width = u16::try_from(width + gap).unwrap_or(u16::MAX);
        column.set_constraint(ColumnConstraint::Absolute(Width::Fixed(width)));
    }
    let mut text = trimmed(&table);
    let is_left_out = |place: &usize| widths[*place].is_none() && terminal.columns.is_some();
    let left_out: Vec<&str> = (0..COLUMNS)
        .filter(is_left_out)
        .map(|place| columns[place].heading)
        .collect();
    if !left_out.is_empty() {
        let names = left_out.join(", ");
        let note = format!("(a wider terminal, or --json, shows {names} too)");
        let note = wrap_at(terminal.columns.unwrap_or(usize::MAX), &note, 1);
        text.push_str(&Style::Faint.paint(&note, terminal.out_colour));
        text.push('\n');
    }
    text
}

fn bare(terminal: Terminal) -> Table {
    let mut table = Table::new();
    table
        .load_preset(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(u16::MAX);
    if terminal.out_colour {
        table.enforce_styling();
    } else {
        table.force_no_tty();
    }
    table
}

fn drawn_cell(cell: &Cell) -> Drawn {
    let drawn = Drawn::new(&cell.text);
    let colour = match cell.style {
        Style::Plain => return drawn,
        Style::Good => Color::DarkGreen,
        Style::Notice => Color::DarkYellow,
        Style::Bad => Color::DarkRed,
        Style::Faint => Color::DarkGrey,
    };
    drawn.fg(colour)
}

fn trimmed(table: &Table) -> String {
    let lines = table.lines();
    let lines = lines.map(|line| line.trim_end().to_owned() + "\n");
    lines.collect()
}

#[cfg(test)]
mod tests;
