//! Old and new values as lines for people: `model: "Sum" -> "Sum II"`.
//!
//! Values are shown as the JSON that consumers get, with control characters escaped.

use super::Changed;
use super::cut::{cut, width};
use crate::terminal::Terminal;
use crate::terminal::escape::escape_control;

/// Width of a line if there is no terminal.
const WIDTH: usize = 100;
/// Least columns for a value, however narrow the terminal.
const VALUE_MIN: usize = 16;

/// Shows values, and remembers whether any had to be cut.
pub(super) struct Values {
    line_width: usize,
    /// Whether values may be longer than a line.
    is_full: bool,
    /// Whether a value was cut.
    pub(super) is_cut: bool,
}

impl Values {
    pub(super) fn new(terminal: Terminal, is_full: bool) -> Self {
        Self {
            line_width: terminal.columns.unwrap_or(WIDTH),
            is_full,
            is_cut: false,
        }
    }

    /// One change: a single line, or, if its values are long, its path and one line for each value.
    pub(super) fn lines(&mut self, change: &Changed, indent: usize) -> String {
        let path = escape_control(&change.path);
        let text = |value: &String| escape_control(value).into_owned();
        let (old, new) = (change.old.as_ref().map(text), change.new.as_ref().map(text));
        let line = match (&old, &new) {
            (Some(old), Some(new)) => format!("{path}: {old} -> {new}"),
            (Some(old), None) => format!("{path}: - {old}"),
            (None, Some(new)) => format!("{path}: + {new}"),
            (None, None) => return String::new(),
        };
        let margin = " ".repeat(indent);
        if width(&line) + indent <= self.line_width {
            return format!("{margin}{line}\n");
        }
        let room = self.line_width.saturating_sub(indent + 4).max(VALUE_MIN);
        let texts = [&old, &new].map(|text| text.as_deref().unwrap_or_default());
        let [before, after] = self.fitted(texts, room);
        let mut lines = format!("{margin}{path}:\n");
        for (sign, value, shown) in [('-', old, before), ('+', new, after)] {
            if value.is_some() {
                lines = format!("{lines}{margin}  {sign} {shown}\n");
            }
        }
        lines
    }

    fn fitted(&mut self, texts: [&str; 2], room: usize) -> [String; 2] {
        if self.is_full {
            return texts.map(str::to_owned);
        }
        self.is_cut |= texts.iter().any(|text| room < width(text));
        cut(texts, room)
    }
}
