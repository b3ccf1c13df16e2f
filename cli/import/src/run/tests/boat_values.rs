//! The values of a boat: numbers, years, lengths, addresses, prices, lists.

use serde_json::json;

use super::{Run, boat, check_boat, export_with, with_raw};

/// Checks many spellings of one value: `None` means accepted, `Some` is the code of the finding.
fn check_values(pointer: &str, table: &[(&str, Option<&str>)]) {
    for (raw, code) in table {
        let expected: Vec<String> = code
            .iter()
            .map(|code| format!("{code} {pointer}"))
            .collect();
        let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
        check_boat(pointer, raw, &expected);
    }
}

const RANGE: Option<&str> = Some("OUT_OF_RANGE");
const INEXACT: Option<&str> = Some("INEXACT_NUMBER");
const TYPE: Option<&str> = Some("WRONG_TYPE");

#[test]
fn numbers_are_finite_and_not_negative() {
    let table = [
        ("0", None),
        ("-0.0", None),
        ("12.190", None),
        ("1e3", None),
        ("1e308", None),
        ("1e-400", INEXACT),
        ("-1e-400", RANGE),
        ("-0.1", RANGE),
        ("1e309", RANGE),
        ("-1e309", RANGE),
        ("\"1\"", TYPE),
        ("true", TYPE),
    ];
    for pointer in [
        "/dimensions/beamHull",
        "/dimensions/tonnageNet",
        "/performance/topSpeed",
        "/rig/mastHeight",
        "/sails/upwindArea",
        "/dimensions/ballastWeight",
    ] {
        check_values(pointer, &table);
    }
}

#[test]
fn angles_may_be_negative() {
    check_values(
        "/rig/spreadersAngle",
        &[
            ("-20.5", None),
            ("-20.500000000000000001", INEXACT),
            ("1e309", RANGE),
            ("\"1\"", TYPE),
        ],
    );
}

#[test]
fn numbers_that_readers_of_json_would_change_are_refused() {
    let table = [
        ("9007199254740993", INEXACT),
        ("9007199254740992", None),
        ("90071992547409930e-1", INEXACT),
        ("123456789012345678", INEXACT),
        ("123456789012345680", None),
        ("0.1000000000000000055", INEXACT),
        ("0.10000000000000000000", None),
        ("0.30000000000000004", None),
        ("0.10000000000000001", None),
        ("0.100000000000000003", INEXACT),
        ("9.0999999999999996", None),
        ("1234.5599999999999", None),
        ("0.1000000000000000055511151231257827", None),
        ("9007199254740994", None),
        ("3.14159265358979323846", INEXACT),
        ("3.141592653589793", None),
        ("3.1415926535897932", INEXACT),
        ("1e21", None),
        ("1E+3", None),
        ("1.50", None),
        ("0.0", None),
        ("0e-999999999999", None),
        ("5e-324", INEXACT),
        ("2.225073858507201e-308", INEXACT),
        ("2.2250738585072014e-308", None),
        ("1.7e308", None),
        ("1.7976931348623158e308", INEXACT),
        ("1e400", RANGE),
    ];
    check_values("/dimensions/tonnageGross", &table);
}

#[test]
fn integers_are_judged_by_value_and_not_by_spelling() {
    let fraction = Some("NOT_AN_INTEGER");
    let table = [
        ("0", None),
        ("4.0", None),
        ("40e-1", None),
        ("9007199254740991", None),
        ("9007199254740993", RANGE),
        ("-1", RANGE),
        ("2.5", fraction),
        ("4.0000000000000000000001", fraction),
        ("9007199254740991.0000000001", fraction),
        ("1e-400", fraction),
        ("\"4\"", TYPE),
        ("1e400", RANGE),
    ];
    for pointer in [
        "/accommodation/cabins",
        "/ceClassification/d",
        "/rig/spreadersLevel",
    ] {
        check_values(pointer, &table);
    }
}

#[test]
fn years_are_1800_to_2100_and_in_order() {
    let table = [
        ("1800", None),
        ("2100", None),
        ("1799", RANGE),
        ("2101", RANGE),
        ("1990.0", None),
        ("\"1990\"", TYPE),
    ];
    check_values("/production/firstYear", &table);
    check_boat("/production/lastYear", "1990", &[]);
    check_boat(
        "/production/lastYear",
        "1989",
        &["YEARS_REVERSED /production/lastYear"],
    );
    check_boat("/production/lastYear", "null", &[]);
}

#[test]
fn the_length_overall_is_above_0_at_most_1000_and_has_3_decimals() {
    let precise = Some("TOO_PRECISE");
    check_values(
        "/lengthOverall",
        &[
            ("0.001", None),
            ("1000", None),
            ("1e3", None),
            ("9.1230", None),
            ("0", RANGE),
            ("-1", RANGE),
            ("1000.001", RANGE),
            ("9.1234", precise),
            ("1e999999999", RANGE),
            ("\"9.1\"", TYPE),
            ("1e-999999999", RANGE),
        ],
    );
}

#[test]
fn words_are_those_of_the_format() {
    let unknown = Some("UNKNOWN_VALUE");
    check_values(
        "/unit",
        &[
            ("\"imperial\"", None),
            ("\" metric \"", None),
            ("\"Metric\"", unknown),
            ("1", TYPE),
        ],
    );
    check_values(
        "/published",
        &[("true", None), ("\"true\"", TYPE), ("1", TYPE)],
    );
    let run = Run::of(
        &export_with(with_raw(&boat(), "/unit", "\"imperal\"")),
        false,
    );
    assert_eq!(
        run.outcome.findings.listed()[0].hint.as_deref(),
        Some("did you mean `imperial`?")
    );
}

#[test]
fn identifiers_and_instants_have_their_grammar() {
    let (id, slug) = (Some("INVALID_ID"), Some("INVALID_SLUG"));
    let longest = format!("\"{}\"", "a".repeat(200));
    let too_long = format!("\"{}\"", "a".repeat(201));
    check_values(
        "/id",
        &[
            ("\"a.b-c_D9\"", None),
            (&longest, None),
            (&too_long, id),
            ("\"ä\"", id),
            ("\".a\"", id),
        ],
    );
    check_values(
        "/slug",
        &[
            ("\"first-40.7\"", None),
            (&too_long, slug),
            ("\"a/b\"", slug),
        ],
    );
    let invalid = Some("INVALID_TIMESTAMP");
    check_values(
        "/updatedAt",
        &[
            ("\"2026-10-01T12:00:00+02:00\"", None),
            ("\"2026-10-01\"", invalid),
        ],
    );
}

#[test]
fn images_need_an_address_a_size_and_a_format() {
    let image = |width: &str| {
        format!(r#"{{"url":"https://a.example/b.jpg","width":{width},"height":1,"format":"jpg"}}"#)
    };
    check_boat("/image", &image("1"), &[]);
    check_boat("/image", &image("0"), &["OUT_OF_RANGE /image/width"]);
    check_boat("/image", &image("null"), &["MISSING_FIELD /image/width"]);
    check_boat(
        "/gallery",
        &format!("[{},{}]", image("1"), image("1.5")),
        &["NOT_AN_INTEGER /gallery/1/width"],
    );
    let all = ["url", "width", "height", "format"].map(|key| format!("MISSING_FIELD /image/{key}"));
    check_boat("/image", "{}", &all.each_ref().map(String::as_str));
    check_boat(
        "/image",
        r#"{"url":"a.jpg","width":1,"height":1,"format":"jpg"}"#,
        &["INVALID_URL /image/url"],
    );
}

#[test]
fn a_password_in_an_address_is_not_shown_however_it_is_spelled() {
    for at in ["@", "\\u0040"] {
        let url = format!("https://me:s3cret{at}h.example/b.jpg");
        let image = format!(r#"{{"url":"{url}","width":1,"height":1,"format":"jpg"}}"#);
        let run = Run::of(&export_with(with_raw(&boat(), "/image", &image)), false);
        assert_eq!(run.findings(), ["INVALID_URL /image/url"]);
        let shown = format!("{:?}", run.outcome.findings.listed());
        assert!(!shown.contains("s3cret"), "{shown}");
    }
}

#[test]
fn a_price_is_an_amount_in_a_currency() {
    let price =
        |code: &str| format!(r#"{{"amount":1.5,"currency":{{"code":"{code}","symbol":"€"}}}}"#);
    check_boat("/referencePrice", &price("EUR"), &[]);
    check_boat(
        "/referencePrice",
        &price("EUR").replace("1.5", "99999999999999999.99"),
        &["INEXACT_NUMBER /referencePrice/amount"],
    );
    for code in ["eur", "EU", "EURO", "€€€", "E1R"] {
        check_boat(
            "/referencePrice",
            &price(code),
            &["INVALID_CURRENCY /referencePrice/currency/code"],
        );
    }
    check_boat(
        "/referencePrice",
        r#"{"amount":1}"#,
        &["MISSING_FIELD /referencePrice/currency"],
    );
    check_boat("/referencePrice", "100", &["WRONG_TYPE /referencePrice"]);
}

#[test]
fn lists_have_at_most_10000_members_and_no_holes() {
    let list = |count: usize| json!(vec!["20 l"; count]).to_string();
    check_boat("/tanks/fuel", &list(10_000), &[]);
    check_boat("/tanks/fuel", &list(10_001), &["LIST_TOO_LONG /tanks/fuel"]);
    check_boat(
        "/tanks/fuel",
        r#"["a"," ",null]"#,
        &["MISSING_FIELD /tanks/fuel/1", "MISSING_FIELD /tanks/fuel/2"],
    );
    check_boat("/tanks/fuel", "\"20 l\"", &["WRONG_TYPE /tanks/fuel"]);
    check_boat(
        "/sails/mainsail",
        r#"[{"name":"area"}]"#,
        &["MISSING_FIELD /sails/mainsail/0/value"],
    );
    check_boat(
        "/hull/appendages",
        "[1]",
        &["WRONG_TYPE /hull/appendages/0"],
    );
}
