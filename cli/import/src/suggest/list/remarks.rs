//! The comments of a draft on what is left: keys that nothing reads.

use std::fmt::Write as _;

use super::List;
use crate::finding::others;
use crate::suggest::text::clean;

/// How many unread keys are listed.
const REMARKS_MAX: usize = 200;

impl List<'_> {
    /// The rest, as comments.
    pub(super) fn remarks(&self, text: &mut String) {
        let unread = self.unread();
        if !unread.is_empty() {
            text.push_str(
                "\n# What nothing reads yet: the key, the records with a value, a value.\n",
            );
            let width = unread.iter().map(|key| key.path.chars().count());
            let width = width.max().unwrap_or(0).min(60);
            let (shown, rest) = unread.split_at(unread.len().min(REMARKS_MAX));
            for key in shown {
                let sample = key.samples.first().map_or("", String::as_str);
                let sample = clean(sample, 40);
                let (path, records) = (clean(&key.path, 60), key.records);
                _ = writeln!(text, "#   {path:<width$}  {records:>6}  {sample}");
            }
            if !rest.is_empty() {
                _ = writeln!(text, "#   and {}", others(rest.len()));
            }
        }
        text.push_str("\n# `catalogue schema` shows all fields of the catalogue.\n");
    }
}
