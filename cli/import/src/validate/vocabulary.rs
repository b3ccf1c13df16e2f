//! The kinds of record and the vocabularies of terms.

/// What a record is: the value of its `kind`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Describes the export; not a record that is served.
    Catalogue,
    /// A manufacturer.
    Manufacturer,
    /// A term of a vocabulary.
    Term,
    /// A designer.
    Designer,
    /// A boat.
    Boat,
}

impl Kind {
    /// All kinds, in the order in which messages name them.
    pub const ALL: [Self; 5] = [
        Self::Catalogue,
        Self::Manufacturer,
        Self::Term,
        Self::Designer,
        Self::Boat,
    ];
    /// The kinds that a catalogue record counts.
    pub const COUNTED: [Self; 4] = [Self::Manufacturer, Self::Term, Self::Designer, Self::Boat];

    /// The word used in exports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Catalogue => "catalogue",
            Self::Manufacturer => "manufacturer",
            Self::Term => "term",
            Self::Designer => "designer",
            Self::Boat => "boat",
        }
    }
}

/// A set of terms with ids and slugs of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Vocabulary {
    Type,
    Category,
    Activity,
    HullType,
    HullMaterial,
}

impl Vocabulary {
    pub(super) const ALL: [Self; 5] = [
        Self::Type,
        Self::Category,
        Self::Activity,
        Self::HullType,
        Self::HullMaterial,
    ];

    /// The word used in exports.
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Type => "type",
            Self::Category => "category",
            Self::Activity => "activity",
            Self::HullType => "hullType",
            Self::HullMaterial => "hullMaterial",
        }
    }

    /// What people call a term of it.
    pub(super) const fn term(self) -> &'static str {
        match self {
            Self::Type => "type term",
            Self::Category => "category term",
            Self::Activity => "activity term",
            Self::HullType => "hullType term",
            Self::HullMaterial => "hullMaterial term",
        }
    }
}
