//! Shows mistakes in a settings file with their places but without other values: any line may
//! contain a password, even one that is not understood.
//!
//! The part of a line that a mistake is about is shown, and so are keys; other values are not. A
//! mistake about a value that must not be shown therefore has to mark the key.

use std::ops::Range;

use import::finding::Mistake;

use crate::settings::address::HIDDEN;
use crate::terminal::excerpt;

/// All mistakes of a file, for people.
pub(super) fn render(mistakes: &[Mistake], name: &str, text: &str) -> String {
    let shown = mistakes.iter().map(|mistake| {
        let (span, text) = without_values(mistake.span.clone(), text);
        let mistake = Mistake {
            span,
            ..mistake.clone()
        };
        excerpt::render(&[mistake], name, &text)
    });
    shown.collect::<Vec<_>>().join("\n\n")
}

/// The part of a malformed line that contains no value.
pub(super) fn key_at(at: usize, text: &str) -> Range<usize> {
    let line = line_at(at, text);
    let shown = &text[line.clone()];
    let key = match shown.split_once('=') {
        Some((key, _value)) => key.trim_end(),
        None if shown.trim_start().starts_with('[') => shown.trim_end(),
        None => "",
    };
    line.start..line.start + key.len()
}

/// The text up to the line of `span`, and `span` in it.
fn without_values(span: Range<usize>, text: &str) -> (Range<usize>, String) {
    let line = line_at(span.start, text);
    let end = span.end.min(line.end).max(span.start);
    let before = shortened(&text[line.start..span.start]);
    let after = shortened(&text[end..line.end]);
    let marked = &text[span.start..end];
    // Earlier lines are not shown, but counted.
    let lines = "\n".repeat(text[..line.start].matches('\n').count());
    let start = lines.len() + before.len();
    let text = format!("{lines}{before}{marked}{after}\n");
    (start..start + marked.len(), text)
}

/// A part of a line up to its first value.
fn shortened(part: &str) -> String {
    let (shown, rest) = match part.find('=') {
        Some(at) => part.split_at(at + 1),
        None => ("", part),
    };
    if !rest.contains(char::is_alphanumeric) {
        return part.to_owned();
    }
    let space = if part.ends_with(' ') { " " } else { "" };
    format!("{shown} {HIDDEN}{space}")
}

/// The line that contains this byte, without its line break.
fn line_at(at: usize, text: &str) -> Range<usize> {
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let end = text[at..].find('\n').map_or(text.len(), |end| at + end);
    start..end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_shown_without_the_values_that_a_problem_is_not_about() {
        for (text, about, expected) in [
            ("a = 1\nlisten = \"x\"", "\"x\"", "\nlisten = \"x\"\n"),
            ("stor = \"pw\"", "stor", "stor = …\n"),
            (
                "serve = { limits = \"pw\", none = 1 }",
                "none",
                "serve = … none = …\n",
            ),
            ("cors = [\"a\", \"b\"]", "\"a\"", "cors = [\"a\" …\n"),
            ("one.two = 3 # why", "one.two", "one.two = …\n"),
            ("x = \"\"\"\npw", "x", "x = \"\"\"\n"),
        ] {
            let at = text.find(about).unwrap();
            let (span, shown) = without_values(at..at + about.len(), text);
            assert_eq!((&*shown, &shown[span]), (expected, about));
        }
    }

    #[test]
    fn the_key_of_a_broken_line_is_what_stands_before_its_value() {
        for (text, expected) in [
            ("store = \"pw", "store"),
            ("pw", ""),
            ("[serve", "[serve"),
            ("a = 1\nb = pw", "b"),
        ] {
            assert_eq!(&text[key_at(text.len(), text)], expected);
        }
    }
}
