//! Lists against an oracle: a few hundred generated boats, a thousand generated queries, and a
//! plain loop over all boats that finds the expected response.
//!
//! The oracle shares only the text folding with the server, which has its own tests. It compares
//! lengths as fractions, and texts, years and orders as the specification defines them.

mod ask;
mod filters;
mod world;

use std::collections::BTreeMap;

use bytes::Bytes;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use server::params::{BOATS as BOAT_LIST, FACETS, ListQuery, QueryString};
use shared::base::etag::ETag;
use shared::base::ids::IdOrSlug;
use shared::release::Kind;

use self::ask::{Ask, OTHERS, asks};
use self::filters::{FILTERS, SORTS};
use self::world::{BOATS, MAKERS, Plain, TAGS, TYPES, world};

fn wait_for<T>(answer: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build();
    runtime.unwrap().block_on(answer)
}

fn list_bytes(ask: &Ask) -> Bytes {
    let text = ask.to_query_string();
    let query = ListQuery::parse(&QueryString::parse(Some(&text)), &BOAT_LIST).unwrap();
    let body = wait_for(world().1.list(&query)).unwrap();
    assert_eq!(body.etag, ETag::of(&body.bytes));
    body.bytes
}

fn list(ask: &Ask) -> Value {
    serde_json::from_slice(&list_bytes(ask)).unwrap()
}

fn ids(rows: &Value) -> Vec<&str> {
    rows["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["id"].as_str().unwrap())
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn every_list_is_what_a_plain_loop_over_all_boats_finds(ask in asks()) {
        let (boats, _) = world();
        let answer = list(&ask);
        let (expected, total) = ask.answer(boats);
        prop_assert_eq!(ids(&answer), expected, "{}", ask.to_query_string());
        prop_assert_eq!(answer["pagination"]["total"].as_u64(), Some(total as u64));
        prop_assert_eq!(answer["pagination"]["limit"].as_u64(), Some(ask.limit as u64));
        prop_assert_eq!(answer["pagination"]["offset"].as_u64(), Some(ask.offset as u64));
    }
}

/// The values of each filter by slugs, and whether a boat has the one at an index.
const VALUES: [(&str, &[&str], HasTerm); 4] = [
    ("type", &TYPES, |boat, term| boat.boat_type == term),
    ("category", &TAGS, |boat, term| {
        boat.categories.contains(&term)
    }),
    ("activity", &TAGS, |boat, term| {
        boat.activities.contains(&term)
    }),
    (
        "manufacturer",
        &[
            MAKERS[0].0,
            MAKERS[1].0,
            MAKERS[2].0,
            MAKERS[3].0,
            MAKERS[4].0,
        ],
        |boat, maker| boat.maker == maker,
    ),
];

/// The slugs of these values that some of the boats have, each with how many: the greatest first.
fn counted(boats: &[&Plain], slugs: &[&str], has: HasTerm) -> Vec<(String, u64)> {
    let count = |(term, slug): (usize, &&str)| {
        let having = boats.iter().filter(|boat| has(boat, term));
        ((*slug).to_owned(), having.count() as u64)
    };
    let mut counted: Vec<_> = slugs.iter().enumerate().map(count).collect();
    counted.retain(|(_, boats)| 0 < *boats);
    counted.sort_by(|(a, one), (b, other)| other.cmp(one).then_with(|| a.cmp(b)));
    counted
}

/// The least and the greatest.
fn range(numbers: impl Iterator<Item = i64>) -> Option<(i64, i64)> {
    let numbers: Vec<i64> = numbers.collect();
    Some((*numbers.iter().min()?, *numbers.iter().max()?))
}

fn range_of(told: &Value, factor: f64) -> Option<(i64, i64)> {
    let integer = |name: &str| {
        let scaled = (told[name].as_f64()? * factor).round();
        Some(format!("{scaled}").parse().unwrap())
    };
    Some((integer("min")?, integer("max")?))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn every_facet_is_what_a_plain_loop_over_all_boats_counts(ask in asks()) {
        let (boats, catalogue) = world();
        let text = ask.filters_as_query_string();
        let query = ListQuery::parse(&QueryString::parse(Some(&text)), &FACETS).unwrap();
        let body = wait_for(catalogue.facets(&query)).unwrap();
        prop_assert_eq!(body.etag, ETag::of(&body.bytes));
        let facets: Value = serde_json::from_slice(&body.bytes).unwrap();
        let facets = &facets["data"];
        for (filter, slugs, has) in VALUES {
            let others = ask.without(filter).all(boats);
            let found = facets[filter].as_array().unwrap().iter().map(|value| {
                (value["slug"].as_str().unwrap().to_owned(), value["count"].as_u64().unwrap())
            });
            let found: Vec<_> = found.collect();
            prop_assert_eq!(found, counted(&others, slugs, has), "{} of {}", filter, text);
        }
        let all = ask.all(boats);
        prop_assert_eq!(facets["total"].as_u64(), Some(all.len() as u64), "{}", text);
        let years = range(all.iter().map(|boat| boat.first_year.into()));
        prop_assert_eq!(range_of(&facets["year"], 1.0), years, "{}", text);
        let lengths = range(all.iter().map(|boat| boat.shown_thousandths()));
        prop_assert_eq!(range_of(&facets["lengthMetres"], 1000.0), lengths, "{}", text);
    }
}

#[test]
fn the_oracle_knows_every_filter_and_every_sort() {
    let declared = BOAT_LIST.parameters.iter().map(|parameter| parameter.name);
    let filters: Vec<_> = declared.filter(|name| !OTHERS.contains(name)).collect();
    assert_eq!(filters, FILTERS.map(|filter| filter.name));
    let sorts: Vec<_> = BOAT_LIST.sorts.iter().map(|sort| sort.name).collect();
    assert_eq!(sorts, SORTS.map(|(name, _)| name));
}

#[test]
fn the_generated_boats_make_every_filter_matter() {
    let (boats, _) = world();
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let (mut some, mut none, mut all) = (0, 0, 0);
    for _ in 0..500 {
        let ask = asks().new_tree(&mut runner).unwrap().current();
        match ask.all(boats).len() {
            0 => none += 1,
            BOATS => all += 1,
            _ => some += 1,
        }
    }
    // A generator whose queries nearly always match everything or nothing would prove nothing.
    assert!(
        150 < some && 20 < none && 5 < all,
        "{some} some, {none} none, {all} all"
    );
}

#[test]
fn every_term_finds_as_many_boats_as_it_counts_and_no_boat_has_another() {
    let (boats, catalogue) = world();
    let terms: Value = serde_json::from_slice(&catalogue.terms().bytes).unwrap();
    let names = ["types", "categories", "activities"];
    for (name, (filter, slugs, has)) in names.into_iter().zip(VALUES) {
        let listed = terms["data"][name].as_array().unwrap();
        let mut counted = BTreeMap::new();
        for term in listed {
            let (slug, count) = (term["slug"].as_str().unwrap(), &term["boatCount"]);
            let query = QueryString::parse(Some(&format!("{filter}={slug}")));
            let query = ListQuery::parse(&query, &BOAT_LIST).unwrap();
            let page = wait_for(catalogue.list(&query)).unwrap();
            let page: Value = serde_json::from_slice(&page.bytes).unwrap();
            assert_eq!(page["pagination"]["total"], *count, "{filter}={slug}");
            assert_eq!(counted.insert(slug, count.as_u64().unwrap()), None);
        }
        let plain = slugs.iter().enumerate().map(|(term, slug)| {
            let boats = boats.iter().filter(|boat| has(boat, term));
            (*slug, boats.count() as u64)
        });
        let plain: BTreeMap<_, _> = plain.filter(|(_, boats)| 0 < *boats).collect();
        assert_eq!(counted, plain, "{name}");
    }
}

/// Whether a boat has the term at this index.
type HasTerm = fn(&Plain, usize) -> bool;

/// The rows of a list, as the exact texts that are sent.
#[derive(Deserialize)]
struct Rows<'a> {
    #[serde(borrow)]
    data: Vec<&'a RawValue>,
}

#[test]
fn every_row_is_the_first_part_of_its_record_and_the_etag_is_the_hash_of_the_body() {
    let (boats, catalogue) = world();
    for offset in (0..boats.len()).step_by(100) {
        let page = list_bytes(&Ask::page(offset, 100));
        let rows: Rows<'_> = serde_json::from_slice(&page).unwrap();
        assert_eq!(rows.data.len(), 100);
        for row in rows.data {
            let id = serde_json::from_str::<Value>(row.get()).unwrap()["id"].clone();
            let name = IdOrSlug::parse(id.as_str().unwrap()).unwrap();
            let boat = catalogue.find(Kind::Boats, &name).unwrap();
            let body = wait_for(catalogue.body(boat)).unwrap();
            let head = row.get().strip_suffix('}').unwrap();
            let text = std::str::from_utf8(&body.bytes).unwrap();
            assert!(text.starts_with(&format!("{{\"data\":{head},")), "{row}");
            assert_eq!(body.etag, ETag::of(&body.bytes));
        }
    }
}
