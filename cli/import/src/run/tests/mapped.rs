//! Tests of what is special about records that a mapping makes.

use super::*;

const MAPPING: &str = r#"
mapping = "boat-catalogue-mapping/1"
[[sources]]
files = ["*.ndjson"]
reader = "ndjson"
[envelope]
key = ".id"
type = ".kind"
published = '(has("live") | not) or .live'

[[emit]]
kind = "boat"
type = "boat"
[emit.fields]
slug = ".slug"
model = ".model"
manufacturer = ".manufacturer"
type = ".type"
production.firstYear = ".production.firstYear"
unit = ".unit"
lengthOverall = ".lengthOverall"

[[emit]]
kind = "manufacturer"
type = "manufacturer"
[emit.fields]
name = ".name"

[[records]]
kind = "manufacturer"
id = "maker-1"
slug = "maker"
name = "Maker"
updatedAt = "2026-10-01T12:00:00Z"

[[records]]
kind = "term"
vocabulary = "type"
id = "type-1"
slug = "monohull"
name = "Monohull"
"#;

#[test]
fn a_record_in_the_mapping_is_used_although_a_draft_has_its_id() {
    let mapping = Mapping::parse("a.toml".to_owned(), MAPPING.to_owned()).unwrap();
    let draft = with(manufacturer(), "/live", json!(false));
    let run = Run::mapped(&lines(&[draft, boat()]), &mapping);
    assert_eq!(run.findings(), [""; 0]);
    assert_eq!(run.served.manufacturers[0]["name"], "Maker");
    assert_eq!(run.served.boats.len(), 1);
    let tally = run.outcome.tally.manufacturer;
    assert_eq!((tally.published, tally.unpublished), (1, 1));
}
