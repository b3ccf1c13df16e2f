//! How many rows match, where that is known without a query: counted once, when the release is
//! opened, by every value that a filter may ask for.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use shared::base::units::Unit;
use shared::release::pace::{Pace, paced};
use shared::release::reader::{Listing, Pair};

use super::sql::{Condition, ListPlan};
use crate::params::{BOATS, Column, FIRST_YEAR, LAST_YEAR, ListKind, Terms};

/// The numbers of rows of a release.
#[derive(Debug)]
pub(super) struct Totals {
    boats: u64,
    manufacturers: u64,
    /// Boats by each column that a filter compares.
    columns: Vec<(&'static str, Counts)>,
    categories: Counts,
    activities: Counts,
    metric_lengths: Counts,
    imperial_lengths: Counts,
}

impl Totals {
    /// Counts what is listed.
    pub(super) fn of_listing(listing: &Listing, pace: &dyn Pace) -> Self {
        let terms = |pairs: &[Pair]| Counts::new(paced(pairs, pace).map(|&(term, _)| term.into()));
        let lengths = |unit| {
            let boats = paced(&listing.boats, pace).filter(move |boat| boat.unit == unit);
            Counts::new(boats.map(|boat| boat.length))
        };
        let columns = columns().into_iter();
        Self {
            boats: listing.boats.len() as u64,
            manufacturers: listing.manufacturers.len() as u64,
            columns: columns
                .map(|column| {
                    let values = paced(&listing.boats, pace).map(column.of);
                    (column.name, Counts::new(values))
                })
                .collect(),
            categories: terms(&listing.boat_categories),
            activities: terms(&listing.boat_activities),
            metric_lengths: lengths(Unit::Metric),
            imperial_lengths: lengths(Unit::Imperial),
        }
    }

    /// How many rows `plan` asks for, where a count query is not needed to know.
    pub(super) fn of(&self, plan: &ListPlan) -> Option<u64> {
        Some(match plan.conditions.as_slice() {
            [] => match plan.list.kind {
                ListKind::Boats => self.boats,
                ListKind::Manufacturers => self.manufacturers,
            },
            [Condition::Equals(column, value)] => self.by(*column)?.at(*value),
            [Condition::AtLeast(column, from)] => self.boats - self.by(*column)?.below(*from),
            [Condition::AtMost(column, to)] => self.by(*column)?.up_to(*to),
            // No production that is listed ended before it began, so whichever ended before `from` is
            // one of those that began up to `to`.
            [Condition::AtLeast(low, from), Condition::AtMost(high, to)]
                if (low.name, high.name) == (LAST_YEAR.name, FIRST_YEAR.name) && from <= to =>
            {
                self.by(*high)?.up_to(*to) - self.by(*low)?.below(*from)
            }
            [Condition::Has(Terms::Categories, id)] => self.categories.at(*id),
            [Condition::Has(Terms::Activities, id)] => self.activities.at(*id),
            [Condition::Length(ranges)] => {
                let (exact, tolerant) = match ranges.exact_system {
                    Unit::Metric => (&self.metric_lengths, &self.imperial_lengths),
                    Unit::Imperial => (&self.imperial_lengths, &self.metric_lengths),
                };
                exact.within(&ranges.exact) + tolerant.within(&ranges.tolerant)
            }
            _ => return None,
        })
    }

    fn by(&self, column: Column) -> Option<&Counts> {
        let found = self.columns.iter().find(|(name, _)| *name == column.name);
        found.map(|(_, counts)| counts)
    }
}

/// The columns that filters compare, each once.
pub(super) fn columns() -> Vec<Column> {
    let parameters = BOATS.parameters.iter();
    let mut columns: Vec<_> = parameters.filter_map(|one| one.kind.column()).collect();
    columns.sort_unstable_by_key(|column| column.name);
    columns.dedup_by_key(|column| column.name);
    columns
}

/// Numbers of rows by an integer.
#[derive(Debug)]
struct Counts {
    /// Sorted: a value, and how many rows have it or a lower one.
    up_to: Vec<(i64, u64)>,
}

impl Counts {
    fn new(values: impl Iterator<Item = i64>) -> Self {
        let mut counts = BTreeMap::new();
        for value in values {
            *counts.entry(value).or_insert(0) += 1;
        }
        let mut all = 0;
        let up_to = counts.into_iter().map(|(value, count)| {
            all += count;
            (value, all)
        });
        Self {
            up_to: up_to.collect(),
        }
    }

    fn below(&self, value: i64) -> u64 {
        let place = self.up_to.partition_point(|&(other, _)| other < value);
        place.checked_sub(1).map_or(0, |last| self.up_to[last].1)
    }

    fn up_to(&self, value: i64) -> u64 {
        self.below(value.saturating_add(1))
    }

    fn at(&self, value: i64) -> u64 {
        self.within(&(value..=value))
    }

    fn within(&self, range: &RangeInclusive<i64>) -> u64 {
        self.up_to(*range.end())
            .saturating_sub(self.below(*range.start()))
    }
}
