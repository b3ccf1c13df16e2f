//! Functions for texts that mappings have in addition to the expression language.
//!
//! All are pure functions of a text or a JSON value. Errors are shown to operators unchanged, so
//! they say what could not be read and what is accepted. Nothing here knows the expression
//! language.

pub(super) mod list;
pub(super) mod measure;
pub(super) mod money;
pub(super) mod plain;
pub(crate) mod slugify;
pub(super) mod time;
pub(super) mod year;

/// The most characters of a text that an error quotes.
const QUOTED_MAX: usize = 80;

/// The beginning of a text, for an error to quote.
pub(super) fn quoted(text: &str) -> String {
    match text.char_indices().nth(QUOTED_MAX) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}
