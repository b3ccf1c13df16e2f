//! Too little and too much: an export without records, and more of them than can be held.

use super::Collector;
use crate::finding::{Code, Finding};
use crate::json::Node;
use crate::validate::reporter::{Problem, Reporter};

/// Bytes of the lines that boats may refer to: what is in them is held in memory.
pub(super) const HELD_MAX: usize = 128 * 1024 * 1024;

impl Collector<'_> {
    /// Whether another line that boats may refer to can be held.
    pub(super) const fn has_room(&mut self, length: usize) -> bool {
        self.held = self.held.saturating_add(length);
        self.held <= HELD_MAX
    }

    pub(super) fn no_room(&mut self, node: &Node<'_>, reporter: &mut Reporter<'_>) {
        if self
            .collected
            .findings
            .counts()
            .contains_key(&Code::TooMuchToHold)
        {
            return;
        }
        let message =
            format!("manufacturers, terms and designers together have more than {HELD_MAX} bytes");
        let problem = Problem::new(Code::TooMuchToHold, message);
        let hint = "no record from here on is read that boats may refer to: shorten their texts";
        reporter.place_of(&node.span, problem.hint(hint));
    }

    /// There is no record.
    pub(super) fn nothing(&self) -> Finding {
        let (message, hint) = match self.read_by_mapping {
            0 => (
                "the export has no record at all".to_owned(),
                "whatever made the export may have failed",
            ),
            read => (
                format!("the mapping makes nothing of the {read} records of the export"),
                "`catalogue mapping check` shows their types, and what it looks for",
            ),
        };
        Finding {
            hint: Some(hint.to_owned()),
            ..Finding::new(Code::NoRecords, None, message)
        }
    }
}
