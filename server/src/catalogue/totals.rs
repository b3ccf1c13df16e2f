//! How many rows match: counted once by a statement, then remembered as long as the release is
//! served, so that other pages and orders of the same rows need no second count.
//!
//! Without filters the total is known. Nothing here runs a statement.

use quick_cache::Weighter;
use quick_cache::sync::Cache;
use shared::release::reader::Listing;

use super::sql::{ListPlan, Statement};
use crate::base::bounded;
use crate::params::ListKind;

/// Most totals remembered of a release.
pub(super) const ENTRIES_MAX: u64 = 16 * 1024;
/// Most bytes of the statements that are their keys.
const BYTES_MAX: u64 = 8 * 1024 * 1024;

/// The numbers of rows of a release.
#[derive(Debug)]
pub(super) struct Totals {
    boats: u64,
    manufacturers: u64,
    /// By the statement that counts.
    counted: Cache<Statement, u64, StatementWeight>,
}

/// Weighs a total by the bytes of its statement, and by at least its share of [`BYTES_MAX`], which
/// bounds the number of totals too.
#[derive(Clone, Debug)]
struct StatementWeight;

impl Weighter<Statement, u64> for StatementWeight {
    fn weight(&self, statement: &Statement, _total: &u64) -> u64 {
        let bytes = statement.text.len() + size_of_val(statement.values.as_slice());
        u64::try_from(bytes)
            .unwrap_or(u64::MAX)
            .max(BYTES_MAX / ENTRIES_MAX)
    }
}

impl Totals {
    /// No filtered row is counted yet.
    pub(super) fn new(listing: &Listing) -> Self {
        Self {
            boats: listing.boats.len() as u64,
            manufacturers: listing.manufacturers.len() as u64,
            counted: bounded::cache(StatementWeight, ENTRIES_MAX, BYTES_MAX),
        }
    }

    /// The number of rows of `plan`, if known. `count` is its [`ListPlan::total`].
    pub(super) fn known(&self, plan: &ListPlan, count: &Statement) -> Option<u64> {
        if !plan.conditions.is_empty() {
            return self.counted.get(count);
        }
        Some(match plan.list.kind {
            ListKind::Boats => self.boats,
            ListKind::Manufacturers => self.manufacturers,
        })
    }

    /// Remembers the result of `count`.
    pub(super) fn remember(&self, count: Statement, total: u64) {
        self.counted.insert(count, total);
    }
    /// How many totals are remembered.
    #[cfg(test)]
    pub(super) fn len(&self) -> u64 {
        self.counted.len() as u64
    }
}
