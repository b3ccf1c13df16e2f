//! The filters and sorts of boats as the contract defines them, each in one place: valid values to
//! try, and which boats they admit.

use std::cmp::Ordering;

use proptest::prelude::*;
use shared::base::fold::{fold, words};
use shared::base::units::Unit;

use super::world::{LENGTHS, MAKERS, Plain, TAGS, TYPES, per_thousandth};

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
    /// What a value asks for.
    pub(super) read: fn(&str) -> Admits,
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
            let value = value.to_owned();
            Box::new(move |boat, _| names(&value, boat.model))
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

fn slug(value: &str, has: fn(&Plain, &str) -> bool) -> Admits {
    let slug = value.to_owned();
    Box::new(move |boat, _| has(boat, &slug))
}

fn year(value: &str, admits: fn(&Plain, usize) -> bool) -> Admits {
    let year = value.parse().unwrap();
    Box::new(move |boat, _| admits(boat, year))
}

/// A bound in thousandths of the requested unit. It is compared exactly with a length that is
/// declared in that unit, and to within five millimetres otherwise: in ten-millionths of a metre.
fn length(value: &str, admits: fn(i64, i64, i64) -> bool) -> Admits {
    let thousandths: i64 = value.replace('.', "").parse().unwrap();
    Box::new(move |boat, unit| {
        let slack = if unit == boat.unit { 0 } else { 50_000 };
        let bound = thousandths * per_thousandth(unit);
        admits(boat.physical(), bound, slack)
    })
}

/// Whether every word of the search begins some word of the name.
fn names(search: &str, model: &str) -> bool {
    let (search, model) = (fold(search), fold(model));
    words(&search).all(|wanted| words(&model).any(|word| word.starts_with(wanted)))
}
