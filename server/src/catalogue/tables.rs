//! The tables in memory: what they are called, and what is in their columns. Filling them is for
//! [`super::fill`].
//!
//! Boats and manufacturers are held once for each order, so that a page is read from the start
//! instead of sorted. With one table of all ranks, a page of a filter takes twice as long at
//! 100,000 boats (0.6 ms for 0.3), and ten times as long at a million (3 ms). A row's place in such
//! a table is its `rowid`.

use shared::base::units::Unit;
use shared::release::Kind;
use shared::release::reader::Measure;

use crate::params::{BOATS, List, Sort};

/// Categories with ids below this are bits of the column `terms`, from the lowest on.
const CATEGORY_BITS: i64 = 32;
/// Activities with ids below this are the next bits. The sign bit is not used.
const ACTIVITY_BITS: i64 = 31;

/// No files, no network, no extensions, no way to change that, and one thread for each query.
///
/// Without late materialization, a page of a type takes a sixth of the time at 100,000 boats: it
/// would find its few rows by joining them with the whole table.
pub(super) const LOCK_DOWN: &str = "
    SET threads = 1;
    SET disabled_optimizers = 'late_materialization';
    SET enable_external_access = false;
    SET disabled_filesystems = 'LocalFileSystem';
    SET lock_configuration = true;";

/// The table of a list in the order of a sort.
pub(super) fn table(list: Kind, sort: &Sort) -> String {
    format!("{}_by_{}", list.name(), sort.name)
}

/// The table of the words of a list, with a row's places in the sorted tables.
pub(super) const fn words(list: Kind) -> &'static str {
    match list {
        Kind::Boats => "boat_words",
        Kind::Manufacturers => "manufacturer_words",
    }
}

/// The column in the table of words with a row's place in the order of a sort.
pub(super) fn rank(sort: &Sort) -> String {
    format!("{}_rank", sort.name)
}

/// The measures that parameters compare, each once. A column of boats is called like its measure.
pub(super) fn measures() -> Vec<Measure> {
    let parameters = BOATS.parameters.iter();
    let mut measures: Vec<_> = parameters.filter_map(|one| one.role.measure()).collect();
    measures.sort_unstable_by_key(|measure| measure.name);
    measures.dedup_by_key(|measure| measure.name);
    measures
}

/// The statements that create the tables of a list: one for each sort, with these columns besides
/// the ordinal, and one of words, with the ranks.
pub(super) fn create(list: &List, columns: &[(&'static str, &'static str)]) -> String {
    let mut sorted = vec!["ordinal INTEGER".to_owned()];
    for (name, sql_type) in columns {
        sorted.push(format!("{name} {sql_type}"));
    }
    let mut ranked = vec!["word INTEGER".to_owned(), "ordinal INTEGER".to_owned()];
    for sort in list.sorts {
        ranked.push(format!("{} INTEGER", rank(sort)));
    }
    let tables = list
        .sorts
        .iter()
        .map(|sort| (table(list.kind, sort), &sorted));
    let tables = tables.chain([(words(list.kind).to_owned(), &ranked)]);
    let create = tables.map(|(table, columns)| {
        let columns = columns.join(", ");
        format!("CREATE TABLE {table} ({columns});")
    });
    create.collect()
}

/// Terms without a bit are in their own table: a lookup there takes ten times as long, but ids are
/// assigned in the order in which terms appear, so such terms are rare.
pub(super) const CREATE_TERMS: &str = "
    CREATE TABLE boat_categories (term INTEGER, ordinal INTEGER);
    CREATE TABLE boat_activities (term INTEGER, ordinal INTEGER);";

/// The column `unit`.
pub(super) const fn unit(unit: Unit) -> i64 {
    match unit {
        Unit::Metric => 0,
        Unit::Imperial => 1,
    }
}

/// Terms, of which a boat may have several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Terms {
    Categories,
    Activities,
}

impl Terms {
    /// The table of terms without a bit.
    pub(super) const fn table(self) -> &'static str {
        match self {
            Self::Categories => "boat_categories",
            Self::Activities => "boat_activities",
        }
    }

    /// The first of their bits in the column `terms`, and how many there are.
    const fn bits(self) -> (i64, i64) {
        match self {
            Self::Categories => (0, CATEGORY_BITS),
            Self::Activities => (CATEGORY_BITS, ACTIVITY_BITS),
        }
    }

    /// Their bits of the column `terms`, which have far fewer values than all bits together.
    pub(super) fn column(self) -> String {
        let (first, bits) = self.bits();
        let mask = ((1_i64 << bits) - 1) << first;
        format!("terms & {mask}")
    }

    /// The ids of the terms whose bits are set in a value of the column `terms`.
    pub(super) fn ids(self, terms: i64) -> impl Iterator<Item = i64> {
        let (first, bits) = self.bits();
        (0..bits).filter(move |id| terms >> (first + id) & 1 == 1)
    }

    /// The bit of the term with this id in the column `terms`, if it has one; 0 for an unknown id.
    pub(super) const fn bit(self, id: i64) -> Option<i64> {
        let (first, bits) = self.bits();
        match id {
            ..0 => Some(0),
            _ if id < bits => Some(1 << (first + id)),
            _ => None,
        }
    }
}
