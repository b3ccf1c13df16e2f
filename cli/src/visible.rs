//! Text from outside, made safe to be shown: an export, or the name of a file, must not be able to
//! move the cursor, change colours or reorder what stands around it.

use std::borrow::Cow;
use std::fmt::Write;

/// `text` with everything that a terminal obeys instead of showing it escaped, as `\u{1b}`.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_obeyed) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if is_obeyed(c) {
            // Writing to a text cannot fail.
            _ = write!(shown, "\\u{{{:x}}}", u32::from(c));
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
}

/// Control characters (C0, DEL and C1), and those that embed, override or isolate a direction.
fn is_obeyed(c: char) -> bool {
    c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
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
            assert_eq!(visible(text), shown);
        }
    }

    #[test]
    fn everything_else_is_shown_as_it_is() {
        for text in ["", "Bénéteau 40.7 ⛵", "a\u{2028}b\u{200f}c", r"\u{1b}"] {
            assert!(matches!(visible(text), Cow::Borrowed(shown) if shown == text));
        }
    }
}
