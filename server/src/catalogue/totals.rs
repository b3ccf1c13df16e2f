//! How many rows match: counted once by a statement, then remembered as long as the release is
//! served, so that other pages and orders of the same rows need no second count.
//!
//! Without filters the total is known. Nothing here runs a statement.

use shared::release::Kind;
use shared::release::reader::Listing;

use super::sql::{ListPlan, Statement};
use crate::base::weighted_cache::{Bounds, WeightedCache};

/// Most totals remembered of a release, and most bytes of the statements that are their keys.
pub(super) const BOUNDS: Bounds = Bounds {
    entries: 16 * 1024,
    bytes: 8 * 1024 * 1024,
};

/// The numbers of rows of a release.
#[derive(Debug)]
pub(super) struct Totals {
    boats: u64,
    manufacturers: u64,
    /// By the statement that counts.
    counted: WeightedCache<Statement, u64>,
}

impl Totals {
    /// No filtered row is counted yet.
    pub(super) fn new(listing: &Listing) -> Self {
        let bytes_of = |statement: &Statement, _total: &u64| {
            statement.text.len() + size_of_val(statement.values.as_slice())
        };
        Self {
            boats: listing.boats.len() as u64,
            manufacturers: listing.manufacturers.len() as u64,
            counted: WeightedCache::new(BOUNDS, bytes_of),
        }
    }

    /// The number of rows of `plan`, if known. `count` is its [`ListPlan::total`].
    pub(super) fn known(&self, plan: &ListPlan, count: &Statement) -> Option<u64> {
        if !plan.conditions.is_empty() {
            return self.counted.get(count);
        }
        Some(match plan.list.kind {
            Kind::Boats => self.boats,
            Kind::Manufacturers => self.manufacturers,
        })
    }

    /// Remembers the result of `count`.
    pub(super) fn remember(&self, count: Statement, total: u64) {
        self.counted.insert(count, total);
    }

    /// How many totals are remembered.
    #[cfg(test)]
    pub(super) fn len(&self) -> u64 {
        self.counted.figures().entries
    }
}
