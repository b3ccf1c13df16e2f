//! The least, the median and the greatest of many numbers, in memory that does not grow with them.
//!
//! Numbers are counted one by one while few of them differ. Beyond that, those that begin with the
//! same binary digits are counted together, with fewer and fewer digits, so the median is that of
//! the whole up to a fraction. It does not depend on the order of the numbers, nor on how they were
//! divided among threads.

use std::collections::BTreeMap;

use serde::Serialize;
use shared::base::number::Number;

use crate::mapping::expression::{Jq, to_float};

/// Most groups of numbers that are told apart.
const GROUPS_MAX: usize = 1_024;

/// What is shown of the numbers of a field.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct NumberRange {
    /// The least.
    pub min: Number,
    /// The one in the middle, or the lower of the two there; exact for up to 1,024 different
    /// numbers, and otherwise too low by a small fraction.
    pub median: Number,
    /// The greatest.
    pub max: Number,
}

/// The numbers of a field, counted.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    /// How many binary digits of a number do not tell groups apart.
    dropped: u32,
    /// By the digits that do.
    groups: BTreeMap<i64, Group>,
    max: Option<f64>,
}

#[derive(Clone, Copy, Debug)]
struct Group {
    count: u64,
    least: f64,
}

impl Numbers {
    /// Counts a value, if it is a number.
    pub(super) fn add(&mut self, value: &Jq) {
        if let Some(number) = to_float(value).filter(|number| number.is_finite()) {
            self.add_group(Group {
                count: 1,
                least: number,
            });
            self.see_max(number);
            self.shrink();
        }
    }

    /// Adds the numbers of another part of the export.
    pub(super) fn merge(&mut self, other: Self) {
        self.dropped = self.dropped.max(other.dropped);
        let own = std::mem::take(&mut self.groups);
        for group in own.into_values().chain(other.groups.into_values()) {
            self.add_group(group);
        }
        if let Some(max) = other.max {
            self.see_max(max);
        }
        self.shrink();
    }

    /// The range; none without a number.
    pub(super) fn range(&self) -> Option<NumberRange> {
        let count: u64 = self.groups.values().map(|group| group.count).sum();
        let mut before = 0;
        let median = self.groups.values().find(|group| {
            before += group.count;
            count.div_ceil(2) <= before
        });
        Some(NumberRange {
            min: Number::new(self.groups.values().next()?.least)?,
            median: Number::new(median?.least)?,
            max: Number::new(self.max?)?,
        })
    }

    fn add_group(&mut self, added: Group) {
        let group = self.groups.entry(order(added.least) >> self.dropped);
        let group = group.or_insert(Group { count: 0, ..added });
        group.count += added.count;
        group.least = group.least.min(added.least);
    }

    fn see_max(&mut self, number: f64) {
        self.max = Some(self.max.map_or(number, |max| max.max(number)));
    }

    fn shrink(&mut self) {
        while GROUPS_MAX < self.groups.len() {
            self.dropped += 1;
            let groups = std::mem::take(&mut self.groups);
            for group in groups.into_values() {
                self.add_group(group);
            }
        }
    }
}

/// An integer in the order of the numbers.
const fn order(number: f64) -> i64 {
    let bits = number.to_bits().cast_signed();
    // The bits of negative numbers are in the opposite order.
    if bits < 0 { bits ^ i64::MAX } else { bits }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(all: impl Iterator<Item = f64>) -> Numbers {
        let mut numbers = Numbers::default();
        for number in all {
            numbers.add(&Jq::from(number));
        }
        numbers
    }

    fn range(all: impl Iterator<Item = f64>) -> String {
        let NumberRange { min, median, max } = numbers(all).range().unwrap();
        let [min, median, max] = [min, median, max].map(Number::get);
        format!("{min} {median} {max}")
    }

    #[test]
    fn the_range_of_few_numbers_is_exact() {
        assert_eq!(numbers([].into_iter()).range(), None);
        assert_eq!(range([7.5].into_iter()), "7.5 7.5 7.5");
        assert_eq!(range([3.0, -1.5, 0.0].into_iter()), "-1.5 0 3");
        assert_eq!(range([4.0, 1.0, 2.0, 3.0].into_iter()), "1 2 4");
        let thousand = (1..=1000_u16).rev().map(f64::from);
        assert_eq!(range(thousand), "1 500 1000");
    }

    #[test]
    fn of_many_numbers_groups_are_counted_and_no_order_or_division_changes_the_range() {
        let all = || (0..100_000_u32).map(|number| f64::from(number) / 8.0);
        let whole = numbers(all());
        assert!(whole.groups.len() <= GROUPS_MAX);
        assert_eq!(range(all()), "0 6208 12499.875");
        let mut parts = numbers(all().skip(1).step_by(2));
        parts.merge(numbers(all().step_by(2)));
        for other in [parts, numbers(all().collect::<Vec<_>>().into_iter().rev())] {
            assert_eq!(other.range(), whole.range());
            assert_eq!(other.dropped, whole.dropped);
        }
    }
}
