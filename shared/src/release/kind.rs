//! The two kinds of record, their names for people, and where a release has them.

use super::manifest::FileName;

/// A kind of record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Boats.
    Boats,
    /// Manufacturers.
    Manufacturers,
}

impl Kind {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Boats, Self::Manufacturers];

    /// Many of them, for people.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Boats => "boats",
            Self::Manufacturers => "manufacturers",
        }
    }

    /// One of them, as the beginning of a line.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Boats => "Boat",
            Self::Manufacturers => "Manufacturer",
        }
    }

    /// One of them, for people.
    pub const fn singular(self) -> &'static str {
        match self {
            Self::Boats => "boat",
            Self::Manufacturers => "manufacturer",
        }
    }

    /// The file of their bodies.
    pub(super) const fn bodies(self) -> FileName {
        match self {
            Self::Boats => FileName::BoatBodies,
            Self::Manufacturers => FileName::ManufacturerBodies,
        }
    }

    /// The file with a row for each of them.
    pub(super) const fn table(self) -> FileName {
        match self {
            Self::Boats => FileName::Boats,
            Self::Manufacturers => FileName::Manufacturers,
        }
    }
}
