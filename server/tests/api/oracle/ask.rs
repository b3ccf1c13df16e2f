//! Generated queries, and the expected response to each, from a plain loop over all boats.

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use proptest::prelude::*;
use shared::base::units::Unit;

use super::filters::{Admits, FILTERS, SORTS};
use super::world::{BOATS, Plain};

/// Names of the parameters that are not filters.
pub(super) const OTHERS: [&str; 5] = ["lengthUnit", "limit", "offset", "sort", "order"];

/// The parameters of one query.
#[derive(Clone, Debug)]
pub(super) struct Ask {
    /// Names and decoded values of filters.
    pub(super) filters: Vec<(&'static str, String)>,
    pub(super) in_feet: bool,
    pub(super) sort: &'static str,
    pub(super) descending: bool,
    pub(super) limit: usize,
    pub(super) offset: usize,
}

pub(super) fn asks() -> impl Strategy<Value = Ask> {
    let filters = FILTERS.map(|filter| {
        let value = prop::option::weighted(0.3, (filter.values)());
        value.prop_map(move |value| Some((filter.name, value?)))
    });
    let sort = prop::sample::select(SORTS.map(|(name, _)| name).to_vec());
    let page = (1..=100_usize, prop_oneof![Just(0), 0..BOATS + 50]);
    (Vec::from(filters), any::<bool>(), sort, any::<bool>(), page).prop_map(
        |(filters, in_feet, sort, descending, (limit, offset))| {
            let mut filters = filters.into_iter().flatten().collect();
            put_in_order(&mut filters, "yearFrom", "yearTo");
            put_in_order(&mut filters, "lengthMin", "lengthMax");
            Ask {
                filters,
                in_feet,
                sort,
                descending,
                limit,
                offset,
            }
        },
    )
}

/// Swaps the ends of a range that are in the wrong order.
fn put_in_order(filters: &mut Vec<(&'static str, String)>, low: &str, high: &str) {
    let place = |name| filters.iter().position(|(other, _)| *other == name);
    let (Some(low), Some(high)) = (place(low), place(high)) else {
        return;
    };
    let number = |place: usize| filters[place].1.parse::<f64>().unwrap();
    if number(high) < number(low) {
        let lower = std::mem::take(&mut filters[high].1);
        filters[high].1 = std::mem::replace(&mut filters[low].1, lower);
    }
}

impl Ask {
    /// A page of all boats.
    pub(super) fn page(offset: usize, limit: usize) -> Self {
        Self {
            filters: Vec::new(),
            in_feet: false,
            sort: "model",
            descending: false,
            limit,
            offset,
        }
    }

    pub(super) fn to_query_string(&self) -> String {
        let order = if self.descending { "order=desc&" } else { "" };
        let (filters, sort) = (self.filters_as_query_string(), self.sort);
        let (limit, offset) = (self.limit, self.offset);
        format!("{filters}&{order}sort={sort}&limit={limit}&offset={offset}")
    }

    pub(super) fn filters_as_query_string(&self) -> String {
        let filters = self.filters.iter().map(|(name, value)| {
            let value = utf8_percent_encode(value, NON_ALPHANUMERIC);
            format!("{name}={value}")
        });
        let unit = self.in_feet.then(|| "lengthUnit=ft".to_owned());
        filters.chain(unit).collect::<Vec<_>>().join("&")
    }

    /// The same without one of its filters.
    pub(super) fn without(&self, filter: &str) -> Self {
        let mut ask = self.clone();
        ask.filters.retain(|(name, _)| *name != filter);
        ask
    }

    /// What the filters ask for.
    fn read(&self) -> Vec<Admits> {
        let read = self.filters.iter().map(|(name, value)| {
            let filter = FILTERS.iter().find(|filter| filter.name == *name);
            (filter.unwrap().read)(value)
        });
        read.collect()
    }

    /// All boats that match, on every page, in order.
    pub(super) fn all<'a>(&self, boats: &'a [Plain]) -> Vec<&'a Plain> {
        let unit = if self.in_feet {
            Unit::Imperial
        } else {
            Unit::Metric
        };
        let filters = self.read();
        let is_asked_for = |boat: &&Plain| filters.iter().all(|admits| admits(boat, unit));
        let mut rows: Vec<&Plain> = boats.iter().filter(is_asked_for).collect();
        let (_, sort) = SORTS.iter().find(|(name, _)| *name == self.sort).unwrap();
        rows.sort_by(|a, b| sort(a, b).then_with(|| a.id.cmp(&b.id)));
        if self.descending {
            rows.reverse();
        }
        rows
    }

    /// The ids on the page, and how many boats match in all.
    pub(super) fn answer<'a>(&self, boats: &'a [Plain]) -> (Vec<&'a str>, usize) {
        let rows = self.all(boats);
        let page = rows.iter().skip(self.offset).take(self.limit);
        (page.map(|boat| boat.id.as_str()).collect(), rows.len())
    }
}
