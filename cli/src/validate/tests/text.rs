//! The rules of text.

use serde_json::json;

use super::super::text::TEXT_MAX;
use super::{Run, boat, check_boat, export_with, with_raw};

fn served_model(raw: &str) -> String {
    let run = Run::of(&export_with(with_raw(&boat(), "/model", raw)), false);
    run.served.boats[0]["model"].as_str().unwrap().to_owned()
}

#[test]
fn texts_are_composed_and_trimmed() {
    assert_eq!(
        served_model("\" \\n Be\u{301}ne\u{301}teau\u{a0}\""),
        "Bénéteau"
    );
    assert_eq!(served_model("\"Be\\u0301 \\\"x\\\"\""), "Bé \"x\"");
    assert_eq!(served_model("\"a\\tb\\nc\""), "a\tb\nc");
}

#[test]
fn control_characters_are_errors_wherever_they_stand() {
    for raw in [
        "\"a\\u0000b\"",
        "\"a\\r\\n\"",
        "\"\\u0085a\"",
        "\"a\\u007f\"",
        "\"\\u001b[0m\"",
    ] {
        check_boat("/model", raw, &["CONTROL_CHARACTER /model"]);
    }
    check_boat("/model", "\"a\\u2028b\"", &[]);
}

#[test]
fn a_text_has_at_most_64_kib() {
    check_boat("/model", &json!("x".repeat(TEXT_MAX)).to_string(), &[]);
    check_boat(
        "/model",
        &json!("x".repeat(TEXT_MAX + 1)).to_string(),
        &["TEXT_TOO_LONG /model"],
    );
    check_boat(
        "/model",
        &json!("é".repeat(TEXT_MAX / 2 + 1)).to_string(),
        &["TEXT_TOO_LONG /model"],
    );
}

#[test]
fn lost_characters_and_markup_are_warnings_that_stop_nothing() {
    for (pointer, raw, found) in [
        ("/model", "\"B\u{fffd}n\"", "REPLACEMENT_CHARACTER /model"),
        (
            "/description",
            "\"<b>a</b>\"",
            "MARKUP_IN_DESCRIPTION /description",
        ),
    ] {
        let run = Run::of(&export_with(with_raw(&boat(), pointer, raw)), false);
        assert_eq!(run.findings(), [found]);
        assert!(run.outcome.is_usable);
        assert_eq!(run.served.boats.len(), 1);
    }
    check_boat("/model", "\"<b>a</b>\"", &[]);
}

#[test]
fn a_shown_value_is_cut_at_200_characters() {
    let run = Run::of(
        &export_with(with_raw(
            &boat(),
            "/unit",
            &json!("é".repeat(300)).to_string(),
        )),
        false,
    );
    let value = run.outcome.findings.listed()[0].value.clone().unwrap();
    assert_eq!(value, format!("{}…", "é".repeat(200)));
}
