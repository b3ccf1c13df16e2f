//! What is wrong with a mapping file, and where.

use std::ops::Range;

/// Something wrong with a mapping file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// Bytes of the file.
    pub span: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What to write instead, where that is known.
    pub hint: Option<String>,
}

impl Mistake {
    pub(crate) fn new(span: Range<usize>, message: impl Into<String>) -> Self {
        Self {
            span,
            message: message.into(),
            hint: None,
        }
    }

    pub(crate) fn hint(mut self, hint: Option<String>) -> Self {
        self.hint = hint;
        self
    }
}

/// A mapping file with mistakes.
#[derive(Debug, thiserror::Error)]
#[error("the mapping {name} cannot be used")]
pub struct InvalidMapping {
    /// Its path, for people.
    pub name: String,
    /// Its text.
    pub text: String,
    /// All that is wrong with it.
    pub mistakes: Vec<Mistake>,
}

impl InvalidMapping {
    /// What to do next.
    pub const HINT: &str = "mend the mapping; `catalogue mapping init` writes one that works";
}
