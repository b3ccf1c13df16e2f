//! The tables in memory: their names, and how they are loaded from the files of a release.
//!
//! Boats and manufacturers are held once for each order in which they are listed, so that a page
//! is read from its beginning instead of sorted: a fifth of the time of a page of a type, at
//! 100,000 boats, and no longer at a million. A row's place in such a table is its `rowid`.

use std::path::Path;

use shared::release::FileName;

use crate::params::{BoatSort, ManufacturerSort};

/// A file of the release, and the view through which the script reads it.
pub(super) struct Source {
    /// The file of the release.
    pub(super) file: FileName,
    view: &'static str,
}

/// Every file that lists need.
pub(super) const SOURCES: [Source; 6] = [
    Source {
        file: FileName::Boats,
        view: "boats_file",
    },
    Source {
        file: FileName::BoatCategories,
        view: "boat_categories_file",
    },
    Source {
        file: FileName::BoatActivities,
        view: "boat_activities_file",
    },
    Source {
        file: FileName::BoatWords,
        view: "boat_words_file",
    },
    Source {
        file: FileName::Manufacturers,
        view: "manufacturers_file",
    },
    Source {
        file: FileName::ManufacturerWords,
        view: "manufacturer_words_file",
    },
];

impl Source {
    /// The statement that makes the view of `path`, which is the operator's, not a request's.
    /// `None` for a path that DuckDB cannot be told.
    pub(super) fn open(&self, path: &Path) -> Option<String> {
        let (view, path) = (self.view, literal(path)?);
        // A directory called `length=5` would replace the column.
        Some(format!(
            "CREATE TEMP VIEW {view} AS FROM read_parquet({path}, hive_partitioning = false)"
        ))
    }
}

/// A path as a text that names this one file. DuckDB takes a path for a pattern, in which a set
/// of one character stands for itself, and for which a backslash separates directories.
fn literal(path: &Path) -> Option<String> {
    // Below `.`, a relative path cannot be taken for a URL or for one of a home directory.
    let path = Path::new(".").join(path);
    let mut literal = "'".to_owned();
    for character in path.to_str()?.chars() {
        match character {
            '\\' => return None,
            '\'' => literal.push_str("''"),
            '*' | '?' | '[' => literal.extend(['[', character, ']']),
            plain => literal.push(plain),
        }
    }
    literal.push('\'');
    Some(literal)
}

/// Categories with codes below this, which [`LOAD`] repeats, are bits of the column `terms`, from the lowest on.
pub(super) const CATEGORY_BITS: i64 = 32;
/// Activities with codes below this, which [`LOAD`] repeats, are the bits after those. The sign is not used.
pub(super) const ACTIVITY_BITS: i64 = 31;

/// Fills the tables. Whoever has a term that has no bit stands in a table of its own: looking
/// there takes ten times as long, but codes are given in the order in which terms appear, so such
/// terms are rare.
///
/// The year 32767 stands for a production that has not ended.
pub(super) const LOAD: &str = "
    CREATE TEMP TABLE boat_terms AS SELECT boat, bit_or(term) AS terms FROM (
        SELECT boat, 1::BIGINT << term AS term FROM boat_categories_file WHERE term < 32
        UNION ALL
        SELECT boat, 1::BIGINT << (32 + term) FROM boat_activities_file WHERE term < 31
    ) GROUP BY boat;
    CREATE TABLE boats_by_model AS SELECT ordinal, manufacturer, type,
        first_year::SMALLINT AS first_year, coalesce(last_year, 32767)::SMALLINT AS last_year,
        unit::TINYINT AS unit, length, coalesce(terms, 0) AS terms,
        model_rank, year_rank, length_rank, manufacturer_rank
        FROM boats_file LEFT JOIN boat_terms ON boat = ordinal ORDER BY model_rank;
    DROP TABLE boat_terms;
    CREATE TABLE boats_by_year AS SELECT ordinal, manufacturer, type, first_year, last_year,
        unit, length, terms FROM boats_by_model ORDER BY year_rank;
    CREATE TABLE boats_by_length AS SELECT ordinal, manufacturer, type, first_year, last_year,
        unit, length, terms FROM boats_by_model ORDER BY length_rank;
    CREATE TABLE boats_by_manufacturer AS SELECT ordinal, manufacturer, type, first_year,
        last_year, unit, length, terms FROM boats_by_model ORDER BY manufacturer_rank;
    CREATE TABLE boat_words AS SELECT word, ordinal,
        model_rank, year_rank, length_rank, manufacturer_rank
        FROM boat_words_file JOIN boats_by_model ON boat = ordinal ORDER BY word, ordinal;

    CREATE TABLE boat_categories AS SELECT term, boat AS ordinal
        FROM boat_categories_file WHERE 32 <= term ORDER BY term, boat;
    CREATE TABLE boat_activities AS SELECT term, boat AS ordinal
        FROM boat_activities_file WHERE 31 <= term ORDER BY term, boat;

    CREATE TABLE manufacturers_by_name AS SELECT ordinal FROM manufacturers_file
        ORDER BY name_rank;
    CREATE TABLE manufacturers_by_updated AS SELECT ordinal FROM manufacturers_file
        ORDER BY updated_rank;
    CREATE TABLE manufacturer_words AS SELECT word, ordinal, name_rank, updated_rank
        FROM manufacturer_words_file JOIN manufacturers_file ON manufacturer = ordinal
        ORDER BY word, ordinal;";

/// After loading: no file, no network, no extension, no way to change that, and each query on the
/// one thread that runs it.
///
/// Without late materialization, a page of a type takes a sixth of the time at 100,000 boats: it
/// looks its few rows up by joining them with the whole table.
pub(super) const LOCK_DOWN: &str = "
    DROP VIEW boats_file;
    DROP VIEW boat_categories_file;
    DROP VIEW boat_activities_file;
    DROP VIEW boat_words_file;
    DROP VIEW manufacturers_file;
    DROP VIEW manufacturer_words_file;
    SET threads = 1;
    SET disabled_optimizers = 'late_materialization';
    SET enable_external_access = false;
    SET disabled_filesystems = 'LocalFileSystem';
    SET lock_configuration = true;";

/// What a list is ordered by: always a unique rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    /// A sort of boats.
    Boats(BoatSort),
    /// A sort of manufacturers.
    Manufacturers(ManufacturerSort),
}

impl Sort {
    /// The table in this order.
    pub(super) const fn table(self) -> &'static str {
        match self {
            Self::Boats(BoatSort::Model) => "boats_by_model",
            Self::Boats(BoatSort::Year) => "boats_by_year",
            Self::Boats(BoatSort::Length) => "boats_by_length",
            Self::Boats(BoatSort::Manufacturer) => "boats_by_manufacturer",
            Self::Manufacturers(ManufacturerSort::Name) => "manufacturers_by_name",
            Self::Manufacturers(ManufacturerSort::UpdatedAt) => "manufacturers_by_updated",
        }
    }

    /// The table of words.
    pub(super) const fn words(self) -> &'static str {
        match self {
            Self::Boats(_) => "boat_words",
            Self::Manufacturers(_) => "manufacturer_words",
        }
    }

    /// The column of [`Self::words`] with a row's place in [`Self::table`].
    pub(super) const fn rank(self) -> &'static str {
        match self {
            Self::Boats(BoatSort::Model) => "model_rank",
            Self::Boats(BoatSort::Year) => "year_rank",
            Self::Boats(BoatSort::Length) => "length_rank",
            Self::Boats(BoatSort::Manufacturer) => "manufacturer_rank",
            Self::Manufacturers(ManufacturerSort::Name) => "name_rank",
            Self::Manufacturers(ManufacturerSort::UpdatedAt) => "updated_rank",
        }
    }
}

/// What is counted when a release is opened: numbers of rows by an integer.
#[derive(Clone, Copy, Debug)]
pub(super) enum Counted {
    /// All manufacturers, by 0.
    Manufacturers,
    /// Boats by their manufacturer.
    BoatsOfManufacturer,
    /// Boats by their type.
    BoatsOfType,
    /// Boats by each of their categories.
    BoatsOfCategory,
    /// Boats by each of their activities.
    BoatsOfActivity,
    /// Boats by their first year.
    FirstYears,
    /// Boats by their last year.
    LastYears,
    /// Metric boats by their physical length.
    MetricLengths,
    /// Imperial boats by their physical length.
    ImperialLengths,
}

impl Counted {
    /// A statement for pairs of an integer and a number, in the order of the integers.
    pub(super) const fn text(self) -> &'static str {
        match self {
            Self::Manufacturers => "SELECT 0, count(*) FROM manufacturers_by_name",
            Self::BoatsOfManufacturer => {
                "SELECT manufacturer, count(*) FROM boats_by_model GROUP BY ALL ORDER BY ALL"
            }
            Self::BoatsOfType => {
                "SELECT type, count(*) FROM boats_by_model GROUP BY ALL ORDER BY ALL"
            }
            Self::BoatsOfCategory => {
                "SELECT term, count(*) FROM boat_categories_file GROUP BY ALL ORDER BY ALL"
            }
            Self::BoatsOfActivity => {
                "SELECT term, count(*) FROM boat_activities_file GROUP BY ALL ORDER BY ALL"
            }
            Self::FirstYears => {
                "SELECT first_year, count(*) FROM boats_by_model GROUP BY ALL ORDER BY ALL"
            }
            Self::LastYears => {
                "SELECT last_year, count(*) FROM boats_by_model GROUP BY ALL ORDER BY ALL"
            }
            Self::MetricLengths => {
                "SELECT length, count(*) FROM boats_by_length WHERE unit = 0 GROUP BY ALL ORDER BY ALL"
            }
            Self::ImperialLengths => {
                "SELECT length, count(*) FROM boats_by_length WHERE unit = 1 GROUP BY ALL ORDER BY ALL"
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    use super::*;

    #[test]
    fn a_path_names_one_file_or_nothing() {
        let table: [(&[u8], Option<&str>); 7] = [
            (b"/data/boats.parquet", Some("'/data/boats.parquet'")),
            (b"data/boats.parquet", Some("'./data/boats.parquet'")),
            (b"s3://data", Some("'./s3://data'")),
            (b"/a[b]*?'c", Some("'/a[[]b][*][?]''c'")),
            ("/båt".as_bytes(), Some("'/båt'")),
            (b"/a\\b", None),
            (b"/a\xffb", None),
        ];
        for (path, expected) in table {
            let found = literal(Path::new(OsStr::from_bytes(path)));
            assert_eq!(found.as_deref(), expected, "{}", path.escape_ascii());
        }
    }
}
