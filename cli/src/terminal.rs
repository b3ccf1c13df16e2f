//! What people see at a terminal: tables, wrapped lines, styles, times, progress. It also makes
//! untrusted text safe to show.
//!
//! Pure functions of text, findings, and the abilities of the terminal. Nothing here knows a
//! command or a server.

pub mod colour;
pub mod escape;
pub(crate) mod excerpt;
pub mod findings;
pub mod progress;
pub mod quantity;
pub mod redact;
pub mod relative_time;
pub mod share;
pub mod size;
pub mod style;
pub mod table;
pub mod wrap;

use std::fmt::Display;

use colour::Colour;

/// Most names in one line.
const NAMES_MAX: usize = 5;

/// What the terminal can show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "four independent facts, not one state"
)]
pub struct Terminal {
    /// Standard output is a terminal.
    pub out: bool,
    /// Standard error is a terminal: progress bars may be drawn.
    pub err: bool,
    /// Standard output may have colours.
    pub out_colour: bool,
    /// Standard error may have colours.
    pub err_colour: bool,
    /// Width of the terminal on standard output, in columns; `None` without a terminal, so that
    /// nothing is shortened.
    pub columns: Option<usize>,
}

impl Terminal {
    /// The same, with the typed choice of colours.
    #[must_use]
    pub fn with_colour(self, colour: Colour) -> Self {
        let shown = match colour {
            Colour::Auto => return self,
            Colour::Always => true,
            Colour::Never => false,
        };
        Self {
            out_colour: shown,
            err_colour: shown,
            ..self
        }
    }

    /// The same for lines that will be indented by `columns`.
    #[must_use]
    pub fn narrower(self, columns: usize) -> Self {
        let width = self.columns;
        Self {
            columns: width.map(|width| width.saturating_sub(columns)),
            ..self
        }
    }
}

/// A number of things, in the plural unless there is one: `1 error`, `2 errors`.
pub fn counted(count: u64, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        _ => format!("{count} {what}s"),
    }
}

/// The first few names, and how many more there are: `a, b, c, d, e and 7 more`.
pub fn names(all: impl IntoIterator<Item: Display>, total: u64) -> String {
    let shown = all.into_iter().take(NAMES_MAX);
    let shown: Vec<String> = shown.map(|name| name.to_string()).collect();
    match total.saturating_sub(shown.len() as u64) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}
