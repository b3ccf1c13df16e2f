//! The manufacturers of the sample export, served by the built binary: their order, and that an
//! unpublished one is never shown.

use serde_json::Value;

use crate::sample::{Sample, records};

/// The fields that manufacturers are sorted by.
#[derive(Clone, Debug, PartialEq)]
struct Row {
    id: String,
    name: String,
    updated_at: String,
}

impl Row {
    fn parse(row: &str) -> Self {
        let row: Value = serde_json::from_str(row).unwrap();
        let text = |key: &str| row[key].as_str().unwrap().to_owned();
        Self {
            id: text("id"),
            name: text("name"),
            updated_at: text("updatedAt"),
        }
    }

    /// The time as a string that sorts like the instant. Served times are in UTC, so equal instants
    /// differ at most by trailing zeros of the fraction.
    fn instant(&self) -> &str {
        let time = self.updated_at.strip_suffix('Z').unwrap();
        if time.contains('.') {
            time.trim_end_matches('0').trim_end_matches('.')
        } else {
            time
        }
    }
}

#[test]
fn manufacturers_are_sorted_by_folded_name_and_by_instant() {
    let sample = Sample::start();
    let walk = |query: &str| -> Vec<Row> {
        let rows = sample.walk(&format!("/v1/manufacturers{query}"), 4);
        rows.iter().map(|row| Row::parse(row)).collect()
    };
    let mut expected = walk("");
    expected.sort_by_cached_key(|row| (shared::base::fold::fold(&row.name), row.id.clone()));
    assert!(!expected.is_sorted_by_key(|row| &row.name));
    assert!(!expected.is_sorted_by_key(|row| &row.id));
    for query in ["", "?sort=name", "?order=asc"] {
        assert_eq!(walk(query), expected, "{query}");
    }
    expected.reverse();
    assert_eq!(walk("?order=desc"), expected);

    expected.sort_by_cached_key(|row| (row.instant().to_owned(), row.id.clone()));
    assert!(!expected.is_sorted_by_key(|row| &row.updated_at));
    assert!(!expected.is_sorted_by_key(|row| &row.id));
    assert_eq!(walk("?sort=updatedAt"), expected);
    expected.reverse();
    assert_eq!(walk("?sort=updatedAt&order=desc"), expected);
}

#[test]
fn the_boats_of_an_unpublished_manufacturer_are_those_of_an_unknown_one() {
    let sample = Sample::start();
    let get = |target: &str| sample.server.get(target, &sample.key);
    let error = |target: &str| {
        let answer = get(target);
        assert_eq!(answer.status, 404, "{target}");
        let mut error = answer.json()["error"].take();
        error["requestId"].take();
        error
    };
    let unknown = error("/v1/manufacturers/nobody/boats");
    let hidden: Vec<Value> = records()
        .into_iter()
        .filter(|(record, is_published)| record["kind"] == "manufacturer" && !is_published)
        .map(|(record, _)| record)
        .collect();
    assert!(!hidden.is_empty(), "the sample has such a manufacturer");
    for maker in hidden {
        for name in ["id", "slug"] {
            let name = maker[name].as_str().unwrap();
            assert_eq!(
                error(&format!("/v1/manufacturers/{name}/boats")),
                unknown,
                "{name}"
            );
            let filtered = get(&format!("/v1/boats?manufacturer={name}"));
            assert_eq!(filtered.status, 200, "{name}");
            assert_eq!(filtered.json()["data"], serde_json::json!([]), "{name}");
            assert_eq!(filtered.json()["pagination"]["total"], 0, "{name}");
        }
    }
}
