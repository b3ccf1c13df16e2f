//! The kinds of record that an export has.

/// What a record is: the value of its `kind`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
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
    #[default]
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

    /// The field by which people know a record.
    pub const fn name_key(self) -> &'static str {
        match self {
            Self::Boat => "model",
            _ => "name",
        }
    }

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
