//! All SQL of the server, and the only way to make more of it.
//!
//! Statements are put together from fixed texts; which texts is decided by enums, and every value
//! of a request is an integer that is bound. So no text of a request can reach the database.

use std::path::Path;

use shared::release::FileName;

use crate::params::{BoatSort, ManufacturerSort, Order, Page};

/// A table in memory and the file it is loaded from.
pub(super) struct TableSource {
    /// The file of the release.
    pub(super) file: FileName,
    /// `CREATE TABLE` up to the file.
    create: &'static str,
    /// Columns that give the order of rows: that of the default sort, or of the look-up.
    order: &'static str,
}

/// Every table that lists need.
pub(super) const TABLES: [TableSource; 6] = [
    TableSource {
        file: FileName::Boats,
        create: "CREATE TABLE boats AS SELECT ordinal, manufacturer, type, first_year,
            coalesce(last_year, 32767) AS last_year, unit, length,
            model_rank, year_rank, length_rank, manufacturer_rank",
        order: "model_rank",
    },
    TableSource {
        file: FileName::BoatCategories,
        create: "CREATE TABLE boat_categories AS SELECT term, boat",
        order: "term, boat",
    },
    TableSource {
        file: FileName::BoatActivities,
        create: "CREATE TABLE boat_activities AS SELECT term, boat",
        order: "term, boat",
    },
    TableSource {
        file: FileName::BoatWords,
        create: "CREATE TABLE boat_words AS SELECT word, boat",
        order: "word, boat",
    },
    TableSource {
        file: FileName::Manufacturers,
        create: "CREATE TABLE manufacturers AS SELECT ordinal, name_rank, updated_rank",
        order: "name_rank",
    },
    TableSource {
        file: FileName::ManufacturerWords,
        create: "CREATE TABLE manufacturer_words AS SELECT word, manufacturer",
        order: "word, manufacturer",
    },
];

impl TableSource {
    /// The statement that loads the table from `path`, which is the operator's, not a request's.
    /// `None` for a path that DuckDB cannot be told.
    pub(super) fn load(&self, path: &Path) -> Option<String> {
        let Self { create, order, .. } = self;
        let path = literal(path)?;
        // A directory called `length=5` would replace the column.
        Some(format!(
            "{create} FROM read_parquet({path}, hive_partitioning = false) ORDER BY {order}"
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

/// After loading: no file, no network, no extension, no way to change that, and each query on the
/// one thread that runs it.
pub(super) const LOCK_DOWN: &str = "
    SET threads = 1;
    SET enable_external_access = false;
    SET disabled_filesystems = 'LocalFileSystem';
    SET lock_configuration = true;";

/// One condition on a row, with its values.
pub(super) enum Condition {
    /// The boat's manufacturer has this code.
    Manufacturer(i64),
    /// The boat's type has this code.
    Type(i64),
    /// The boat has the category with this code.
    Category(i64),
    /// The boat has the activity with this code.
    Activity(i64),
    /// The boat was still built in or after this year.
    BuiltFrom(i64),
    /// The boat was first built in or before this year.
    BuiltTo(i64),
    /// The physical length lies within `tolerant`, and, for boats of `exact_unit`, within `exact`.
    Length {
        /// Inclusive bounds for every boat.
        tolerant: (i64, i64),
        /// Code of the unit whose boats compare exactly.
        exact_unit: i64,
        /// Inclusive bounds for those.
        exact: (i64, i64),
    },
    /// Some word of the boat's model has a code within these inclusive bounds.
    BoatWord(i64, i64),
    /// Some word of the manufacturer's name has a code within these inclusive bounds.
    ManufacturerWord(i64, i64),
}

impl Condition {
    const fn text(&self) -> &'static str {
        match self {
            Self::Manufacturer(_) => "manufacturer = ?",
            Self::Type(_) => "type = ?",
            Self::Category(_) => "ordinal IN (SELECT boat FROM boat_categories WHERE term = ?)",
            Self::Activity(_) => "ordinal IN (SELECT boat FROM boat_activities WHERE term = ?)",
            Self::BuiltFrom(_) => "? <= last_year",
            Self::BuiltTo(_) => "first_year <= ?",
            Self::Length { .. } => {
                "length BETWEEN ? AND ? AND (unit <> ? OR length BETWEEN ? AND ?)"
            }
            Self::BoatWord(..) => {
                "ordinal IN (SELECT boat FROM boat_words WHERE word BETWEEN ? AND ?)"
            }
            Self::ManufacturerWord(..) => {
                "ordinal IN (SELECT manufacturer FROM manufacturer_words WHERE word BETWEEN ? AND ?)"
            }
        }
    }

    fn push_values(&self, values: &mut Vec<i64>) {
        match *self {
            Self::Manufacturer(value)
            | Self::Type(value)
            | Self::Category(value)
            | Self::Activity(value)
            | Self::BuiltFrom(value)
            | Self::BuiltTo(value) => values.push(value),
            Self::BoatWord(low, high) | Self::ManufacturerWord(low, high) => {
                values.extend([low, high]);
            }
            Self::Length {
                tolerant,
                exact_unit,
                exact,
            } => {
                values.extend([tolerant.0, tolerant.1, exact_unit, exact.0, exact.1]);
            }
        }
    }
}

/// What a list is ordered by: always a unique rank.
#[derive(Clone, Copy)]
pub(super) enum Sort {
    /// A sort of boats.
    Boats(BoatSort),
    /// A sort of manufacturers.
    Manufacturers(ManufacturerSort),
}

impl Sort {
    const fn table(self) -> &'static str {
        match self {
            Self::Boats(_) => "boats",
            Self::Manufacturers(_) => "manufacturers",
        }
    }

    const fn rank(self) -> &'static str {
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

/// A list query: which rows, in which order.
pub(super) struct Question {
    /// What every row must satisfy.
    pub(super) conditions: Vec<Condition>,
    /// The order.
    pub(super) sort: Sort,
    /// Its direction.
    pub(super) order: Order,
}

/// A statement and the values to bind, in order.
pub(super) struct Statement {
    /// Fixed texts only.
    pub(super) text: String,
    /// One value a placeholder.
    pub(super) values: Vec<i64>,
}

impl Question {
    /// How many rows there are, past the last page too.
    pub(super) fn total(&self) -> Statement {
        let (filter, values) = self.filter();
        Statement {
            text: format!("SELECT count(*) FROM {}{filter}", self.sort.table()),
            values,
        }
    }

    /// The ordinals of the rows of one page, in order.
    pub(super) fn page(&self, page: Page) -> Statement {
        let (filter, mut values) = self.filter();
        values.extend([
            i64::from(page.limit),
            i64::try_from(page.offset).unwrap_or(i64::MAX),
        ]);
        let (table, rank) = (self.sort.table(), self.sort.rank());
        let direction = match self.order {
            Order::Asc => "ASC",
            Order::Desc => "DESC",
        };
        let text = format!(
            "SELECT ordinal FROM {table}{filter} ORDER BY {rank} {direction} LIMIT ? OFFSET ?"
        );
        Statement { text, values }
    }

    fn filter(&self) -> (String, Vec<i64>) {
        let (mut text, mut values) = (String::new(), Vec::new());
        for condition in &self.conditions {
            text.push_str(if text.is_empty() { " WHERE " } else { " AND " });
            text.push_str(condition.text());
            condition.push_values(&mut values);
        }
        (text, values)
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
