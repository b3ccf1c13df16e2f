//! How many rows match, where that is known without a query: counted once, when the release is
//! opened, by every value that a filter may ask for.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use shared::base::units::Unit;
use shared::release::pace::{Pace, paced};
use shared::release::reader::{ListedBoat, Listing, Pair};

use super::sql::{Condition, ListPlan};
use super::tables::{NOT_ENDED, Sort};

/// The numbers of rows of a release.
#[derive(Debug)]
pub(super) struct Totals {
    manufacturers: Counts,
    boats_of_manufacturer: Counts,
    boats_of_type: Counts,
    boats_of_category: Counts,
    boats_of_activity: Counts,
    first_years: Counts,
    last_years: Counts,
    metric_lengths: Counts,
    imperial_lengths: Counts,
}

impl Totals {
    /// Counts what is listed.
    pub(super) fn of_listing(listing: &Listing, pace: &dyn Pace) -> Self {
        let boats =
            |value: fn(&ListedBoat) -> i64| Counts::new(paced(&listing.boats, pace).map(value));
        let terms = |pairs: &[Pair]| Counts::new(paced(pairs, pace).map(|&(term, _)| term.into()));
        let lengths = |unit| {
            let boats = paced(&listing.boats, pace).filter(move |boat| boat.unit == unit);
            Counts::new(boats.map(|boat| boat.length))
        };
        Self {
            manufacturers: Counts::new(listing.manufacturers.iter().map(|_| 0)),
            boats_of_manufacturer: boats(|boat| boat.manufacturer.into()),
            boats_of_type: boats(|boat| boat.boat_type.into()),
            boats_of_category: terms(&listing.boat_categories),
            boats_of_activity: terms(&listing.boat_activities),
            first_years: boats(|boat| boat.first_year.into()),
            last_years: boats(|boat| boat.last_year.map_or(NOT_ENDED, i64::from)),
            metric_lengths: lengths(Unit::Metric),
            imperial_lengths: lengths(Unit::Imperial),
        }
    }

    /// How many rows `plan` asks for, where a count query is not needed to know.
    pub(super) fn of(&self, plan: &ListPlan) -> Option<u64> {
        Some(match plan.conditions.as_slice() {
            [] => match plan.sort {
                Sort::Boats(_) => self.first_years.all(),
                Sort::Manufacturers(_) => self.manufacturers.all(),
            },
            &[Condition::Manufacturer(code)] => self.boats_of_manufacturer.at(code),
            &[Condition::Type(code)] => self.boats_of_type.at(code),
            &[Condition::Category(code)] => self.boats_of_category.at(code),
            &[Condition::Activity(code)] => self.boats_of_activity.at(code),
            &[Condition::BuiltFrom(from)] => self.last_years.all() - self.last_years.below(from),
            &[Condition::BuiltTo(to)] => self.first_years.up_to(to),
            // No production that is listed ended before it began, so whichever ended before `from` is
            // one of those that began up to `to`.
            &[Condition::BuiltFrom(from), Condition::BuiltTo(to)] if from <= to => {
                self.first_years.up_to(to) - self.last_years.below(from)
            }
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

    fn all(&self) -> u64 {
        self.up_to.last().map_or(0, |&(_, count)| count)
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
