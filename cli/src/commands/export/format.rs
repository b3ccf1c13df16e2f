//! The formats of an export, recognised by file name extension.

use std::path::Path;

use import::finding::Kind;

/// The kinds of records with files of lines in a folder, in the order of their files.
pub(super) const LINE_KINDS: [Kind; 5] = Kind::ALL;
/// The kinds of records with tables in a folder, in the order of their files.
const TABLE_KINDS: [Kind; 2] = [Kind::Manufacturer, Kind::Boat];

/// How an export is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Native records, which an import reads.
    Ndjson(Packing),
    /// Records as in responses, in columns.
    Table(TableFormat),
}

/// The formats of tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableFormat {
    /// Parquet, with nested columns.
    Parquet,
    /// CSV, flat.
    Csv,
}

/// How lines are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    /// Not at all.
    Plain,
    /// With gzip.
    Gzip,
    /// With Zstandard.
    Zstandard,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 5] = [
        Self::Ndjson(Packing::Plain),
        Self::Ndjson(Packing::Gzip),
        Self::Ndjson(Packing::Zstandard),
        Self::Table(TableFormat::Parquet),
        Self::Table(TableFormat::Csv),
    ];

    /// Its file name extension, which is also its name.
    pub const fn ending(self) -> &'static str {
        match self {
            Self::Ndjson(Packing::Plain) => "ndjson",
            Self::Ndjson(Packing::Gzip) => "ndjson.gz",
            Self::Ndjson(Packing::Zstandard) => "ndjson.zst",
            Self::Table(TableFormat::Parquet) => "parquet",
            Self::Table(TableFormat::Csv) => "csv",
        }
    }

    /// The format of a file with that name.
    pub(super) fn of_file(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?;
        let name = name.replacen(".jsonl", ".ndjson", 1);
        let ends_so = |format: &Self| {
            let before = name.strip_suffix(format.ending());
            before.is_some_and(|before| before.ends_with('.'))
        };
        Self::ALL.into_iter().find(ends_so)
    }

    /// The kinds of records that a folder has files of.
    pub(super) const fn kinds(self) -> &'static [Kind] {
        match self {
            Self::Ndjson(_) => &LINE_KINDS,
            Self::Table(_) => &TABLE_KINDS,
        }
    }

    /// Whether people can read it at a terminal.
    pub(super) const fn is_text(self) -> bool {
        matches!(
            self,
            Self::Ndjson(Packing::Plain) | Self::Table(TableFormat::Csv)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_of_the_format_that_its_name_ends_with() {
        let (plain, gzip) = (
            Format::Ndjson(Packing::Plain),
            Format::Ndjson(Packing::Gzip),
        );
        for (name, expected) in [
            ("a/catalogue.ndjson", Some(plain)),
            ("a.b.jsonl", Some(plain)),
            ("catalogue.ndjson.gz", Some(gzip)),
            ("catalogue.jsonl.gz", Some(gzip)),
            (
                "catalogue.ndjson.zst",
                Some(Format::Ndjson(Packing::Zstandard)),
            ),
            ("boats.parquet", Some(Format::Table(TableFormat::Parquet))),
            ("boats.csv", Some(Format::Table(TableFormat::Csv))),
            ("boats.csv.gz", None),
            ("ndjson", None),
            ("catalogue.gz", None),
            ("catalogue.json", None),
            ("catalogue.NDJSON", None),
            ("catalogue", None),
            ("catalogue.ndjson.bz2", None),
            ("..", None),
        ] {
            assert_eq!(Format::of_file(Path::new(name)), expected, "{name}");
        }
    }
}
