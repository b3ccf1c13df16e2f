//! The keys of a boat: required, optional and unknown ones.

use serde_json::{Value, json};

use super::{Run, boat, check_boat, export_with, lines, manufacturer, term, with};

#[test]
fn a_boat_with_the_required_fields_alone_is_served_with_every_key() {
    let run = Run::of(&export_with(boat().to_string()), false);
    assert_eq!(run.findings(), Vec::<String>::new());
    let served = &run.served.boats[0];
    assert_eq!(served["lengthOverallMetres"], json!(9.1));
    assert_eq!(
        served["production"],
        json!({ "firstYear": 1990, "lastYear": null })
    );
    assert_eq!(
        served["type"],
        json!({ "id": "type-1", "name": "Monohull", "slug": "monohull" })
    );
    assert_eq!(served["dimensions"]["lengthOverall"], json!(9.1));
    assert_eq!(served["dimensions"]["beamHull"], Value::Null);
    assert_eq!(served["sails"]["mainsail"], json!([]));
    assert_eq!(served.as_object().unwrap().len(), 27);
    assert_eq!(run.served.manufacturers[0]["boatCount"], json!(1));
}

#[test]
fn absent_null_and_blank_mean_the_same() {
    for key in [
        "id",
        "slug",
        "model",
        "manufacturer",
        "type",
        "unit",
        "lengthOverall",
    ] {
        let expected = format!("MISSING_FIELD /{key}");
        check_boat(&format!("/{key}"), "null", &[&expected]);
        let mut without = boat();
        without.as_object_mut().unwrap().remove(key);
        let run = Run::of(&export_with(without.to_string()), false);
        assert_eq!(run.findings(), [expected.as_str()], "{key}");
        if key != "lengthOverall" {
            check_boat(&format!("/{key}"), "\" \\t\"", &[&expected]);
        }
    }
    check_boat(
        "/production",
        "null",
        &["MISSING_FIELD /production/firstYear"],
    );
    check_boat(
        "/production",
        "{}",
        &["MISSING_FIELD /production/firstYear"],
    );
    for key in ["version", "description", "updatedAt"] {
        check_boat(&format!("/{key}"), "null", &[]);
        check_boat(&format!("/{key}"), "\"  \"", &[]);
    }
    for key in [
        "hull",
        "dimensions",
        "rig",
        "tanks",
        "designers",
        "engines",
        "gallery",
        "image",
        "referencePrice",
        "categories",
        "sails",
        "steering",
        "performance",
        "accommodation",
        "ceClassification",
        "published",
        "activities",
    ] {
        check_boat(&format!("/{key}"), "null", &[]);
    }
}

#[test]
fn every_object_refuses_unknown_keys_and_ignores_private_ones() {
    for object in [
        "",
        "/hull",
        "/dimensions",
        "/accommodation",
        "/steering",
        "/performance",
        "/rig",
        "/sails",
        "/tanks",
        "/designers",
        "/ceClassification",
    ] {
        let pointer = format!("{object}/nonsense");
        check_boat(&pointer, "1", &[&format!("UNKNOWN_FIELD {pointer}")]);
        check_boat(&format!("{object}/x_nonsense"), r#"{"a":[{"b":1}]}"#, &[]);
    }
    check_boat(
        "/production",
        r#"{"firstYear":1990,"year":1}"#,
        &["UNKNOWN_FIELD /production/year"],
    );
    check_boat(
        "/engines",
        r#"[{"a/b~c":1}]"#,
        &["UNKNOWN_FIELD /engines/0/a~1b~0c"],
    );
}

#[test]
fn an_unknown_key_comes_with_the_nearest_known_one() {
    for (key, hint) in [
        ("lenghtOverall", "did you mean `lengthOverall`?"),
        ("Model", "did you mean `model`?"),
        ("lengthOverallMeters", "did you mean `lengthOverall`?"),
        (
            "zzz",
            "the nearest known key is `gallery`; to keep another in the export, begin it with `x_`",
        ),
    ] {
        let record = with(boat(), &format!("/{key}"), json!(1));
        let run = Run::of(&export_with(record.to_string()), false);
        assert_eq!(run.outcome.findings.listed()[0].hint.as_deref(), Some(hint));
    }
}

#[test]
fn a_value_in_place_of_an_object_is_told_the_fields_of_the_object() {
    let objects = [
        ("/referencePrice", json!(100)),
        ("/dimensions", json!("9 m")),
        ("/gallery", json!(["https://img.example/a.jpg"])),
    ];
    let hints = objects.map(|(pointer, value)| {
        let record = with(boat(), pointer, value);
        let run = Run::of(&export_with(record.to_string()), false);
        run.outcome.findings.listed()[0].hint.clone().unwrap()
    });
    insta::assert_snapshot!(hints.join("\n"), @r#"
    its fields are `referencePrice.amount`, `referencePrice.currency.code`, `referencePrice.currency.symbol`; a mapping makes each by a line of its own
    its fields are `dimensions.lengthOverall`, `dimensions.lengthWaterline`, `dimensions.beamOverall`, `dimensions.beamCabinLine`, `dimensions.beamHull` and 10 others; a mapping makes each by a line of its own
    its fields are `gallery[].url`, `gallery[].alt`, `gallery[].width`, `gallery[].height`, `gallery[].format`; a mapping makes each by a line of its own
    "#);
}

#[test]
fn a_repeated_key_is_an_error_in_every_object() {
    check_boat(
        "/rig",
        r#"{"spars":"a","spars":"a"}"#,
        &["REPEATED_KEY /rig/spars"],
    );
    check_boat("/rig", r#"{"x_a":1,"x_a":1}"#, &["REPEATED_KEY /rig/x_a"]);
    check_boat(
        "/x_a",
        r#"[{"b":{"c":1,"d":2,"c":3}},{"b":{}}]"#,
        &["REPEATED_KEY /x_a/0/b/c"],
    );
    check_boat(
        "/rig",
        r#"{"spars":"a","\u0073pars":"b"}"#,
        &["REPEATED_KEY /rig/spars"],
    );
    check_boat(
        "/id",
        r#""boat-1","published":true,"published":true"#,
        &["REPEATED_KEY /published"],
    );
    check_boat("/id", r#""boat-1","kind":"boat""#, &["REPEATED_KEY /kind"]);
}

#[test]
fn derived_fields_are_refused_unless_they_say_nothing() {
    check_boat(
        "/lengthOverallMetres",
        "9.1",
        &["DERIVED_FIELD /lengthOverallMetres"],
    );
    check_boat("/lengthOverallMetres", "null", &[]);
    check_boat("/dimensions/lengthOverall", "9.10", &[]);
    check_boat(
        "/dimensions/lengthOverall",
        "9.2",
        &["LENGTH_MISMATCH /dimensions/lengthOverall"],
    );
    let maker = with(manufacturer(), "/boatCount", json!(3));
    let run = Run::of(&lines(&[maker, term(), boat()]), false);
    assert_eq!(
        run.findings(),
        [
            "DERIVED_FIELD /boatCount",
            "REFERENCE_TO_INVALID /manufacturer"
        ]
    );
}

#[test]
fn references_are_ids_and_never_records() {
    for pointer in ["/manufacturer", "/type", "/hull/type", "/hull/material"] {
        let expected = format!("EXPANDED_REFERENCE {pointer}");
        check_boat(pointer, r#"{"id":"type-1","name":"x"}"#, &[&expected]);
        check_boat(pointer, "7", &[&format!("WRONG_TYPE {pointer}")]);
        check_boat(pointer, "\"no such\"", &[&format!("INVALID_ID {pointer}")]);
        check_boat(
            pointer,
            "\"none\"",
            &[&format!("DANGLING_REFERENCE {pointer}")],
        );
    }
    for list in [
        "/categories",
        "/activities",
        "/designers/naval",
        "/designers/interior",
        "/designers/exterior",
    ] {
        check_boat(
            list,
            r#"["none"]"#,
            &[&format!("DANGLING_REFERENCE {list}/0")],
        );
        check_boat(list, "[{}]", &[&format!("EXPANDED_REFERENCE {list}/0")]);
        check_boat(list, "[null]", &[&format!("MISSING_FIELD {list}/0")]);
    }
    check_boat("/designers/naval", r#"["designer-1"]"#, &[]);
    // A term of another vocabulary does not count.
    check_boat(
        "/categories",
        r#"["type-1"]"#,
        &["DANGLING_REFERENCE /categories/0"],
    );
}

#[test]
fn everything_that_is_wrong_is_found_at_once() {
    let record = r#"{"kind":"boat","id":"-","model":1,"unit":"feet","lengthOverall":-1,"production":[],"hull":{"unsinkable":"no"},"engines":[{"maker":2},3]}"#;
    let run = Run::of(&export_with(record.to_owned()), false);
    let mut found = run.findings();
    found.sort();
    let mut expected = [
        "INVALID_ID /id",
        "MISSING_FIELD /slug",
        "WRONG_TYPE /model",
        "UNKNOWN_VALUE /unit",
        "OUT_OF_RANGE /lengthOverall",
        "WRONG_TYPE /production",
        "WRONG_TYPE /hull/unsinkable",
        "WRONG_TYPE /engines/0/maker",
        "WRONG_TYPE /engines/1",
        "MISSING_FIELD /manufacturer",
        "MISSING_FIELD /type",
    ];
    expected.sort_unstable();
    assert_eq!(found, expected);
}
