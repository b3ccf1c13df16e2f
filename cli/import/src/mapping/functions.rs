//! Functions on text that mappings have beyond the expression language.
//!
//! Pure functions of a string or a JSON value. Operators see an error as it is, so it says what
//! could not be read and what would be accepted. Nothing here knows the expression language.

pub(super) mod measure;
pub(super) mod plain;
pub(crate) mod slugify;
pub(super) mod year;

/// Characters of a text that an error quotes.
const QUOTED_MAX: usize = 80;

/// The beginning of a text, for an error to quote.
pub(super) fn quoted(text: &str) -> String {
    match text.char_indices().nth(QUOTED_MAX) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}
