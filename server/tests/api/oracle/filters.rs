//! The filters and sorts of boats as the contract defines them, each in one place: values to try,
//! which values are valid, and which boats they admit.

use std::cmp::Ordering;

use proptest::prelude::*;
use shared::base::fold::{fold, words};
use shared::base::units::Unit;

use super::world::{LENGTHS, MAKERS, Plain, TAGS, TYPES};

const SEARCHES: [&str; 16] = [
    "fi",
    "first",
    "4 f",
    "oceanis 4",
    "OCÉ",
    "34",
    "3 4",
    "aero",
    "Ærø",
    "100%",
    "_s",
    "strasse",
    "s c",
    "firsts",
    "%_x",
    "first first 40",
];

/// Whether a filter admits a boat; bounds are in this unit.
pub(super) type Admits = Box<dyn Fn(&Plain, Unit) -> bool>;

/// A filter.
pub(super) struct Filter {
    pub(super) name: &'static str,
    /// Valid values, some of which match some boats.
    pub(super) values: fn() -> BoxedStrategy<String>,
    /// What a value asks for; `None` if it is invalid.
    pub(super) read: fn(&str) -> Option<Admits>,
}

pub(super) const FILTERS: [Filter; 9] = [
    Filter {
        name: "manufacturer",
        values: || slugs(&MAKERS.map(|(slug, _)| slug)),
        read: |value| slug(value, |boat, slug| MAKERS[boat.maker].0 == slug),
    },
    Filter {
        name: "type",
        values: || slugs(&TYPES),
        read: |value| slug(value, |boat, slug| TYPES[boat.boat_type] == slug),
    },
    Filter {
        name: "category",
        values: || slugs(&TAGS),
        read: |value| {
            slug(value, |boat, slug| {
                boat.categories.iter().any(|&tag| TAGS[tag] == slug)
            })
        },
    },
    Filter {
        name: "activity",
        values: || slugs(&TAGS),
        read: |value| {
            slug(value, |boat, slug| {
                boat.activities.iter().any(|&tag| TAGS[tag] == slug)
            })
        },
    },
    Filter {
        name: "yearFrom",
        values: years,
        read: |value| {
            year(value, |boat, year| {
                boat.last_year.is_none_or(|last| year <= usize::from(last))
            })
        },
    },
    Filter {
        name: "yearTo",
        values: years,
        read: |value| year(value, |boat, year| usize::from(boat.first_year) <= year),
    },
    Filter {
        name: "lengthMin",
        values: lengths,
        read: |value| length(value, |length, bound, slack| bound - slack <= length),
    },
    Filter {
        name: "lengthMax",
        values: lengths,
        read: |value| length(value, |length, bound, slack| length <= bound + slack),
    },
    Filter {
        name: "search",
        values: || {
            prop::sample::select(&SEARCHES[..])
                .prop_map(str::to_owned)
                .boxed()
        },
        read: |value| {
            let value = is_search(value).then(|| value.to_owned())?;
            Some(Box::new(move |boat, _| names(&value, boat.model)))
        },
    },
];

/// A sort: its name, and the order of two boats, before ties are broken.
type Sort = (&'static str, fn(&Plain, &Plain) -> Ordering);

pub(super) const SORTS: [Sort; 4] = [
    ("model", |a, b| fold(a.model).cmp(&fold(b.model))),
    ("year", |a, b| a.first_year.cmp(&b.first_year)),
    ("length", |a, b| a.physical().cmp(&b.physical())),
    ("manufacturer", |a, b| {
        fold(MAKERS[a.maker].1).cmp(&fold(MAKERS[b.maker].1))
    }),
];

/// One of `known`, or one that no boat has.
fn slugs(known: &[&'static str]) -> BoxedStrategy<String> {
    let all: Vec<_> = known.iter().copied().chain(["none"]).collect();
    prop::sample::select(all).prop_map(str::to_owned).boxed()
}

fn years() -> BoxedStrategy<String> {
    (1955_u16..2012).prop_map(|year| year.to_string()).boxed()
}

/// Thousandths around the lengths of boats.
fn lengths() -> BoxedStrategy<String> {
    let near = (prop::sample::select(&LENGTHS[..]), -1_i64..=1).prop_map(|(l, by)| l + by);
    let near = near.prop_filter("in range", |l| (1..=1_000_000).contains(l));
    near.prop_map(|l| format!("{}.{:03}", l / 1000, l % 1000))
        .boxed()
}

fn slug(value: &str, has: fn(&Plain, &str) -> bool) -> Option<Admits> {
    let slug = is_identifier(value, 120, "_-").then(|| value.to_owned())?;
    Some(Box::new(move |boat, _| has(boat, &slug)))
}

fn year(value: &str, admits: fn(&Plain, usize) -> bool) -> Option<Admits> {
    let year = integer(value, 1800..=2100)?;
    Some(Box::new(move |boat, _| admits(boat, year)))
}

pub(super) fn is_identifier(value: &str, max: usize, inner: &str) -> bool {
    let is_good = |letter: char| letter.is_ascii_alphanumeric() || inner.contains(letter);
    value.len() <= max
        && value.starts_with(|first: char| first.is_ascii_alphanumeric())
        && value.chars().all(is_good)
}

pub(super) fn integer(value: &str, range: std::ops::RangeInclusive<u128>) -> Option<usize> {
    let is_digits = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
    let significant = value.trim_start_matches('0');
    // Thirty digits are beyond every range.
    if !is_digits || 30 < significant.len() {
        return None;
    }
    let number = format!("0{significant}").parse().unwrap();
    let is_within = range.contains(&number);
    is_within.then(|| usize::try_from(number).unwrap())
}

/// How many of the oracle's smallest units make a ten-millionth of a metre: 19 more decimals. The
/// last decimal is set if there would be more.
const TEN_MILLIONTH: i128 = 10_000_000_000_000_000_000;

/// A bound above 0 and at most 1000, in the requested unit. It is compared exactly with a length
/// that is declared in that unit, and to within five millimetres otherwise.
fn length(value: &str, admits: fn(i128, i128, i128) -> bool) -> Option<Admits> {
    let bound = bound(value)?;
    Some(Box::new(move |boat, unit| {
        let slack = if unit == boat.unit {
            0
        } else {
            50_000 * TEN_MILLIONTH
        };
        let of_unit = match unit {
            Unit::Metric => 10_000_000,
            Unit::Imperial => 3_048_000,
        };
        let length = i128::from(boat.physical()) * TEN_MILLIONTH;
        admits(length, bound * of_unit, slack)
    }))
}

/// Parses a bound to 19 more decimals. The last one is set if there would be more, so the bound
/// compares with every boat's length as its exact value does.
fn bound(value: &str) -> Option<i128> {
    const DECIMALS: usize = 18;
    let (whole, fraction) = value.split_once('.').unwrap_or((value, "0"));
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let whole_digits = whole.trim_start_matches('0');
    if !is_digits(whole) || !is_digits(fraction) || 4 < whole_digits.len() {
        return None;
    }
    let (kept, rest) = fraction.split_at(fraction.len().min(DECIMALS));
    let more = i32::from(rest.bytes().any(|byte| byte != b'0'));
    let number: i128 = format!("0{whole_digits}{kept:0<DECIMALS$}{more}")
        .parse()
        .unwrap();
    (0 < number && number <= 1000 * TEN_MILLIONTH).then_some(number)
}

fn is_search(value: &str) -> bool {
    (2..=100).contains(&value.chars().count()) && words(&fold(value)).next().is_some()
}

/// Whether every word of the search begins some word of the name.
pub(super) fn names(search: &str, model: &str) -> bool {
    let (search, model) = (fold(search), fold(model));
    words(&search).all(|wanted| words(&model).any(|word| word.starts_with(wanted)))
}
