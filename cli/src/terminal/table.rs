//! How commands show tables and details: the only file that uses the table library.
//!
//! Plain aligned columns without lines, so output reads well and is easy to cut and grep. At a
//! terminal they fit its width; elsewhere nothing is wrapped or left out. What a cell contains is
//! escaped here, once.

use comfy_table::{
    Cell as Drawn, Color, ColumnConstraint, ContentArrangement, Table, Width, presets,
};

use crate::terminal::Terminal;
use crate::terminal::escape::escape_control;
use crate::terminal::style::Style;
use crate::terminal::wrap::wrap_at;

/// Spaces between two columns.
const GAP: u16 = 2;
/// Least width of a wrapped column.
const WRAPPED_MIN: u16 = 12;

/// A column of a list.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    pub(crate) heading: &'static str,
    fit: Fit,
}

/// What happens to a column if the terminal is too narrow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fit {
    /// It is never changed.
    Whole,
    /// Its texts are wrapped, between words if possible.
    Wrapped,
    /// It is left out, the lowest number first.
    Spare(u8),
}

impl Column {
    /// A column that is wrapped if necessary: names and sentences.
    pub const fn wrapped(heading: &'static str) -> Self {
        let fit = Fit::Wrapped;
        Self { heading, fit }
    }

    /// A column that is left out if necessary, the one with the lowest number first.
    pub const fn spare(number: u8, heading: &'static str) -> Self {
        let fit = Fit::Spare(number);
        Self { heading, fit }
    }
}

/// A column that is always shown unchanged, such as the name of a row, or short values.
impl From<&'static str> for Column {
    fn from(heading: &'static str) -> Self {
        let fit = Fit::Whole;
        Self { heading, fit }
    }
}

/// The contents of one row in one column.
#[derive(Clone, Debug)]
pub struct Cell {
    pub(crate) text: String,
    style: Style,
}

impl Cell {
    /// A text with a meaning.
    pub fn new(text: impl AsRef<str>, style: Style) -> Self {
        let text = escape_control(text.as_ref()).into_owned();
        Self { text, style }
    }

    /// Texts, each on a line of its own.
    pub fn lines(lines: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        let lines = lines.into_iter();
        let lines = lines.map(|line| escape_control(line.as_ref()).into_owned());
        let mut cell = Self::new("", Style::Plain);
        cell.text = lines.collect::<Vec<_>>().join("\n");
        cell
    }
}

impl<T: AsRef<str>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self::new(text, Style::Plain)
    }
}

/// A table with a heading, one line per row, columns two spaces apart. Columns that had to be left
/// out are named below it.
pub(crate) fn table(columns: &[Column], rows: &[Vec<Cell>], terminal: Terminal) -> String {
    let heading = columns.iter().map(|column| column.heading.into());
    let heading: Vec<Cell> = heading.collect();
    drawn(columns, std::iter::once(&heading).chain(rows), terminal)
}

/// The details of one thing: a label and a value on each line.
pub fn details<'a>(
    lines: impl IntoIterator<Item = (&'a str, impl Into<Cell>)>,
    terminal: Terminal,
) -> String {
    let rows = lines.into_iter();
    let rows = rows.map(|(label, value)| vec![label.into(), value.into()]);
    let columns = [Column::from(""), Column::wrapped("")];
    drawn(&columns, &rows.collect::<Vec<_>>(), terminal)
}

fn drawn<'a>(
    columns: &[Column],
    rows: impl IntoIterator<Item = &'a Vec<Cell>>,
    terminal: Terminal,
) -> String {
    let mut table = bare(terminal);
    for row in rows {
        table.add_row(row.iter().map(drawn_cell));
    }
    let natural = table.column_max_content_widths();
    let kept = kept(columns, &natural, terminal.columns);
    let last = kept.iter().rposition(|is_kept| *is_kept);
    for (place, column) in table.column_iter_mut().enumerate() {
        let gap = if Some(place) == last { 0 } else { GAP };
        column.set_padding((0, gap));
        column.set_constraint(match columns[place].fit {
            _ if !kept[place] => ColumnConstraint::Hidden,
            Fit::Wrapped if terminal.columns.is_some() => {
                ColumnConstraint::LowerBoundary(Width::Fixed(gap + natural[place].min(WRAPPED_MIN)))
            }
            _ => ColumnConstraint::ContentWidth,
        });
    }
    let mut text = table.trim_fmt();
    text.push('\n');
    let is_left_out = |place: &usize| !kept[*place];
    let left_out: Vec<&str> = (0..columns.len())
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

/// Which columns are shown: as many as fit into the terminal when wrapped columns are as narrow as
/// possible.
fn kept(columns: &[Column], natural: &[u16], terminal: Option<usize>) -> Vec<bool> {
    let Some(terminal) = terminal else {
        return vec![true; columns.len()];
    };
    let mut kept = vec![true; columns.len()];
    let least = |place: usize| match columns[place].fit {
        Fit::Wrapped => natural[place].min(WRAPPED_MIN),
        Fit::Whole | Fit::Spare(_) => natural[place],
    };
    let mut spare: Vec<(u8, usize)> = (0..columns.len())
        .filter_map(|place| match columns[place].fit {
            Fit::Spare(number) => Some((number, place)),
            Fit::Whole | Fit::Wrapped => None,
        })
        .collect();
    spare.sort_unstable();
    for (_, place) in spare {
        let shown = (0..columns.len()).filter(|&place| kept[place]);
        let needed: usize = shown.map(|place| usize::from(least(place) + GAP)).sum();
        if needed <= terminal + usize::from(GAP) {
            break;
        }
        kept[place] = false;
    }
    kept
}

fn bare(terminal: Terminal) -> Table {
    let mut table = Table::new();
    let columns = terminal.columns.map(u16::try_from);
    table
        .load_preset(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(columns.and_then(Result::ok).unwrap_or(u16::MAX));
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

#[cfg(test)]
mod tests;
