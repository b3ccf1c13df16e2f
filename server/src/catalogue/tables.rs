//! The tables in memory: what they are called, and what is in their columns. Filling them is for
//! [`super::fill`].
//!
//! Boats and manufacturers are held once for each order in which they are listed, so that a page
//! is read from its beginning instead of sorted: a fifth of the time of a page of a type, at
//! 100,000 boats, and no longer at a million. A row's place in such a table is its `rowid`.

use shared::base::units::Unit;

use crate::params::{BoatSort, ManufacturerSort};

/// Categories with codes below this are bits of the column `terms`, from the lowest on.
pub(super) const CATEGORY_BITS: i64 = 32;
/// Activities with codes below this are the bits after those. The sign is not used.
pub(super) const ACTIVITY_BITS: i64 = 31;

/// The last year of a production that has not ended.
pub(super) const NOT_ENDED: i64 = 32767;

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

/// Whoever has a term that has no bit stands in a table of its own: looking there takes ten times
/// as long, but codes are given in the order in which terms appear, so such terms are rare.
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
