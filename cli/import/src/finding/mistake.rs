//! What is wrong with a file that an operator wrote, a mapping or settings, and where.

use std::ops::Range;

/// Something wrong with such a file.
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
    /// A mistake that nothing more is known about.
    pub fn new(span: Range<usize>, message: impl Into<String>) -> Self {
        Self {
            span,
            message: message.into(),
            hint: None,
        }
    }

    /// The same with what to write instead.
    #[must_use]
    pub fn hint(mut self, hint: Option<String>) -> Self {
        self.hint = hint;
        self
    }
}
