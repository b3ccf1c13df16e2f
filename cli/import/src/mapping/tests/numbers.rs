//! Tests that a column of numbers has one convention, and that a doubt about it is told.

use super::*;

/// The findings about a column of weights.
#[track_caller]
fn findings(expression: &str, weights: &[&str]) -> Vec<String> {
    let mapping = format!(
        r#"{BEGINNING}
        [[emit]]
        kind = "boat"
        type = "b"
        [emit.fields]
        dimensions.displacement = '{expression}'
        "#
    );
    let lines = weights.iter().enumerate();
    let lines = lines.map(|(at, weight)| {
        let weight = serde_json::Value::from(*weight);
        format!("{{\"key\":\"{at}\",\"type\":\"b\",\"weight\":{weight}}}\n")
    });
    let received = mapped(&mapping, &[("a.ndjson", &lines.collect::<String>())]);
    let is_made = |line: &String| line.contains("{\"kind\":\"boat\"");
    received.into_iter().filter(|line| !is_made(line)).collect()
}

const MEASURE: &str = ".weight | measure(\"kg\")";

#[test]
fn points_between_thousands_beside_a_decimal_comma_are_an_error() {
    let expected = [
        "1: MIXED_NUMBERS `dimensions.displacement`: 5.300, like 1 more, was read with a decimal point, though 8.750,5 (a.ndjson:3) shows decimals after a comma",
    ];
    assert_eq!(findings(MEASURE, &["5.300", "10.000", "8.750,5"]), expected);
    let number = findings(".weight | number", &["5.300", "10.000", "8.750,5"]);
    assert_eq!(number, expected);
    assert_eq!(
        findings(MEASURE, &["1.234.567", "5.300 kg"]),
        [
            "2: MIXED_NUMBERS `dimensions.displacement`: 5.300 kg was read with a decimal point, though 1.234.567 (a.ndjson:1) shows decimals after a comma",
        ]
    );
    assert_eq!(
        findings(".weight | measure(\"lb\")", &["14,330 lbs", "9,5 lbs"]),
        [
            "1: MIXED_NUMBERS `dimensions.displacement`: 14,330 lbs was read with a comma between thousands, though 9,5 lbs (a.ndjson:2) shows decimals after a comma",
        ]
    );
    assert_eq!(
        findings(".weight | money | .amount", &["EUR 14,330", "EUR 9,50"]),
        [
            "1: MIXED_NUMBERS `dimensions.displacement`: EUR 14,330 was read with a comma between thousands, though EUR 9,50 (a.ndjson:2) shows decimals after a comma",
        ]
    );
}

#[test]
fn points_that_nothing_explains_are_a_warning() {
    let expected = [
        "1: AMBIGUOUS_NUMBERS `dimensions.displacement`: 5.300, like 1 more, was read with a decimal point, but may be 5300, as no other number of the column shows which",
    ];
    assert_eq!(findings(MEASURE, &["5.300", "10.000", "7500"]), expected);
    let each = findings("def kg: measure(\"kg\"); .weight | kg", &["5.300", "9.000"]);
    assert_eq!(each, expected);
}

#[test]
fn a_guess_of_a_draft_is_a_warning_until_a_number_proves_it() {
    let guess = ".weight | number(\",?\")";
    assert_eq!(
        findings(guess, &["5.300", "10.000"]),
        [
            "1: AMBIGUOUS_NUMBERS `dimensions.displacement`: 5.300, like 1 more, may have decimals or parted thousands, and was read by the guess that a draft made, as no other number tells which",
        ]
    );
    assert_eq!(findings(guess, &["5.300", "8.750,5"]), [""; 0]);
}

#[test]
fn a_number_without_a_unit_beside_others_in_another_unit_is_an_error() {
    assert_eq!(
        findings(
            ".weight | measure(\"m\")",
            &["45'", "42 ft", "45", "44", "0"]
        ),
        [
            "3: MIXED_NUMBERS `dimensions.displacement`: 45, like 1 more, was read in the unit of the mapping for want of one, though 45' (a.ndjson:1) has another",
        ]
    );
    let numbers = r#"(if . == "7" then 7 else . end) | measure("kg")"#;
    assert_eq!(
        findings(&format!(".weight | {numbers}"), &["7", "9 t"]),
        [
            "1: MIXED_NUMBERS `dimensions.displacement`: 7 was read in the unit of the mapping for want of one, though 9 t (a.ndjson:2) has another",
        ]
    );
    let said = r#".weight | if test("^[0-9.,]+$") then "\(.) ft" else . end | measure("m")"#;
    for (expression, weights) in [
        (said, &["45'", "42 ft", "45"][..]),
        (
            ".weight | measure(\"m\")",
            &["10.5", "11 m", "12.2 m / 40 ft"],
        ),
        (".weight | measure(\"m\")", &["45'", "42 ft", "0", "0.0"]),
        (".weight | measure(\"ft\")", &["45' 6\"", "42 ft", "45"]),
    ] {
        assert_eq!(findings(expression, weights), [""; 0], "{weights:?}");
    }
}

#[test]
fn nothing_is_said_where_the_column_the_unit_or_the_mapping_tells() {
    let none: [&str; 0] = [];
    for (expression, weights) in [
        (MEASURE, &["5.300", "10.000", "9.45"][..]),
        (MEASURE, &["5.300 t", "8,75 t"]),
        (MEASURE, &["5,300 kg / 11,684 lbs"]),
        (MEASURE, &["9,45", "8.750,5"]),
        (".weight | measure(\"kg\"; \",\")", &["5.300", "8.750,5"]),
        (".weight | measure(\"kg\"; \".\")", &["5.300", "10.000"]),
        (".weight | number(\",\")", &["5.300", "8.750,5"]),
    ] {
        assert_eq!(
            findings(expression, weights),
            none,
            "{expression} {weights:?}"
        );
    }
}

#[test]
fn what_is_written_otherwise_than_the_mapping_says_is_an_error() {
    assert_eq!(
        findings(".weight | number(\",\")", &["5.300", "9.45"]),
        [
            "2: boat MAPPING_FAILED /dimensions/displacement could not read \"9.45\" as a number: \"9.45\" is no number with a comma before its decimals, as the mapping has it",
        ]
    );
}

#[test]
fn a_field_that_cannot_have_thousands_leaves_no_doubt() {
    check(
        r#"
        [[emit]]
        kind = "boat"
        type = "b"
        fields.lengthOverall = ".length | number"
        "#,
        r#"{"key":"1","type":"b","length":"10.363"}
           {"key":"2","type":"b","length":"9,45"}"#,
        &[
            r#"1: {"kind":"boat","id":"1","lengthOverall":10.363}"#,
            r#"2: {"kind":"boat","id":"2","lengthOverall":9.45}"#,
        ],
    );
}
