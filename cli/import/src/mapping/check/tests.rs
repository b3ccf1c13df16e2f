//! Tests that checkers of parts of an export, once merged, report the same as one checker of the
//! whole.

use serde_json::json;

use super::*;
use crate::mapping::Mapping;
use crate::mapping::expression::from_json;

const MAPPING: &str = r#"
mapping = "boat-catalogue-mapping/1"
[[sources]]
files = ["*.ndjson"]
reader = "ndjson"
[envelope]
key = ".key"
type = ".type"
[[emit]]
kind = "boat"
type = "b"
[emit.fields]
model = ".name"
"#;

/// A checker that has examined the records at these places of an export.
fn checker(places: impl Iterator<Item = usize> + Clone) -> Checker {
    let lone = places.clone();
    let mut observer = Observer::default();
    for place in places {
        let record = json!({
            "key": place, "name": place, "inner": [{"a": place}, {"a": null}],
            (format!("only{}", place % 3)): place,
        });
        let looked = Looked {
            place,
            source: 0,
            record_type: &(if place % 4 == 0 { "c" } else { "b" }).into(),
            is_published: place % 5 != 0,
            links: ["tags", "media"][..place % 3].to_vec(),
        };
        let record = from_json(&record);
        observer.record(&looked, &record);
        let value = from_json(&json!(place));
        let failed = format!("failed at {place}");
        observer.field(
            0,
            "model",
            if place % 2 == 0 {
                Ok(&value)
            } else {
                Err(&failed)
            },
        );
        let asker = Asker {
            expression: 0,
            is_own: true,
        };
        observer.looked_up(&record, Some("name"), Some(asker));
        observer.looked_up(&record, Some("nowhere"), Some(asker));
        observer.asked_for_links(place % 2 == 0, "media");
    }
    let mut checker = observer.finish();
    for place in lone {
        checker.lone_link("x", if place % 2 == 0 { "tags" } else { "more" });
    }
    checker
}

#[test]
fn checkers_of_parts_remember_no_more_keys_than_one() {
    let mapping = Mapping::parse("a.toml".to_owned(), MAPPING.to_owned()).unwrap();
    let part = |number: usize| {
        let mut observer = Observer::default();
        let keys = (0..60_000).map(|key| (format!("{number}-{key}"), json!(1)));
        let looked = Looked {
            place: number,
            source: 0,
            record_type: &"b".into(),
            is_published: true,
            links: Vec::new(),
        };
        observer.record(
            &looked,
            &from_json(&json!({"in": keys.collect::<serde_json::Map<_, _>>(), "name": 1})),
        );
        observer.finish()
    };
    let mut merged = part(0);
    merged.merge(part(1));
    let keys = &merged.keys;
    let root = keys.node(keys.types.values().next().unwrap().root);
    assert_eq!(keys.node(root.keys["in"]).keys.len(), 99_998);
    let report = merged.report(&mapping.definition).unwrap();
    assert_eq!(report.rules[0].records, 2);
}

#[test]
fn checkers_of_parts_come_to_what_one_of_all_comes_to() {
    let mapping = Mapping::parse("a.toml".to_owned(), MAPPING.to_owned()).unwrap();
    let report = |checker: Checker| json!(checker.report(&mapping.definition).unwrap());
    let whole = report(checker(0..30));
    assert_eq!(whole["rules"][0]["fields"][0]["error"], "failed at 1");
    assert_eq!(
        whole["rules"][0]["unread"][0]["sample"],
        "[{\"a\":1},{\"a\":null}]"
    );
    for parts in 2..5 {
        let of = |part: usize| checker((0..30).filter(move |place| place % parts == part));
        let mut merged = Checker::default();
        (0..parts).rev().for_each(|part| merged.merge(of(part)));
        assert_eq!(report(merged), whole, "{parts}");
    }
}
