//! Tests that the schema of mapping files and their parser agree, on all mappings in the repository
//! and on every kind of mistake that a schema can detect, at every place in them.

use std::fs;
use std::path::{Path, PathBuf};

use jsonschema::Validator;
use serde_json::{Value, json};

use crate::mapping::{Mapping, Shipped};
use crate::schema::mapping;

fn schema() -> Validator {
    jsonschema::draft202012::new(&mapping()).unwrap()
}

fn value(text: &str) -> Value {
    toml::from_str(text).unwrap()
}

fn is_read(mapping: &Value) -> bool {
    let members = mapping.as_object().unwrap().iter();
    let lines = members.map(|(key, value)| format!("{} = {}\n", json!(key), inline(value)));
    Mapping::parse("test.toml".to_owned(), lines.collect()).is_ok()
}

/// A value as TOML on one line.
fn inline(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let members = members.iter();
            let members = members.map(|(key, value)| format!("{} = {}", json!(key), inline(value)));
            format!("{{ {} }}", members.collect::<Vec<_>>().join(", "))
        }
        Value::Array(members) => {
            let members: Vec<String> = members.iter().map(inline).collect();
            format!("[{}]", members.join(", "))
        }
        scalar => scalar.to_string(),
    }
}

#[test]
fn every_mapping_that_is_read_fits_the_schema() {
    let schema = schema();
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let files = mappings(&fixtures);
    assert!(8 < files.len(), "{files:?}");
    let texts = files.iter().map(|path| fs::read_to_string(path).unwrap());
    let shipped = Shipped::ALL.map(|shipped| shipped.text().to_owned());
    for text in texts.chain(shipped) {
        let mapping = value(&text);
        assert!(is_read(&mapping), "{text}");
        let mistakes: Vec<String> = schema
            .iter_errors(&mapping)
            .map(|mistake| format!("{} at {}", mistake, mistake.instance_path()))
            .collect();
        assert!(mistakes.is_empty(), "{mistakes:#?} of {text}");
    }
}

/// The mapping files below a folder.
fn mappings(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let below = entries.flat_map(|path| {
        if path.is_dir() {
            mappings(&path)
        } else {
            vec![path]
        }
    });
    below
        .filter(|path| path.extension().is_some_and(|end| end == "toml"))
        .collect()
}

#[test]
fn an_unknown_key_or_a_wrong_type_is_refused_by_both_anywhere() {
    let schema = schema();
    let whole = value(WHOLE);
    assert!(is_read(&whole) && schema.is_valid(&whole), "{whole}");
    let mut places = Vec::new();
    collect(&whole, "", &mut places);
    for place in places.into_iter().filter(|place| !place.is_empty()) {
        let mut wrong = whole.clone();
        *wrong.pointer_mut(&place).unwrap() = json!(7);
        assert!(!is_read(&wrong), "7 at {place}");
        assert!(!schema.is_valid(&wrong), "7 at {place}");

        if FREE.contains(&&*place) {
            continue;
        }
        let mut wrong = whole.clone();
        let Some(table) = wrong.pointer_mut(&place).and_then(Value::as_object_mut) else {
            continue;
        };
        table.insert("unheard_of".to_owned(), json!(7));
        assert!(!is_read(&wrong), "a key more at {place}");
        assert!(!schema.is_valid(&wrong), "a key more at {place}");
    }
}

#[test]
fn a_key_that_is_required_is_missed_by_both() {
    let schema = schema();
    let whole = value(WHOLE);
    let mut places = Vec::new();
    collect(&whole, "", &mut places);
    let mut missed = 0;
    for place in places {
        let mut without = whole.clone();
        let (table, key) = place.rsplit_once('/').unwrap_or_default();
        let table = without.pointer_mut(table).and_then(Value::as_object_mut);
        if table.and_then(|table| table.remove(key)).is_none() {
            continue;
        }
        if !schema.is_valid(&without) {
            missed += 1;
            assert!(!is_read(&without), "without {place}");
        }
    }
    assert!(8 < missed, "{missed}");
}

/// Tables that may have any keys.
const FREE: [&str; 3] = ["/variables", "/tables/kinds", "/records/0"];

/// The places of all values, except values that may be anything.
fn collect(value: &Value, place: &str, places: &mut Vec<String>) {
    let is_within = |free: &&str| {
        place
            .strip_prefix(*free)
            .is_some_and(|rest| rest.starts_with('/'))
    };
    if FREE.iter().any(is_within) || place.ends_with("/default") || place.ends_with("/unlisted") {
        return;
    }
    places.push(place.to_owned());
    match value {
        Value::Object(members) => {
            for (key, member) in members {
                collect(member, &format!("{place}/{key}"), places);
            }
        }
        Value::Array(members) => {
            for (index, member) in members.iter().enumerate() {
                collect(member, &format!("{place}/{index}"), places);
            }
        }
        _ => {}
    }
}

/// A mapping with every key of the language.
const WHOLE: &str = r#"
mapping = "boat-catalogue-mapping/1"
edit_url = "https://cms.example/edit/{id}"
definitions = "def one: 1;"

[variables]
country = "de"

[tables.kinds]
sail = "type-1"

[envelope]
key = ".id"
id = ".id"
type = ".type"
published = "true"
updatedAt = ".updated"
changed = "false"
ignore = ["notes"]

[[sources]]
key = ".id"
id = ".id"
type = ".type"
published = "true"
updatedAt = ".updated"
changed = "false"
files = ["*.xml"]
reader = "xml"
records = ["boats.boat"]
lists = "sail"

[links]
files = "*.json"
reader = "json"
records = "links"
each = ".[]"

[joins.owners]
type = ["owner"]
to = ".boat"

[[records]]
kind = "term"
id = "type-1"
vocabulary = "type"
slug = "sail"
name = "Sail"

[[emit]]
kind = "boat"
type = "boat"
where = "true"
each = ".versions[]"
distinct = true
ignore = "notes"

[emit.fields]
id = ".id"
type = { from = ".kind", table = "kinds", unlisted = "type-1", default = "type-1" }
categories = { each = ".kinds[]", value = ".", table = "kinds", unlisted = "a", default = "b" }
gallery = { each = ".images[]", fields = { url = ".url" } }
production.firstYear = ".year"
"#;
