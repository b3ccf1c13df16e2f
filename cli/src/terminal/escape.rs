//! Makes untrusted text safe to show: an export, or the name of a file, must not be able to move
//! the cursor, change colours, reorder the text around it, or stay invisible.

use std::borrow::Cow;
use std::fmt::Write;

use icu_properties::CodePointSetData;
use icu_properties::props::DefaultIgnorableCodePoint;

/// Escapes, as `\u{1b}`, everything in `text` that a terminal interprets or leaves out instead of
/// showing it.
pub fn escape_control(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unseen) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if is_unseen(c) {
            // Writing to a string cannot fail.
            _ = write!(shown, "\\u{{{:x}}}", u32::from(c));
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
}

/// Control characters (C0, DEL and C1), and characters that Unicode defines as invisible:
/// zero-width characters, joiners, variation selectors, tags, and those that change the direction;
/// also line and paragraph separators and annotation marks, which are practically invisible.
fn is_unseen(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_control();
    }
    c.is_control()
        || CodePointSetData::new::<DefaultIgnorableCodePoint>().contains(c)
        || matches!(c, '\u{2028}' | '\u{2029}' | '\u{fff9}'..='\u{fffb}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_escaped() {
        let table = [
            ("\u{1b}[31mred", r"\u{1b}[31mred"),
            ("a\rb\nc\td", r"a\u{d}b\u{a}c\u{9}d"),
            ("\u{0}\u{7f}\u{9b}2J", r"\u{0}\u{7f}\u{9b}2J"),
            (
                "\u{202a}\u{202e}\u{2066}\u{2069}",
                r"\u{202a}\u{202e}\u{2066}\u{2069}",
            ),
        ];
        for (text, shown) in table {
            assert_eq!(escape_control(text), shown);
        }
    }

    #[test]
    fn what_cannot_be_seen_is_escaped() {
        for c in [
            '\u{ad}',
            '\u{34f}',
            '\u{61c}',
            '\u{115f}',
            '\u{17b4}',
            '\u{180e}',
            '\u{200b}',
            '\u{200c}',
            '\u{200d}',
            '\u{200e}',
            '\u{200f}',
            '\u{2028}',
            '\u{2029}',
            '\u{2060}',
            '\u{2064}',
            '\u{206f}',
            '\u{3164}',
            '\u{fe0f}',
            '\u{feff}',
            '\u{ffa0}',
            '\u{fff9}',
            '\u{fffb}',
            '\u{e0001}',
            '\u{e0041}',
            '\u{e01ef}',
        ] {
            let escaped = format!("a\\u{{{:x}}}b", u32::from(c));
            assert_eq!(escape_control(&format!("a{c}b")), escaped);
        }
    }

    #[test]
    fn everything_else_is_shown_as_it_is() {
        for text in [
            "",
            "Bénéteau 40.7 ⛵",
            "e\u{301} א ب 船 \u{a0}\u{fffd}",
            r"\u{1b}",
        ] {
            assert!(
                matches!(escape_control(text), Cow::Borrowed(shown) if shown == text),
                "{text}"
            );
        }
    }
}
