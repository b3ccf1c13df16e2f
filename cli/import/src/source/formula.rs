//! Texts that a spreadsheet would run as formulas, whoever wrote them, or that look like its errors.
//!
//! In CSV for spreadsheets they stand behind an apostrophe, as OWASP advises, and so does a text that
//! has such an apostrophe of its own. So reading gives every text back that was written.

use std::borrow::Cow;

use super::error_cells::{MARK, looks_like_error};

/// How a formula begins.
const BEGINNINGS: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];

/// The text as CSV for spreadsheets has it.
pub fn escaped(text: &str) -> Cow<'_, str> {
    if may_run(text) || looks_like_error(text) {
        return Cow::Owned(format!("{MARK}{text}"));
    }
    Cow::Borrowed(text)
}

/// The text that was escaped.
pub(crate) fn unescaped(text: &str) -> &str {
    let marked = text.strip_prefix(MARK).filter(|text| may_run(text));
    marked.unwrap_or(text)
}

/// Whether it is a formula, or would be without apostrophes before it.
fn may_run(text: &str) -> bool {
    text.trim_start_matches(MARK).starts_with(BEGINNINGS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::error_cells::unmarked;

    #[test]
    fn what_would_run_is_marked_and_every_text_comes_back() {
        for (text, shown) in [
            ("=1+1", "'=1+1"),
            ("+49", "'+49"),
            ("-5 sails", "'-5 sails"),
            ("@home", "'@home"),
            ("\tx", "'\tx"),
            ("\r=x", "'\r=x"),
            ("'=1", "''=1"),
            ("''=1", "'''=1"),
            ("'Anna'", "'Anna'"),
            ("'", "'"),
            ("#1", "#1"),
            ("", ""),
            ("a=1", "a=1"),
            (" =1", " =1"),
        ] {
            assert_eq!(escaped(text), shown);
            assert_eq!(unescaped(shown), text);
        }
        for (text, shown) in [
            ("#N/A", "'#N/A"),
            ("'#n/a ", "''#n/a "),
            ("see #N/A", "see #N/A"),
        ] {
            assert_eq!(escaped(text), shown);
            assert_eq!(unmarked(unescaped(shown)), text);
        }
    }
}
