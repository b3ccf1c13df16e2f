//! What lists filter and sort by, as integers.
//!
//! Every ordinal is one of a record, every rank is the place of one record, and no code is
//! negative: that is checked here, so that whoever uses them need not doubt it.

use parquet::errors::ParquetError;

use super::Release;
use crate::base::units::Unit;
use crate::release::pace::{Pace, paced};
use crate::release::tables::Table;
use crate::release::{FileName, ReleaseError};

/// A code of a term or a word, and the ordinal of a record that has it.
pub type Pair = (i32, i32);

/// Everything that lists are asked by.
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

/// What a boat is filtered by, and its place in each order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedBoat {
    /// Ordinal of the manufacturer.
    pub manufacturer: i32,
    /// Code of the type.
    pub boat_type: i32,
    /// First year of production.
    pub first_year: i16,
    /// Last year of production; `None` where it goes on.
    pub last_year: Option<i16>,
    /// The system that the boat was measured in.
    pub unit: Unit,
    /// Physical length.
    pub length: i64,
    /// Place by model.
    pub model_rank: i32,
    /// Place by first year.
    pub year_rank: i32,
    /// Place by length.
    pub length_rank: i32,
    /// Place by manufacturer.
    pub manufacturer_rank: i32,
}

/// A manufacturer's place in each order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedManufacturer {
    /// Place by name.
    pub name_rank: i32,
    /// Place by time of the last change.
    pub updated_rank: i32,
}

impl Release {
    /// Everything that lists are asked by.
    pub fn listing(&self) -> Result<Listing, ReleaseError> {
        let manufacturers = self.table(FileName::Manufacturers, listed_manufacturers)?;
        let makers = manufacturers.len();
        let boats = self.table(FileName::Boats, |table| listed_boats(table, makers))?;
        let of_boats = |name, code| self.pairs(name, [code, "boat"], boats.len());
        Ok(Listing {
            boat_categories: of_boats(FileName::BoatCategories, "term")?,
            boat_activities: of_boats(FileName::BoatActivities, "term")?,
            boat_words: of_boats(FileName::BoatWords, "word")?,
            manufacturer_words: self.pairs(
                FileName::ManufacturerWords,
                ["word", "manufacturer"],
                makers,
            )?,
            boats,
            manufacturers,
        })
    }

    /// A side table, whose second column has ordinals below `records`.
    fn pairs(
        &self,
        name: FileName,
        [code, ordinal]: [&str; 2],
        records: usize,
    ) -> Result<Vec<Pair>, ReleaseError> {
        self.table(name, |table| {
            let pairs = table.int32(code)?.into_iter().zip(table.int32(ordinal)?);
            let pairs: Vec<_> = paced(pairs, table.pace()).collect();
            if are_sound(&pairs, records, table.pace()) {
                return Ok(pairs);
            }
            Err(unsound("its pairs are not sorted, or of no record"))
        })
    }
}

fn listed_boats(table: &Table<'_>, makers: usize) -> Result<Vec<ListedBoat>, ParquetError> {
    let manufacturer = table.int32("manufacturer")?;
    let boat_type = table.int32("type")?;
    let first_year = table.int32("first_year")?;
    let last_year = table.optional_int32("last_year")?;
    let unit = table.int32("unit")?;
    let length = table.int64("length")?;
    let model_rank = table.int32("model_rank")?;
    let year_rank = table.int32("year_rank")?;
    let length_rank = table.int32("length_rank")?;
    let manufacturer_rank = table.int32("manufacturer_rank")?;
    let boat = |boat: usize| {
        let is_made = place(manufacturer[boat]) < makers && 0 <= boat_type[boat];
        let has_ended = last_year[boat].is_none_or(|last_year| first_year[boat] <= last_year);
        (is_made && has_ended).then_some(ListedBoat {
            manufacturer: manufacturer[boat],
            boat_type: boat_type[boat],
            first_year: first_year[boat].try_into().ok()?,
            last_year: last_year[boat].map(i16::try_from).transpose().ok()?,
            unit: unit_of(unit[boat])?,
            length: length[boat],
            model_rank: model_rank[boat],
            year_rank: year_rank[boat],
            length_rank: length_rank[boat],
            manufacturer_rank: manufacturer_rank[boat],
        })
    };
    let mut boats = Vec::with_capacity(manufacturer.len());
    for listed in paced(0..manufacturer.len(), table.pace()).map(boat) {
        boats.push(listed.ok_or_else(|| unsound("a boat has values that no boat has"))?);
    }
    let ranks = paced(&boats, table.pace()).map(|boat| {
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

fn listed_manufacturers(table: &Table<'_>) -> Result<Vec<ListedManufacturer>, ParquetError> {
    let by_name = table.int32("name_rank")?;
    let ranks = by_name.into_iter().zip(table.int32("updated_rank")?);
    let listed = ranks.map(|(name_rank, updated_rank)| ListedManufacturer {
        name_rank,
        updated_rank,
    });
    let makers: Vec<_> = paced(listed, table.pace()).collect();
    let ranks = |maker: &ListedManufacturer| [maker.name_rank, maker.updated_rank];
    check_places(makers.len(), paced(&makers, table.pace()).map(ranks))?;
    Ok(makers)
}

fn unsound(reason: &str) -> ParquetError {
    ParquetError::General(reason.to_owned())
}

fn unit_of(number: i32) -> Option<Unit> {
    match number {
        0 => Some(Unit::Metric),
        1 => Some(Unit::Imperial),
        _ => None,
    }
}

/// As an index; beyond every table where it is negative.
fn place(number: i32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// Whether pairs are sorted, and each is of a code and of one of so many records.
fn are_sound(pairs: &[Pair], records: usize, pace: &dyn Pace) -> bool {
    let mut before = None;
    paced(pairs, pace).all(|pair| {
        let is_later = before < Some(pair);
        before = Some(pair);
        is_later && 0 <= pair.0 && place(pair.1) < records
    })
}

/// Checks that ranks are, in each of the orders, the places of so many records.
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
    use super::*;
    use crate::release::pace::AtOnce;

    #[test]
    fn pairs_are_sorted_and_of_records_that_there_are() {
        let are_sound = |pairs: &[Pair], records| are_sound(pairs, records, &AtOnce);
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
        assert_eq!(unit_of(0), Some(Unit::Metric));
        assert_eq!(unit_of(1), Some(Unit::Imperial));
        assert_eq!([unit_of(2), unit_of(-1)], [None; 2]);
    }
}
