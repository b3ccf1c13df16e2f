//! Reading everything that list queries need from the tables of a release.

use super::{Listing, Pair, Release};
use crate::release::listing::{
    BOAT_TERMS, BOAT_WORDS, MANUFACTURER_WORDS, PairNames, are_sound, listed_boats,
    listed_manufacturers, unsound,
};
use crate::release::throttle::throttled;
use crate::release::{FileName, ReleaseError};

impl Release {
    /// Everything that list queries need.
    pub fn listing(&self) -> Result<Listing, ReleaseError> {
        let manufacturers = self.table(FileName::ManufacturerIndex, listed_manufacturers)?;
        let makers = manufacturers.len();
        let boats = self.table(FileName::BoatIndex, |table| listed_boats(table, makers))?;
        let of_boats = |file, names| pairs(self, file, names, boats.len());
        Ok(Listing {
            boat_categories: of_boats(FileName::BoatCategories, &BOAT_TERMS)?,
            boat_activities: of_boats(FileName::BoatActivities, &BOAT_TERMS)?,
            boat_words: of_boats(FileName::BoatWords, &BOAT_WORDS)?,
            manufacturer_words: pairs(
                self,
                FileName::ManufacturerWords,
                &MANUFACTURER_WORDS,
                makers,
            )?,
            boats,
            manufacturers,
        })
    }
}

/// A side table, whose second column has ordinals below `records`.
fn pairs(
    release: &Release,
    file: FileName,
    [id, ordinal]: &PairNames,
    records: usize,
) -> Result<Vec<Pair>, ReleaseError> {
    release.table(file, |table| {
        let pairs = table.column(id)?.into_iter().zip(table.column(ordinal)?);
        let pairs: Vec<_> = throttled(pairs, table.throttle()).collect();
        if are_sound(&pairs, records, table.throttle()) {
            return Ok(pairs);
        }
        Err(unsound("its pairs are not sorted, or of no record"))
    })
}
