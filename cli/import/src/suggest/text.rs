//! Texts in drafts: names joined to paths of jq, and values as comments and TOML show them.
//!
//! Nothing here knows what a name means.

use std::fmt::Write as _;

use icu_properties::CodePointSetData;
use icu_properties::props::DefaultIgnorableCodePoint;
use serde_json::Value;
use unicode_normalization::char::is_combining_mark;

/// A value that is safe in a comment: on one line, without control characters, and cut.
pub(super) fn clean(text: &str, length: usize) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let unseen = CodePointSetData::new::<DefaultIgnorableCodePoint>();
    let letters = words
        .chars()
        .filter(|letter| !letter.is_control() && !unseen.contains(*letter));
    let mut shown: String = letters.clone().take(length).collect();
    if length < letters.count() {
        shown.push('…');
    }
    shown
}

/// A TOML string.
pub(super) fn quoted(text: &str) -> String {
    let is_literal =
        text.contains(['"', '\\']) && !text.contains(|c: char| c == '\'' || c.is_control());
    if is_literal {
        return format!("'{text}'");
    }
    // A JSON string is also a TOML string, except for this character.
    Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}

/// A path in jq; names are quoted only if necessary.
pub(super) fn jq_path(steps: &[String]) -> String {
    let step = |name: &String| {
        let mut letters = name.chars();
        let is_letter = |c: char| c == '_' || c.is_ascii_alphabetic();
        let is_plain = letters.next().is_some_and(is_letter)
            && letters.all(|c| is_letter(c) || c.is_ascii_digit());
        if is_plain {
            format!(".{name}")
        } else {
            // A JSON string is also a jq string, since it never contains `\(`.
            let quoted = Value::from(name.as_str()).to_string();
            // Two names may differ only in whether accents stand alone.
            let spelled = quoted.chars().map(|c| match u32::from(c) {
                code @ ..=0xffff if is_combining_mark(c) => format!("\\u{code:04x}"),
                _ => c.to_string(),
            });
            format!(".{}", spelled.collect::<String>())
        }
    };
    steps.iter().map(step).collect()
}

pub(super) fn line(text: &mut String, key: &str, value: &str) {
    // Writing into a text never fails.
    _ = writeln!(text, "{key} = {value}");
}
