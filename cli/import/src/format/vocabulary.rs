//! The vocabularies of terms.

/// A set of terms with ids and slugs of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Vocabulary {
    Type,
    Category,
    Activity,
    HullType,
    HullMaterial,
}

impl Vocabulary {
    /// All vocabularies, in the order in which messages name them.
    pub const ALL: [Self; 5] = [
        Self::Type,
        Self::Category,
        Self::Activity,
        Self::HullType,
        Self::HullMaterial,
    ];

    /// The word used in exports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Type => "type",
            Self::Category => "category",
            Self::Activity => "activity",
            Self::HullType => "hullType",
            Self::HullMaterial => "hullMaterial",
        }
    }

    /// The words for a term of it in messages.
    pub const fn term(self) -> &'static str {
        match self {
            Self::Type => "type term",
            Self::Category => "category term",
            Self::Activity => "activity term",
            Self::HullType => "hullType term",
            Self::HullMaterial => "hullMaterial term",
        }
    }

    /// The vocabulary called `word`.
    pub(crate) fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|of| of.as_str() == word)
    }
}
