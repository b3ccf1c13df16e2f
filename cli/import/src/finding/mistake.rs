//! What is wrong, and where, with a file that an operator wrote: a mapping or settings.

use std::ops::Range;

/// Something wrong with such a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The bytes of the file that are wrong.
    pub span: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What to write instead, if known.
    pub hint: Option<String>,
}

impl Mistake {
    /// A mistake without a hint.
    pub fn new(span: Range<usize>, message: impl Into<String>) -> Self {
        Self {
            span,
            message: message.into(),
            hint: None,
        }
    }

    /// Sets the hint.
    #[must_use]
    pub fn hint(mut self, hint: Option<String>) -> Self {
        self.hint = hint;
        self
    }
}
