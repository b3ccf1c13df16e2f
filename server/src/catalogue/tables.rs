//! The tables in memory: what they are called, and what is in their columns. Filling them is for
//! [`super::fill`].
//!
//! Boats and manufacturers are held once for each order in which they are listed, so that a page
//! is read from its beginning instead of sorted: a fifth of the time of a page of a type, at
//! 100,000 boats, and no longer at a million. A row's place in such a table is its `rowid`.

use shared::base::units::Unit;

pub(super) use crate::params::NOT_ENDED;
use crate::params::Terms;

/// Categories with ids below this are bits of the column `terms`, from the lowest on.
pub(super) const CATEGORY_BITS: i64 = 32;
/// Activities with ids below this are the bits after those. The sign is not used.
pub(super) const ACTIVITY_BITS: i64 = 31;

/// No file, no network, no extension, no way to change that, and each query on the one thread that
/// runs it.
///
/// Without late materialization, a page of a type takes a sixth of the time at 100,000 boats: it
/// looks its few rows up by joining them with the whole table.
pub(super) const LOCK_DOWN: &str = "
    SET threads = 1;
    SET disabled_optimizers = 'late_materialization';
    SET enable_external_access = false;
    SET disabled_filesystems = 'LocalFileSystem';
    SET lock_configuration = true;";

/// Terms that have no bit stand in a table of their own: looking there takes ten times as long, but
/// ids are given in the order in which terms appear, so such terms are rare.
pub(super) const CREATE: &str = "
    CREATE TABLE boats_by_model (ordinal INTEGER, manufacturer INTEGER, type INTEGER,
        first_year SMALLINT, last_year SMALLINT, unit TINYINT, length BIGINT, terms BIGINT);
    CREATE TABLE boats_by_year AS FROM boats_by_model;
    CREATE TABLE boats_by_length AS FROM boats_by_model;
    CREATE TABLE boats_by_manufacturer AS FROM boats_by_model;
    CREATE TABLE boat_words (word INTEGER, ordinal INTEGER, model_rank INTEGER,
        year_rank INTEGER, length_rank INTEGER, manufacturer_rank INTEGER);
    CREATE TABLE boat_categories (term INTEGER, ordinal INTEGER);
    CREATE TABLE boat_activities (term INTEGER, ordinal INTEGER);

    CREATE TABLE manufacturers_by_name (ordinal INTEGER);
    CREATE TABLE manufacturers_by_updated (ordinal INTEGER);
    CREATE TABLE manufacturer_words (word INTEGER, ordinal INTEGER, name_rank INTEGER,
        updated_rank INTEGER);";

/// The column `unit`.
pub(super) const fn unit(unit: Unit) -> i64 {
    match unit {
        Unit::Metric => 0,
        Unit::Imperial => 1,
    }
}

impl Terms {
    /// The table of those that have no bit.
    pub(super) const fn table(self) -> &'static str {
        match self {
            Self::Categories => "boat_categories",
            Self::Activities => "boat_activities",
        }
    }

    /// The bit of the term with this id in the column `terms`, where it has one; no bit at all of an
    /// id that is unknown.
    pub(super) const fn bit(self, id: i64) -> Option<i64> {
        let (first, bits) = match self {
            Self::Categories => (0, CATEGORY_BITS),
            Self::Activities => (CATEGORY_BITS, ACTIVITY_BITS),
        };
        match id {
            ..0 => Some(0),
            _ if id < bits => Some(1 << (first + id)),
            _ => None,
        }
    }
}
