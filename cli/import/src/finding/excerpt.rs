//! The part of a long line that a finding shows: the marked place and some characters around it.

use std::ops::Range;

/// Characters shown before and after the marked place.
const AROUND: usize = 32;
/// Characters of the marked place itself that are shown.
const MARKED_MAX: usize = 48;
/// Marks where text was cut off.
const CUT: char = '…';

/// A part of a line, with a place in it marked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// The part, unchanged. Whoever shows it must escape control characters.
    pub text: String,
    /// The marked bytes of `text`.
    pub marked: Range<usize>,
}

impl Excerpt {
    /// Cuts the part around `span` out of `line`.
    pub fn new(line: &str, span: &Range<usize>) -> Self {
        let before = last_characters(&line[..span.start], AROUND);
        let marked = first_characters(&line[span.clone()], MARKED_MAX);
        let is_cut = marked.len() < span.len();
        let after = if is_cut {
            ""
        } else {
            first_characters(&line[span.end..], AROUND)
        };
        let is_last = span.start + marked.len() + after.len() == line.len();

        let mut text = String::new();
        text.extend((before.len() < span.start).then_some(CUT));
        text.push_str(before);
        let start = text.len();
        text.push_str(marked);
        let end = text.len();
        text.push_str(after);
        text.extend((!is_last).then_some(CUT));
        Self {
            text,
            marked: start..end,
        }
    }
}

fn first_characters(text: &str, count: usize) -> &str {
    text.char_indices()
        .nth(count)
        .map_or(text, |(end, _)| &text[..end])
}

fn last_characters(text: &str, count: usize) -> &str {
    let start = count
        .checked_sub(1)
        .and_then(|last| text.char_indices().nth_back(last));
    start.map_or(text, |(start, _)| &text[start..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, span: Range<usize>, text: &str, marked: &str) {
        let excerpt = Excerpt::new(line, &span);
        assert_eq!(
            (excerpt.text.as_str(), &excerpt.text[excerpt.marked.clone()]),
            (text, marked)
        );
    }

    #[test]
    fn a_short_line_is_shown_whole() {
        check(r#"{"a":1}"#, 5..6, r#"{"a":1}"#, "1");
        check("", 0..0, "", "");
    }

    #[test]
    fn a_long_line_is_cut_on_both_sides_between_characters() {
        let line = format!("{}|X|{}", "é".repeat(40), "ü".repeat(40));
        let start = line.find('X').unwrap();
        let text = format!("…{}|X|{}…", "é".repeat(31), "ü".repeat(31));
        check(&line, start..start + 1, &text, "X");
    }

    #[test]
    fn a_long_value_is_cut_within_the_marked_place() {
        let line = format!("a{}b", "é".repeat(60));
        let marked = "é".repeat(48);
        check(&line, 1..121, &format!("a{marked}…"), &marked);
    }
}
