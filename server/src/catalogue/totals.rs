//! How many rows match, where that is known without a query: counted once, when the release is
//! opened, by every value that a filter may ask for.

use std::ops::RangeInclusive;

use duckdb::Connection;
use shared::units::Unit;

use super::sql::{Condition, Question};
use super::tables::{Counted, Sort};

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
    /// Counts the rows of the loaded tables, while the files can still be read.
    pub(super) fn count(connection: &Connection) -> duckdb::Result<Self> {
        let count = |what| Counts::read(connection, what);
        Ok(Self {
            manufacturers: count(Counted::Manufacturers)?,
            boats_of_manufacturer: count(Counted::BoatsOfManufacturer)?,
            boats_of_type: count(Counted::BoatsOfType)?,
            boats_of_category: count(Counted::BoatsOfCategory)?,
            boats_of_activity: count(Counted::BoatsOfActivity)?,
            first_years: count(Counted::FirstYears)?,
            last_years: count(Counted::LastYears)?,
            metric_lengths: count(Counted::MetricLengths)?,
            imperial_lengths: count(Counted::ImperialLengths)?,
        })
    }

    /// How many rows `question` asks for, where a count query is not needed to know.
    pub(super) fn of(&self, question: &Question) -> Option<u64> {
        Some(match question.conditions.as_slice() {
            [] => match question.sort {
                Sort::Boats(_) => self.first_years.all(),
                Sort::Manufacturers(_) => self.manufacturers.all(),
            },
            &[Condition::Manufacturer(code)] => self.boats_of_manufacturer.at(code),
            &[Condition::Type(code)] => self.boats_of_type.at(code),
            &[Condition::Category(code)] => self.boats_of_category.at(code),
            &[Condition::Activity(code)] => self.boats_of_activity.at(code),
            &[Condition::BuiltFrom(from)] => self.last_years.all() - self.last_years.below(from),
            &[Condition::BuiltTo(to)] => self.first_years.up_to(to),
            // The import lets no production end before it began, so whichever ended before `from`
            // is one of those that began up to `to`.
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
    fn read(connection: &Connection, what: Counted) -> duckdb::Result<Self> {
        let mut statement = connection.prepare(what.text())?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let mut all = 0;
        let up_to = rows.map(|row| {
            let (value, count): (i64, u64) = row?;
            all += count;
            Ok((value, all))
        });
        Ok(Self {
            up_to: up_to.collect::<duckdb::Result<_>>()?,
        })
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
