//! A mapping file that cannot be used, with all its mistakes.

pub use crate::finding::Mistake;

/// A mapping file with mistakes.
#[derive(Debug, thiserror::Error)]
#[error("the mapping {name} cannot be used")]
pub struct InvalidMapping {
    /// Its path, as messages show it.
    pub name: String,
    /// Its text.
    pub text: String,
    /// All mistakes in it.
    pub mistakes: Vec<Mistake>,
}

impl InvalidMapping {
    /// What to do next.
    pub const HINT: &str = "fix what is named above; `catalogue mapping check` says what is left";
}
