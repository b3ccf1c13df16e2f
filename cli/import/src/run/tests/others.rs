//! Manufacturers, terms, designers, the catalogue record, and lines that are not records.

use serde_json::{Value, json};

use super::{Run, boat, designer, lines, manufacturer, term, with, with_raw};

fn check(record: &str, expected: &[&str]) {
    let run = Run::of(&[record.to_owned()], false);
    assert_eq!(run.findings(), expected, "{record}");
}

/// Checks that each of these keys is required, and that no other key is known.
fn check_keys(record: &Value, required: &[&str]) {
    check(&record.to_string(), &[]);
    for key in required {
        let pointer = format!("/{key}");
        check(
            &with(record.clone(), &pointer, Value::Null).to_string(),
            &[&format!("MISSING_FIELD {pointer}")],
        );
    }
    check(
        &with(record.clone(), "/nonsense", json!(1)).to_string(),
        &["UNKNOWN_FIELD /nonsense"],
    );
    check(
        &with(record.clone(), "/x_nonsense", json!(1)).to_string(),
        &[],
    );
}

#[test]
fn manufacturers_have_their_fields() {
    check_keys(&manufacturer(), &["id", "slug", "name", "updatedAt"]);
    let long = format!("\"{}\"", "a".repeat(121));
    for (pointer, raw, code) in [
        ("/slug", "\"a.b\"", "INVALID_SLUG"),
        ("/slug", &long, "INVALID_SLUG"),
        ("/website", "\"a.example\"", "INVALID_URL"),
        ("/updatedAt", "\"2026\"", "INVALID_TIMESTAMP"),
        ("/logo", "[]", "WRONG_TYPE"),
        ("/published", "0", "WRONG_TYPE"),
        ("/description", "\"a &amp; b\"", "MARKUP_IN_DESCRIPTION"),
    ] {
        check(
            &with_raw(&manufacturer(), pointer, raw),
            &[&format!("{code} {pointer}")],
        );
    }
}

#[test]
fn terms_have_their_fields_and_are_always_published() {
    check_keys(&term(), &["id", "slug", "name", "vocabulary"]);
    check(
        &with(term(), "/vocabulary", json!("types")).to_string(),
        &["UNKNOWN_VALUE /vocabulary"],
    );
    check(
        &with(term(), "/published", json!(true)).to_string(),
        &["UNKNOWN_FIELD /published"],
    );
}

#[test]
fn designers_have_their_fields() {
    check_keys(&designer(), &["id", "name"]);
    check(
        &with(designer(), "/website", json!("//a.example")).to_string(),
        &["INVALID_URL /website"],
    );
}

#[test]
fn served_manufacturers_have_every_key() {
    let full = with(
        manufacturer(),
        "/updatedAt",
        json!("2026-10-01T12:00:00.50+02:00"),
    );
    let run = Run::of(&lines(&[full]), false);
    let expected = json!({
        "id": "maker-1", "slug": "maker", "name": "Maker", "website": null, "logo": null,
        "updatedAt": "2026-10-01T10:00:00.50Z", "description": null, "boatCount": 0,
    });
    assert_eq!(run.served.manufacturers, [expected]);
}

#[test]
fn the_catalogue_record_names_the_format_and_counts() {
    let catalogue = json!({ "kind": "catalogue", "format": "boat-catalogue/1" });
    check_keys(&catalogue, &["format"]);
    let check_with = |pointer: &str, value: Value, expected: &[&str]| {
        check(
            &with(catalogue.clone(), pointer, value).to_string(),
            expected,
        );
    };
    check_with(
        "/format",
        json!("boat-catalogue/2"),
        &["UNSUPPORTED_FORMAT /format"],
    );
    check_with(
        "/generatedAt",
        json!("today"),
        &["INVALID_TIMESTAMP /generatedAt"],
    );
    check_with(
        "/counts",
        json!({ "boats": 1 }),
        &["UNKNOWN_FIELD /counts/boats"],
    );
    check_with(
        "/counts",
        json!({ "boat": -1 }),
        &["OUT_OF_RANGE /counts/boat"],
    );
    check_with("/counts", json!({ "boat": 0, "term": 0.0 }), &[]);
    check_with(
        "/counts",
        json!({ "boat": 1, "designer": 2 }),
        &[
            "COUNT_MISMATCH /counts/boat",
            "COUNT_MISMATCH /counts/designer",
        ],
    );
    let run = Run::of(&lines(&[catalogue.clone(), catalogue]), true);
    assert_eq!(run.findings(), ["DUPLICATE_CATALOGUE "]);
    assert!(!run.outcome.is_usable);
}

#[test]
fn counts_include_drafts_and_invalid_records_and_forgive_unreadable_lines() {
    let catalogue = |boats: u64| {
        json!({ "kind": "catalogue", "format": "boat-catalogue/1", "counts": { "boat": boats } })
            .to_string()
    };
    let mut export = lines(&[
        manufacturer(),
        term(),
        boat(),
        with(
            with(boat(), "/id", json!("draft")),
            "/published",
            json!(false),
        ),
        with(with(boat(), "/id", json!("bad")), "/slug", json!("a b")),
    ]);
    export.push("nonsense".to_owned());
    for (announced, is_right) in [(2, false), (3, true), (4, true), (5, false)] {
        let mut export = export.clone();
        export.insert(0, catalogue(announced));
        let run = Run::of(&export, true);
        let is_mismatch = run
            .findings()
            .contains(&"COUNT_MISMATCH /counts/boat".to_owned());
        assert_eq!(!is_mismatch, is_right, "{announced}");
        assert_eq!(run.outcome.is_usable, is_right, "{announced}");
    }
}

#[test]
fn an_unreadable_line_is_one_missing_record_and_not_one_of_every_kind() {
    for (counts, expected) in [
        (json!({ "term": 2, "designer": 1 }), &[][..]),
        (json!({ "term": 1, "designer": 2 }), &[]),
        (
            json!({ "term": 2, "designer": 2 }),
            &[
                "COUNT_MISMATCH /counts/designer",
                "COUNT_MISMATCH /counts/term",
            ],
        ),
        (
            json!({ "term": 0, "designer": 2 }),
            &["COUNT_MISMATCH /counts/term"],
        ),
    ] {
        let catalogue =
            json!({ "kind": "catalogue", "format": "boat-catalogue/1", "counts": counts });
        let mut export = lines(&[catalogue, term(), designer()]);
        export.push("nonsense".to_owned());
        let run = Run::of(&export, true);
        let mut expected = expected.to_vec();
        expected.push("INVALID_JSON -");
        assert_eq!(run.findings(), expected, "{counts}");
        assert_eq!(run.outcome.is_usable, expected.len() == 1, "{counts}");
    }
}

#[test]
fn lines_that_are_no_records_are_told_apart() {
    check("[]", &["NOT_AN_OBJECT -"]);
    check("\"boat\"", &["NOT_AN_OBJECT -"]);
    check("{}", &["MISSING_FIELD -"]);
    check(r#"{"kind":null}"#, &["UNKNOWN_KIND -"]);
    check(r#"{"kind":"yacht"}"#, &["UNKNOWN_KIND -"]);
    check(r#"{"kind":"boat"#, &["INVALID_JSON -"]);
    check(r#"{"kind":"boat","#, &["INVALID_JSON -"]);
    check("{} {}", &["INVALID_JSON -"]);
    check(&"[".repeat(40), &["NESTED_TOO_DEEP -"]);
}

#[test]
fn a_last_line_that_breaks_off_is_a_truncated_file_and_not_a_bad_record() {
    for cut in [r#"{"kind":"boat","id":"b"#, r#"{"kind":"term","id":"#, "{"] {
        let run = Run::of_bytes(cut.as_bytes(), true);
        assert_eq!(run.findings(), ["FILE_TRUNCATED -"], "{cut}");
        assert!(!run.outcome.is_usable);
    }
    let complete = term().to_string();
    assert_eq!(
        Run::of_bytes(complete.as_bytes(), false).findings(),
        Vec::<String>::new()
    );
}

#[test]
fn bytes_that_are_not_utf_8_are_found_with_their_column() {
    let run = Run::of_bytes(b"{\"kind\":\"term\",\"name\":\"\xc3\xa9\xff\"}\n", false);
    let listed = run.outcome.findings.listed();
    assert_eq!(
        (listed[0].code.as_str(), listed[0].column),
        ("INVALID_UTF8", Some(25))
    );
}
