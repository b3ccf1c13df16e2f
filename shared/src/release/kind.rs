//! The two kinds of record, their names for people, and where a release has them.

use super::manifest::FileName;

/// A file with all records of a kind, for consumers who want them at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WholeFile {
    /// One record a line, in the order of ids: the value of `data` in its body.
    Lines,
    /// The same lines in Zstandard.
    LinesZstd,
    /// The same lines in gzip.
    LinesGzip,
    /// A Parquet file with a column for each field, in the same order.
    Columns,
}

impl WholeFile {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Lines, Self::LinesZstd, Self::LinesGzip, Self::Columns];
}

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

    /// The file with all of them.
    pub const fn whole(self, file: WholeFile) -> FileName {
        match (self, file) {
            (Self::Boats, WholeFile::Lines) => FileName::BoatLines,
            (Self::Boats, WholeFile::LinesZstd) => FileName::BoatLinesZstd,
            (Self::Boats, WholeFile::LinesGzip) => FileName::BoatLinesGzip,
            (Self::Boats, WholeFile::Columns) => FileName::BoatColumns,
            (Self::Manufacturers, WholeFile::Lines) => FileName::ManufacturerLines,
            (Self::Manufacturers, WholeFile::LinesZstd) => FileName::ManufacturerLinesZstd,
            (Self::Manufacturers, WholeFile::LinesGzip) => FileName::ManufacturerLinesGzip,
            (Self::Manufacturers, WholeFile::Columns) => FileName::ManufacturerColumns,
        }
    }

    /// The file of their lines, from which bodies are made.
    pub(super) const fn lines(self) -> FileName {
        self.whole(WholeFile::Lines)
    }

    /// The file with a row for each of them.
    pub(super) const fn index(self) -> FileName {
        match self {
            Self::Boats => FileName::BoatIndex,
            Self::Manufacturers => FileName::ManufacturerIndex,
        }
    }
}
