//! A mapping file that cannot be used, with all that is wrong with it.

pub use crate::finding::Mistake;

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
