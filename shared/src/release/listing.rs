//! What lists filter and sort by, as integers: rows of boats and manufacturers, and pairs.
//!
//! A column of these rows is named here and nowhere else: `columns!` declares, writes and reads
//! them, and a boat's values come from its record in [`ListedBoat::new`]. A column that is added
//! later has a value for releases that lack it, so that releases which were made before stay
//! readable. A [`Measure`] is a number that filters compare.
//!
//! Reading checks that every ordinal is that of a record, every rank that of exactly one record,
//! and no dictionary id negative, so that users need not.

use arrow::array::ArrayRef;
use parquet::errors::ParquetError;

use super::tables::{Columns, Integer, Name, Table, Value};
use crate::base::model::{BoatSummary, YEAR_MAX, YEAR_MIN};
use crate::base::units::Unit;
use crate::release::throttle::{Throttle, throttled};

/// Values of one column copied in a step, which takes microseconds.
const ROWS_AT_A_STEP: usize = 1024;

/// The dictionary id of a term or a word, and the ordinal of a record that has it.
pub type Pair = (i32, i32);

/// Everything that list queries need.
#[derive(Debug, Default)]
pub struct Listing {
    /// Boats, by ordinal.
    pub boats: Vec<ListedBoat>,
    /// Categories of boats, sorted.
    pub boat_categories: Vec<Pair>,
    /// Activities of boats, sorted.
    pub boat_activities: Vec<Pair>,
    /// Words of boats' models, sorted.
    pub boat_words: Vec<Pair>,
    /// Manufacturers, by ordinal.
    pub manufacturers: Vec<ListedManufacturer>,
    /// Words of manufacturers' names, sorted.
    pub manufacturer_words: Vec<Pair>,
}

/// The columns of a table of such rows.
pub(super) trait Row: Default {
    /// All rows as columns.
    fn to_columns(rows: &[Self]) -> Columns;

    /// All rows of a table.
    fn read(table: &Table<'_>) -> Result<Vec<Self>, ParquetError>;
}

/// Declares a row: each field with the name of its column, and with the value that it has where a
/// release lacks the column: `"cabins" => cabins: i32 = 0`.
macro_rules! columns {
    (
        $(#[$about:meta])*
        $visible:vis struct $row:ident {
            $($(#[$meaning:meta])* $name:literal => $field:ident: $type:ty $(= $absent:expr)?,)*
        }
    ) => {
        $(#[$about])*
        $visible struct $row {
            $($(#[$meaning])* $visible $field: $type,)*
        }

        impl Row for $row {
            fn to_columns(rows: &[Self]) -> Columns {
                vec![$(to_column($name, rows, |row| row.$field)),*]
            }

            fn read(table: &Table<'_>) -> Result<Vec<Self>, ParquetError> {
                let mut rows = Vec::new();
                $(
                    let absent = None $(.or(Some($absent)))?;
                    read_column(table, $name, &mut rows, absent, |row: &mut Self, value| {
                        row.$field = value;
                    })?;
                )*
                Ok(rows)
            }
        }
    };
}

columns! {
    /// The values that a boat is filtered by, and its place in each order.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub struct ListedBoat {
        /// Ordinal of the manufacturer.
        "manufacturer" => manufacturer: i32,
        /// Dictionary id of the type.
        "type" => boat_type: i32,
        /// First year of production.
        "first_year" => first_year: u16,
        /// Last year of production; `None` where it goes on.
        "last_year" => last_year: Option<u16>,
        /// The system that the boat was measured in.
        "unit" => unit: Unit,
        /// Physical length.
        "length" => length: i64,
        /// Place by model.
        "model_rank" => model_rank: i32,
        /// Place by first year.
        "year_rank" => year_rank: i32,
        /// Place by length.
        "length_rank" => length_rank: i32,
        /// Place by manufacturer.
        "manufacturer_rank" => manufacturer_rank: i32,
    }
}

columns! {
    /// A manufacturer's place in each order.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub struct ListedManufacturer {
        /// Place by name.
        "name_rank" => name_rank: i32,
        /// Place by time of the last change.
        "updated_rank" => updated_rank: i32,
    }
}

impl ListedBoat {
    /// The boat's own values. Its manufacturer, type and ranks are known at the end of a release.
    pub(super) fn new(summary: &BoatSummary<'_>) -> Self {
        Self {
            first_year: summary.production.first_year,
            last_year: summary.production.last_year,
            unit: summary.length.unit(),
            length: summary.length.physical(),
            ..Self::default()
        }
    }
}

/// A number of boats that filters compare, as an integer.
#[derive(Clone, Copy, Debug)]
pub struct Measure {
    /// What it is called where it is compared.
    pub name: &'static str,
    /// How many of the integer's digits are decimals: none for years, and
    /// [`METRE_DECIMALS`](crate::base::units::METRE_DECIMALS) for what is measured in metres.
    pub decimals: u32,
    /// That of a boat; `None` where it is not known, so that no filter on it finds the boat.
    pub of: fn(&ListedBoat) -> Option<i64>,
}

impl Measure {
    /// The first year of production.
    pub const FIRST_YEAR: Self = Self {
        name: "first_year",
        decimals: 0,
        of: |boat| Some(boat.first_year.into()),
    };
    /// The last year of production, which is far away where it goes on.
    pub const LAST_YEAR: Self = Self {
        name: "last_year",
        decimals: 0,
        of: |boat| Some(boat.last_year.map_or(NOT_ENDED, i64::from)),
    };
}

/// The last year of a production that has not ended.
const NOT_ENDED: i64 = 32767;

/// A field of a row, which a column holds in its own form.
trait Field: Copy {
    type Stored: Value;

    fn store(self) -> Self::Stored;

    /// `None` where no record has that value.
    fn load(stored: Self::Stored) -> Option<Self>;
}

impl<I: Integer> Field for I {
    type Stored = Self;

    fn store(self) -> Self {
        self
    }

    fn load(stored: Self) -> Option<Self> {
        Some(stored)
    }
}

/// What is not known, or not so, of some records.
impl<F: Field> Field for Option<F>
where
    Option<F::Stored>: Value,
{
    type Stored = Option<F::Stored>;

    fn store(self) -> Option<F::Stored> {
        self.map(F::store)
    }

    fn load(stored: Option<F::Stored>) -> Option<Self> {
        match stored {
            None => Some(None),
            Some(stored) => F::load(stored).map(Some),
        }
    }
}

/// A year.
impl Field for u16 {
    type Stored = i32;

    fn store(self) -> i32 {
        self.into()
    }

    fn load(stored: i32) -> Option<Self> {
        let year = stored.try_into().ok()?;
        (YEAR_MIN..=YEAR_MAX).contains(&year).then_some(year)
    }
}

impl Field for Unit {
    type Stored = i32;

    fn store(self) -> i32 {
        match self {
            Self::Metric => 0,
            Self::Imperial => 1,
        }
    }

    fn load(stored: i32) -> Option<Self> {
        match stored {
            0 => Some(Self::Metric),
            1 => Some(Self::Imperial),
            _ => None,
        }
    }
}

fn to_column<R, F: Field>(
    name: &'static str,
    rows: &[R],
    field: impl Fn(&R) -> F,
) -> (&'static str, ArrayRef) {
    let values = rows.iter().map(|row| field(row).store());
    Name::new(name).column(values.collect())
}

/// Reads one column of all rows, which are made with the first column.
fn read_column<R: Row, F: Field>(
    table: &Table<'_>,
    name: &'static str,
    rows: &mut Vec<R>,
    absent: Option<F>,
    set: impl Fn(&mut R, F),
) -> Result<(), ParquetError> {
    let name = Name::new(name);
    if let Some(absent) = absent
        && !table.has(&name)
    {
        throttled(rows, table.throttle()).for_each(|row| set(row, absent));
        return Ok(());
    }
    let values = table.column(&name)?;
    rows.resize_with(values.len(), R::default);
    for (place, (row, value)) in rows.iter_mut().zip(values).enumerate() {
        if place.is_multiple_of(ROWS_AT_A_STEP) {
            table.throttle().step();
        }
        let value = F::load(value);
        set(
            row,
            value.ok_or_else(|| unsound("a boat has values that no boat has"))?,
        );
    }
    Ok(())
}

/// The column names of a table of pairs of a dictionary id and an ordinal.
pub(super) type PairNames = [Name<i32>; 2];

pub(super) const BOAT_TERMS: PairNames = [Name::new("term"), Name::new("boat")];
pub(super) const BOAT_WORDS: PairNames = [Name::new("word"), Name::new("boat")];
pub(super) const MANUFACTURER_WORDS: PairNames = [Name::new("word"), Name::new("manufacturer")];

pub(super) fn listed_boats(
    table: &Table<'_>,
    makers: usize,
) -> Result<Vec<ListedBoat>, ParquetError> {
    let boats = ListedBoat::read(table)?;
    let is_sound = |boat: &ListedBoat| {
        let has_ended = boat
            .last_year
            .is_none_or(|last_year| boat.first_year <= last_year);
        place(boat.manufacturer) < makers && 0 <= boat.boat_type && has_ended
    };
    if !throttled(&boats, table.throttle()).all(is_sound) {
        return Err(unsound("a boat has values that no boat has"));
    }
    let ranks = throttled(&boats, table.throttle()).map(|boat| {
        let ListedBoat {
            model_rank,
            year_rank,
            length_rank,
            manufacturer_rank,
            ..
        } = *boat;
        [model_rank, year_rank, length_rank, manufacturer_rank]
    });
    check_places(boats.len(), ranks)?;
    Ok(boats)
}

pub(super) fn listed_manufacturers(
    table: &Table<'_>,
) -> Result<Vec<ListedManufacturer>, ParquetError> {
    let makers = ListedManufacturer::read(table)?;
    let ranks = |maker: &ListedManufacturer| [maker.name_rank, maker.updated_rank];
    check_places(
        makers.len(),
        throttled(&makers, table.throttle()).map(ranks),
    )?;
    Ok(makers)
}

pub(super) fn unsound(reason: &str) -> ParquetError {
    ParquetError::General(reason.to_owned())
}

/// As an index; beyond every table if it is negative.
fn place(number: i32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// Whether pairs are sorted, with valid dictionary ids and ordinals below `records`.
pub(super) fn are_sound(pairs: &[Pair], records: usize, throttle: &dyn Throttle) -> bool {
    let mut before = None;
    throttled(pairs, throttle).all(|pair| {
        let is_later = before < Some(pair);
        before = Some(pair);
        is_later && 0 <= pair.0 && place(pair.1) < records
    })
}

/// Checks that the ranks in each order are the places of that many records.
fn check_places<const ORDERS: usize>(
    records: usize,
    ranks: impl Iterator<Item = [i32; ORDERS]>,
) -> Result<(), ParquetError> {
    let mut is_taken = vec![[false; ORDERS]; records];
    for (order, rank) in ranks.flat_map(|ranks| ranks.into_iter().enumerate()) {
        let taken = is_taken.get_mut(place(rank));
        let taken = taken.map(|orders| std::mem::replace(&mut orders[order], true));
        if taken != Some(false) {
            return Err(unsound(
                "in an order, not every record has a place of its own",
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::release::throttle::Unthrottled;
    use crate::release::{FileName, tables};

    #[test]
    fn pairs_are_sorted_and_of_records_that_there_are() {
        let are_sound = |pairs: &[Pair], records| are_sound(pairs, records, &Unthrottled);
        assert!(are_sound(&[], 0));
        assert!(are_sound(&[(0, 1), (0, 2), (1, 0)], 3));
        for (pairs, records) in [
            (&[(0, 2), (0, 1)][..], 3),
            (&[(0, 1), (0, 1)], 2),
            (&[(1, 0), (0, 1)], 2),
            (&[(0, 1), (0, 2)], 2),
            (&[(0, -1)], 2),
            (&[(-1, 0)], 2),
            (&[(0, 0)], 0),
        ] {
            assert!(!are_sound(pairs, records), "{pairs:?} of {records}");
        }
    }

    #[test]
    fn every_record_has_a_place_of_its_own_in_every_order() {
        let check = |ranks: &[[i32; 2]]| check_places(ranks.len(), ranks.iter().copied());
        check(&[]).unwrap();
        check(&[[0, 2], [1, 1], [2, 0]]).unwrap();
        check(&[[0, 1], [1, 1]]).unwrap_err();
        check(&[[0, 0], [2, 1]]).unwrap_err();
        check(&[[0, 0], [1, -1]]).unwrap_err();
    }

    #[test]
    fn a_unit_is_one_of_two() {
        for unit in [Unit::Metric, Unit::Imperial] {
            assert_eq!(Unit::load(unit.store()), Some(unit));
        }
        assert_eq!([Unit::load(2), Unit::load(-1)], [None; 2]);
    }

    columns! {
        /// Rows of which an older version wrote only the first column.
        #[derive(Debug, Default, PartialEq)]
        struct Grown {
            "length" => length: i64,
            "cabins" => cabins: i32 = 7,
            "draft" => draft: Option<i64> = None,
        }
    }

    /// The rows read from a table with these columns.
    fn read(columns: Columns) -> Result<Vec<Grown>, ParquetError> {
        let directory = tempfile::tempdir().unwrap();
        tables::write(directory.path(), FileName::BoatIndex, columns).unwrap();
        let path = directory.path().join(FileName::BoatIndex.as_str());
        let table = Table::new(fs::read(path).unwrap().into(), &Unthrottled)?;
        Grown::read(&table)
    }

    #[test]
    fn a_year_is_one_that_a_boat_may_have() {
        for year in [YEAR_MIN, YEAR_MAX] {
            assert_eq!(u16::load(year.store()), Some(year));
            assert_eq!(Option::<u16>::load(Some(year.store())), Some(Some(year)));
        }
        let beyond = [i32::from(YEAR_MIN) - 1, i32::from(YEAR_MAX) + 1, -1, 70_000];
        assert_eq!(beyond.map(u16::load), [None; 4]);
        assert_eq!(Option::<u16>::load(Some(0)), None);
        assert_eq!(Option::<u16>::load(None), Some(None));
    }

    #[test]
    fn a_column_that_a_release_lacks_has_its_absent_value() {
        let rows = || {
            [(3, 1, Some(2)), (5, 2, None)].map(|(length, cabins, draft)| Grown {
                length,
                cabins,
                draft,
            })
        };
        assert_eq!(read(Grown::to_columns(&rows())).unwrap(), rows());
        let absent = rows().map(|Grown { length, .. }| Grown {
            length,
            cabins: 7,
            draft: None,
        });
        let mut columns = Grown::to_columns(&rows());
        assert_eq!(columns.split_off(1).len(), 2);
        assert_eq!(read(columns).unwrap(), absent);
    }

    #[test]
    fn a_column_that_every_release_has_is_not_missed_in_silence_nor_read_as_another_type() {
        let columns = || Grown::to_columns(&[Grown::default()]);
        read(columns().split_off(1)).unwrap_err();
        let (length, cabins) = (columns().remove(0), columns().remove(1));
        read(vec![("length", cabins.1), ("cabins", length.1)]).unwrap_err();
    }
}
