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

/// The findings about a boat that refers to a manufacturer of the export, with their messages.
fn referring_to(maker: Value) -> Vec<String> {
    let by_reference = MAPPING.replace("\".manufacturer\"", "\".manufacturer | pub\"");
    let mapping = Mapping::parse("a.toml".to_owned(), by_reference).unwrap();
    let maker = with(maker, "/id", json!("maker-2"));
    let boat = with(boat(), "/manufacturer", json!("maker-2"));
    let run = Run::mapped(&lines(&[maker, boat]), &mapping);
    let listed = run.outcome.findings.listed().into_iter();
    let of_boat = listed.filter(|finding| {
        finding
            .place
            .as_ref()
            .is_some_and(|of| of.line() == Some(2))
    });
    let told = of_boat.map(|finding| format!("{}: {}", code_and_pointer(finding), finding.message));
    told.collect()
}

#[test]
fn a_boat_whose_maker_is_not_published_is_told_which_one_and_not_that_it_has_none() {
    let draft = with(manufacturer(), "/live", json!(false));
    assert_eq!(
        referring_to(draft),
        [
            "UNPUBLISHED_MANUFACTURER /manufacturer: the manufacturer maker-2 (Maker) is not published, \
          but this boat is"
        ]
    );
}

#[test]
fn a_boat_whose_maker_has_errors_is_told_the_first_of_them() {
    let told = referring_to(manufacturer());
    let directory = told[0]
        .split(" at ")
        .nth(1)
        .unwrap()
        .split("export")
        .next()
        .unwrap();
    assert_eq!(
        told[0].replace(directory, ""),
        "REFERENCE_TO_INVALID /manufacturer: the manufacturer maker-2 (Maker) is left out for an \
         error of its own at export.ndjson:1: `slug` is required"
    );
}

/// An import of a boat of this maker, skipping what is invalid; the mapping passes the maker on as it is.
fn skipping(maker: Value) -> Run {
    let with_all = "name = \".name\"\nslug = \".slug\"\nupdatedAt = \".updatedAt\"\n\
                    website = \".website\"\nlogo = \".logo\"\n";
    let text = MAPPING.replace("name = \".name\"\n", with_all);
    let text = text.replace(
        "id = \"maker-1\"\nslug = \"maker\"",
        "id = \"other\"\nslug = \"other\"",
    );
    let mapping = Mapping::parse("a.toml".to_owned(), text).unwrap();
    let contents = lines(&[maker, boat()]).join("\n");
    Run::of_file(contents.as_bytes(), Some(&mapping), true)
}

#[test]
fn a_maker_keeps_its_boats_and_loses_optional_fields_that_are_wrong() {
    let logo = json!({ "url": "logo.png", "alt": 7, "width": 1, "height": 1, "format": "png" });
    let maker = with(with(manufacturer(), "/website", json!("x")), "/logo", logo);
    let run = skipping(maker);
    assert_eq!(
        run.findings(),
        [
            "INVALID_URL /website",
            "INVALID_URL /logo/url",
            "WRONG_TYPE /logo/alt",
        ]
    );
    let hint = run.outcome.findings.listed()[0].hint.as_deref();
    assert_eq!(hint, Some("the manufacturer is kept without this field"));
    assert_eq!(run.served.boats.len(), 1);
    let published = &run.served.manufacturers[0];
    assert_eq!(
        (&published["website"], &published["logo"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(run.rejects, "");
    assert!(run.outcome.is_usable);
}

#[test]
fn a_maker_without_a_required_field_is_left_out_with_its_boats() {
    let maker = with(
        with(manufacturer(), "/website", json!("x")),
        "/slug",
        json!(""),
    );
    let run = skipping(maker);
    assert_eq!(run.served.boats.len(), 0);
    let cost = run.outcome.findings.listed()[0].record.as_ref().unwrap();
    assert_eq!(cost.cost().as_deref(), Some("1 boat is left out with it"));
}

#[test]
fn a_maker_of_boats_that_could_not_be_made_is_called_by_its_own_id() {
    let of_boats = "type = \"boat\"\ndistinct = true\n[emit.fields]\nid = \".manufacturer\"\n\
                    slug = '\"x\" | error'\n";
    let text = MAPPING.replace("type = \"manufacturer\"\n[emit.fields]\n", of_boats);
    let mapping = Mapping::parse("a.toml".to_owned(), text).unwrap();
    let boat = with(boat(), "/manufacturer", json!("maker-2"));
    let run = Run::mapped(&lines(&[boat]), &mapping);
    let listed = run.outcome.findings.listed().into_iter();
    let told = listed.map(|finding| {
        let record = finding.record.as_ref().map(|record| record.id.as_deref());
        format!("{} {:?}", code_and_pointer(finding), record.flatten())
    });
    assert_eq!(
        told.collect::<Vec<_>>(),
        [
            "MAPPING_FAILED /slug Some(\"maker-2\")",
            "REFERENCE_TO_INVALID /manufacturer Some(\"boat-1\")",
            "KEYS_NOT_FOUND - None",
            "NO_PUBLISHED_BOATS - None",
        ]
    );
}

/// The hint of the first finding about an export of these records.
fn hint_of(published: &str, record: Value) -> Option<String> {
    let asking = MAPPING.replace("'(has(\"live\") | not) or .live'", published);
    let mapping = Mapping::parse("a.toml".to_owned(), asking).unwrap();
    let run = Run::mapped(&lines(&[record]), &mapping);
    run.outcome.findings.listed()[0].hint.clone()
}

#[test]
fn a_record_without_the_key_that_published_reads_is_told_its_name() {
    let published = "'.Status | {\"live\": true}[. // \"\"]'";
    let renamed = with(boat(), "/State", json!("live"));
    let hints = [renamed, boat(), with(boat(), "/Status", Value::Null)];
    let hints = hints.map(|record| hint_of(published, record).unwrap_or_default());
    insta::assert_snapshot!(hints.join("\n"), @r#"
    the record has no key `Status`, which `published` reads; it may be `State` now
    the record has no key `Status`, which `published` reads; it may have another name now
    write what is true for published records and false for all others, such as published = '.state == "live"'; `// false` behind it stands for an empty value
    "#);
}

#[test]
fn a_price_in_place_of_its_fields_is_told_which_they_are() {
    let money = "lengthOverall = \".lengthOverall\"\nreferencePrice = '.price | money(\"EUR\")'";
    let priced = MAPPING.replace("lengthOverall = \".lengthOverall\"", money);
    let mapping = Mapping::parse("a.toml".to_owned(), priced).unwrap();
    let run = Run::mapped(&lines(&[with(boat(), "/price", json!("89000"))]), &mapping);
    let listed = run.outcome.findings.listed().into_iter();
    let told = listed.map(|finding| {
        let hint = finding.hint.as_deref().unwrap_or_default();
        format!("{}: {}; {hint}", code_and_pointer(finding), finding.message)
    });
    insta::assert_snapshot!(told.collect::<Vec<_>>().join("\n"), @r#"
    WRONG_TYPE /referencePrice/currency: expected an object, found a text; its fields are `referencePrice.currency.code`, `referencePrice.currency.symbol`; a mapping makes each by a line of its own
    TYPE_NOT_FOUND -: no record is of the type `manufacturer`; 
    NO_PUBLISHED_BOATS -: the export has no valid published boat;
    "#);
}
