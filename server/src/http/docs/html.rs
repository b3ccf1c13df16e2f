//! Texts as HTML.

use std::fmt::Write;

/// A text.
pub(super) fn escaped(text: &str) -> String {
    let escaped = askama::filters::escape(text, askama::filters::Html);
    escaped.unwrap_or_else(|never| match never {}).to_string()
}

/// A sentence with `code` in it.
pub(super) fn prose(sentence: impl AsRef<str>) -> String {
    let mut html = String::new();
    for (index, part) in sentence.as_ref().split('`').enumerate() {
        let escaped = escaped(part);
        let written = match index % 2 {
            0 => write!(html, "{escaped}"),
            _ => write!(html, "<code>{escaped}</code>"),
        };
        written.unwrap_or_else(|why| unreachable!("a text was not written: {why}"));
    }
    html
}
