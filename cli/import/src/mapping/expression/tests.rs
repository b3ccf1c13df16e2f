//! Tests of expressions: what they can see, what they cannot, and how their mistakes are reported.

mod library;

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::library::OUTSIDE;
use super::*;
use crate::image::ImageSize;
use crate::mapping::functions::measure::Convention;
use crate::mapping::functions::plain::RichText;

/// Far more than anyone needs.
const BRACKETS: usize = 20_000;

/// A mapping that says nothing about rich text.
static RICH_TEXT: RichText = RichText {
    has_shortcodes: false,
    blocks: BTreeMap::new(),
};

/// A context that knows a record, a draft, a link and a table.
struct Known;

impl EvalContext for Known {
    fn record(&self, key: &str) -> Result<Referred<Val>, String> {
        Ok(known(key).map(|()| from_json(&json!({ "name": "Maker" }))))
    }

    fn public_id(&self, key: &str) -> Referred<String> {
        known(key).map(|()| "maker-1".to_owned())
    }

    fn linked(&self, from: Option<&str>, field: &str) -> Vec<String> {
        if let Some(from) = from {
            vec![format!("{from}:{field}")]
        } else if field == "tags" {
            vec!["a".to_owned(), "b".to_owned()]
        } else {
            Vec::new()
        }
    }

    fn rich_text(&self) -> &RichText {
        &RICH_TEXT
    }

    fn note_markdown(&self) {}
    fn note_number(&self, _given: &str, _convention: Convention) {}
    fn note_unknown_node(&self, _kind: &str) {}
    fn looked_up(&self, _of: &Val, _key: Option<&str>, _is_expected: bool) {}
    fn read(&self, _value: &Val) {}
    fn joined(&self, join: &str, key: &str) -> Result<Vec<Val>, String> {
        match join {
            "rows" => Ok(vec![Val::from(key.to_owned())]),
            _ => Err(format!("there is no join [joins.{join}]")),
        }
    }

    fn image(&self, path: &str) -> Result<Option<ImageSize>, String> {
        let image = ImageSize {
            width: 3,
            height: 2,
            format: "png",
        };
        Ok((path == "a.png").then_some(image))
    }

    fn now(&self) -> i64 {
        1_790_000_000
    }

    fn lookup(&self, table: &str, word: &str) -> Result<Val, String> {
        Ok(Val::from(format!("{table}:{word}")))
    }
}

fn known(key: &str) -> Referred<()> {
    match key {
        "maker" => Referred::Published(()),
        "draft" => Referred::Unpublished,
        _ => Referred::Nowhere,
    }
}

/// The JSON, or the error, of an expression for an input. It is the same if the expression is
/// observed.
fn evaluate(code: &str, input: &Value) -> Result<String, String> {
    let [plain, observed] = [false, true].map(|is_observed| evaluate_as(code, input, is_observed));
    assert_eq!(plain, observed, "{code}");
    plain
}

fn evaluate_as(code: &str, input: &Value, is_observed: bool) -> Result<String, String> {
    let variables = ["$record".to_owned(), "$base".to_owned()];
    let program = Program::compile(code, "def twice: . + .;", &variables, is_observed)?;
    let values = [from_json(input), Val::from("https://a".to_owned())];
    let value = program.evaluate(from_json(input), values, &Known)?;
    let mut text = String::new();
    write_json(&value, &mut text)?;
    Ok(text)
}

#[track_caller]
fn check(code: &str, input: &Value, expected: &str) {
    assert_eq!(evaluate(code, input).as_deref(), Ok(expected), "{code}");
}

#[track_caller]
fn check_error(code: &str, input: &Value, expected: &str) {
    assert_eq!(evaluate(code, input), Err(expected.to_owned()), "{code}");
}

#[test]
fn an_expression_sees_its_input_the_variables_and_the_definitions() {
    check(".a.b", &json!({ "a": { "b": "é" } }), r#""é""#);
    check(
        "$base + \"/\" + $record.a",
        &json!({ "a": "x" }),
        r#""https://a/x""#,
    );
    check("twice", &json!("a"), r#""aa""#);
    check("[.[] | select(. > 1)]", &json!([1, 2, 3]), "[2,3]");
    check("empty // null", &json!(1), "null");
    check(".missing", &json!({}), "null");
}

#[test]
fn an_expression_has_one_value() {
    let none = "it has no value; add `// null` for null";
    check_error("empty", &json!(1), none);
    check_error(".[] | select(. > 2)", &json!([1, 2]), none);
    check_error("capture(\"(?<n>[0-9])\")", &json!("a"), none);
    let several = "it has several values; put [ and ] around it for a list";
    check_error(".[]", &json!([1, 2]), several);
}

#[test]
fn plain_paths_are_what_programs_make_of_them() {
    let inputs = [
        json!({ "a": { "b": { "c": 1 } } }),
        json!({ "a": { "b": null } }),
        json!({ "a": null }),
        json!({ "a": [1] }),
        json!({ "a": { "b": "text" } }),
        json!(null),
        json!(1),
    ];
    for code in [".", ".a", ".a.b", ".a.b.c", " .a.b\n", ".a.b.c.d"] {
        for input in &inputs {
            let as_program = evaluate(&format!("{code} | ."), input);
            assert_eq!(evaluate(code, input), as_program, "{code} {input}");
        }
    }
}

#[test]
fn numbers_keep_their_digits() {
    let node = crate::json::parse(r#"{"a":12.190,"b":9007199254740993,"c":-0.5e3}"#, 32).unwrap();
    let mut text = String::new();
    write_json(&from_node(&node), &mut text).unwrap();
    assert_eq!(text, r#"{"a":12.190,"b":9007199254740993,"c":-0.5e3}"#);
}

#[test]
fn native_functions_reach_records_links_and_tables() {
    check("deref", &json!("maker"), r#"{"name":"Maker"}"#);
    check("[pub, deref]", &json!(null), "[null,null]");
    check(
        "map(pub)",
        &json!(["maker", "other"]),
        r#"["maker-1","other"]"#,
    );
    check("map(pub, deref)", &json!(["draft"]), "[null,null]");
    check(r#"links("tags")"#, &json!({}), r#"["a","b"]"#);
    check(r#"links("other")"#, &json!({}), "[]");
    check(r#"links(.a; "tags")"#, &json!({"a": "b"}), r#"["b:tags"]"#);
    check(r#"links(.a; "tags")"#, &json!({"a": 3}), r#"["3:tags"]"#);
    check(r#"links(.a; "tags")"#, &json!({}), "[]");
    check(
        r#"[., 7, null | joined("rows")]"#,
        &json!("a"),
        r#"[["a"],["7"],[]]"#,
    );
    check(
        "[null, 1, [2], {a: 3}] | map(many)",
        &json!(1),
        r#"[[],[1],[2],[{"a":3}]]"#,
    );
    check(
        r#"[image_size("a.png", "b.png", null)]"#,
        &json!(1),
        r#"[{"width":3,"height":2,"format":"png"},null,null]"#,
    );
    check("def many: 7; many", &json!(1), "7");
    check(r#"lookup("keel")"#, &json!("fin"), r#""keel:fin""#);
    check(r#"lookup("keel")"#, &json!(3), r#""keel:3""#);
    check(r#"measure("m")"#, &json!("34.58' / 10.54m"), "10.54");
    check(r#"measure("m")"#, &json!(10.5), "10.5");
    check(r#"measure("m")"#, &json!(10.363_199_999), "10.363");
    check(
        "map(number)",
        &json!(["16,6", 2.50, null, " "]),
        "[16.6,2.5,null,null]",
    );
    check("year", &json!("c. 1974"), "1974");
    check("year", &json!(1974), "1974");
    check("plain", &json!("<p>a &amp; b</p>"), r#""a & b""#);
    check("slugify", &json!("Bénéteau 40"), r#""beneteau-40""#);
    check_error("deref", &json!("x"), "no record has the key x");
    check_error("deref", &json!([1]), "this needs a text, not [1]");
}

#[test]
fn numbers_amounts_and_lists_are_read_as_the_arguments_say() {
    check(
        r#"[measure("kg"; ",", ".")]"#,
        &json!("5.300 kg"),
        "[5300,5.3]",
    );
    check(
        r#"[number(",", ".", null)]"#,
        &json!("5.300"),
        "[5300,5.3,5.3]",
    );
    check(
        r#"map(money(null, "EUR"; ","))"#,
        &json!(["€ 9.000,50", 7.125, null]),
        r#"[{"amount":9000.5,"currency":"EUR"},{"amount":9000.5,"currency":"EUR"},{"amount":7.125,"currency":null},{"amount":7.125,"currency":"EUR"},null,null]"#,
    );
    check(
        "[money.amount, money.currency]",
        &json!("610 000 EUR"),
        r#"[610000,"EUR"]"#,
    );
    check(
        r#"map(list(","))"#,
        &json!([
            "\"Judel, Vrolijk & Co\",Rob Humphreys",
            ["a, b ", 5, null, ""],
            null
        ]),
        r#"[["Judel, Vrolijk & Co","Rob Humphreys"],["a, b","5"],[]]"#,
    );
    check_error(
        "number(\"'\")",
        &json!("1"),
        "what stands before decimals is \".\", \",\" or null",
    );
}

#[test]
fn nothing_outside_can_be_reached() {
    check("now", &Value::Null, "1790000000");
    check("now | todate", &Value::Null, r#""2026-09-21T14:13:20Z""#);
    for code in OUTSIDE {
        let error = evaluate(code, &json!(1)).unwrap_err();
        let expected = format!("there is no function `{code}`");
        assert!(error.starts_with(&expected), "{error}");
    }
    check_error(
        "$ENV",
        &json!(1),
        "there is no variable `$ENV`; settings stand in [variables]",
    );
    check_error(
        r#"import "a" as a; ."#,
        &json!(1),
        "modules cannot be used in a mapping",
    );
    check_error(
        r#"include "a"; ."#,
        &json!(1),
        "modules cannot be used in a mapping",
    );
}

#[test]
fn a_definition_must_not_call_itself() {
    for code in [
        "def a: 1 + a; a",
        "def plain: plain | ascii_downcase; plain",
        "def a(f): f | map(a(f)); a(.)",
        "[def a: \"x \\(a)\"; a]",
        "def b: 1; def a: def c: 2; b + a; a",
    ] {
        let error = evaluate(code, &json!(1)).unwrap_err();
        assert!(
            error.contains("calls itself, which no definition may; give it another name, or"),
            "{code}: {error}"
        );
    }
    check("def b: 1; def a: def c: 2; b + c; a + b", &json!(1), "4");
    check("def a: .a; a", &json!({ "a": 1 }), "1");
    check(
        "def a: {a, b: .b}; a",
        &json!({ "a": 1, "b": 2 }),
        r#"{"a":1,"b":2}"#,
    );
    check_error(
        &"(".repeat(BRACKETS),
        &json!(1),
        "brackets are nested more than 100 deep",
    );
    check("fromjson | .a", &json!(r#"{"a":1.50}"#), "1.50");
    let deep = "[".repeat(BRACKETS);
    check_error(
        "fromjson",
        &json!(deep),
        "objects and lists are nested more than 128 deep",
    );
}

#[test]
fn mistakes_are_told() {
    check_error(
        ".a | |",
        &json!(1),
        "this is not jq: term expected instead of `|`",
    );
    check_error(
        "(.a",
        &json!(1),
        "this is not jq: closing parenthesis expected instead of the end of it",
    );
    check_error(".a | titel", &json!(1), "there is no function `titel`");
    check_error("$titel", &json!(1), "there is no variable `$titel`");
    check_error(
        ".[]",
        &json!([1, 2]),
        "it has several values; put [ and ] around it for a list",
    );
    check_error(".a", &json!("text"), "cannot index \"text\" with \"a\"");
    check_error(
        "infinite",
        &json!(1),
        "inf is not a number that a record can have",
    );
    check_error(
        "nan",
        &json!(1),
        "NaN is not a number that a record can have",
    );
}

#[test]
fn products_are_what_they_were_wherever_they_stand() {
    let boat = json!({ "a": 2, "b": [3, 4], "c": { "d": "x" } });
    for (code, expected) in [
        ("3 * .a * 1.5", "9.0"),
        (".c.d * 3", r#""xxx""#),
        ("2 * .c.d", r#""xx""#),
        (".c.d * 0", "null"),
        (".c * {e: 1}", r#"{"d":"x","e":1}"#),
        ("[(1, 2) * (3, 4)]", "[3,4,6,8]"),
        (".a *= 5 | .a", "10"),
        ("[.b[] *= (1, 2) | .b]", "[[3,4],[6,8]]"),
        (".a as $x | .b | .[0] *= $x", "[6,4]"),
        ("def f(g): g * 2; f(.a) | f(.)", "8"),
        ("reduce .b[] as $n (1; . * $n)", "12"),
        (r#""\(.a * 2)""#, r#""4""#),
        ("if .a * 2 == 4 then .b[.a * 0.5 | floor] else 0 end", "4"),
        ("{(.c.d * 2): (.a * 3)}", r#"{"xx":6}"#),
        (". as {(\"a\" * 1): $n} | $n", "2"),
        ("try (.b * 2) catch 7", "7"),
        ("-(.a * 2)", "-4"),
        ("label $out | .a * 2, break $out", "4"),
        (".b[.a * 0 : .a * 1]", "[3,4]"),
    ] {
        check(code, &boat, expected);
    }
}

#[test]
fn a_number_keeps_its_spelling() {
    for number in [
        "0",
        "-0",
        "-0.0",
        "1.50",
        "1e3",
        "12345678901234567890123456789",
    ] {
        let value = from_text(number, 1).unwrap();
        let mut text = String::new();
        write_json(&value, &mut text).unwrap();
        assert_eq!(text, number);
    }
}

#[test]
fn a_text_times_a_number_is_no_longer_than_a_record_can_be() {
    let error = "a text times a number would have more than 1048576 bytes";
    for code in [
        r#""x" * 10000000000"#,
        r#"9223372036854775807 * "xx""#,
        r#""x" * 100000000000000000000000000"#,
        r#"{a: "x"} | .a *= 1000000000000 | .a"#,
        r#""x" * 1000 * 1000 * 1000 * 1000"#,
        r#". as {("x" * 10000000000): $x} | 1"#,
        r#".["x" * 10000000000]?"#,
        "twice | (\"x\" | tobytes) * 10000000000",
    ] {
        check_error(code, &json!("a"), error);
    }
    check(r#"try ("x" * 10000000000) catch 1"#, &Value::Null, "1");
    check(r#"("x" * 1048576) | length"#, &Value::Null, "1048576");
    check(r#""" * 100000000000000000000000000"#, &Value::Null, r#""""#);
}

#[test]
fn what_differs_from_jq_is_what_the_page_says() {
    for (code, expected) in [
        (r#""a\nb" | test("a.b"; "s")"#, "true"),
        ("1 / 0 | isinfinite", "true"),
        (r#""x" * 0"#, "null"),
        ("[1] | map_values(., 2)", "[1,2]"),
        ("[limit(-1; 1, 2)]", "[]"),
        (r#"" 5 " | tonumber"#, "5"),
        ("1700000000.5 | todate", r#""2023-11-14T22:13:20.5Z""#),
        ("8 | gamma", "5040.0"),
    ] {
        check(code, &json!(null), expected);
    }
    for code in [
        "[1] | .[3] = 1",
        "[1] | .[0.5]",
        "null | .[1:]",
        r#""10:20" | strptime("%H:%M")"#,
        ".a.b = 1",
    ] {
        assert!(evaluate(code, &json!(null)).is_err(), "{code}");
    }
}

#[test]
fn an_expression_begins_by_a_key_unless_that_may_be_missing() {
    for (code, expected) in [
        (".a", Some("a")),
        (".\"a b\".c[0] | plain", Some("a b")),
        (".a as $x | .b", Some("a")),
        (".a?", None),
        (".a // .b", None),
        ("[.a]", None),
        (".[0].a", None),
        ("$record.a", None),
    ] {
        assert_eq!(leading_key(code).as_deref(), expected, "{code}");
    }
}
