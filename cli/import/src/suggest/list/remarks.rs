//! The comments of a draft on what is left: keys that nothing reads, and fields that nothing makes.

use std::fmt::Write as _;

use super::List;
use crate::finding::others;
use crate::suggest::names::{REQUIRED, fields};
use crate::suggest::text::clean;

/// Fields for which no source is looked for: the format is made from the address of the image, and
/// each member of the lists has several sources.
const WITHOUT_SOURCE: [&str; 3] = ["image.format", "engines", "gallery"];

/// Width of comments in the mapping, in columns.
const WIDTH: usize = 100;

/// How many unread keys are listed.
const REMARKS_MAX: usize = 200;

impl List<'_> {
    /// The rest, as comments: keys that nothing reads, and fields that nothing makes.
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
        let missing = fields().map(|wanted| wanted.field).chain(WITHOUT_SOURCE);
        let missing = missing.filter(|field| {
            *field != "unit" && !REQUIRED.contains(field) && !has_line(text, field)
        });
        let missing: Vec<&str> = missing.collect();
        if !missing.is_empty() {
            text.push_str("\n# Fields of the catalogue that nothing makes yet; `catalogue schema` shows what they take:\n");
            wrapped(&missing, text);
        }
    }
}

fn has_line(text: &str, field: &str) -> bool {
    let begin = format!("{field} = ");
    let within = format!("{field}.");
    text.lines()
        .any(|line| line.starts_with(&begin) || line.starts_with(&within))
}

/// Appends words as a comment of several lines.
fn wrapped(words: &[&str], text: &mut String) {
    let mut length = WIDTH;
    for (number, word) in words.iter().enumerate() {
        let comma = if number + 1 == words.len() { "" } else { "," };
        if WIDTH <= length + word.len() + 2 {
            text.push_str(if number == 0 { "#  " } else { "\n#  " });
            length = 3;
        }
        _ = write!(text, " {word}{comma}");
        length += word.len() + 2;
    }
    text.push('\n');
}
