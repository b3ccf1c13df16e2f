//! The vocabularies of terms.

/// A set of terms with ids and slugs of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Vocabulary {
    Type,
    Category,
    Activity,
    HullType,
    HullMaterial,
}

impl Vocabulary {
    pub(crate) const ALL: [Self; 5] = [
        Self::Type,
        Self::Category,
        Self::Activity,
        Self::HullType,
        Self::HullMaterial,
    ];

    /// The word used in exports.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Type => "type",
            Self::Category => "category",
            Self::Activity => "activity",
            Self::HullType => "hullType",
            Self::HullMaterial => "hullMaterial",
        }
    }

    /// The words for a term of it in messages.
    pub(crate) const fn term(self) -> &'static str {
        match self {
            Self::Type => "type term",
            Self::Category => "category term",
            Self::Activity => "activity term",
            Self::HullType => "hullType term",
            Self::HullMaterial => "hullMaterial term",
        }
    }
}
