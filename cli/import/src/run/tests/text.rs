//! The rules of text.

use serde_json::json;

use super::{Run, boat, check_boat, designer, export_with, manufacturer, term, with, with_raw};
use crate::format::TEXT_MAX;

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
fn control_characters_are_errors_in_texts_of_every_grammar() {
    for (pointer, raw) in [
        ("/id", "\"boat-1\\u0085\""),
        ("/slug", "\"\\r\\nboat\""),
        ("/manufacturer", "\"maker-1\\u000b\""),
        ("/type", "\"\\u001ctype-1\""),
        ("/unit", "\"metric\\u000c\""),
        ("/updatedAt", "\"2026-10-01T12:00:00Z\\r\""),
        ("/image/url", "\"\\u0085https://a.example\""),
    ] {
        let image = json!({ "width": 1, "height": 1, "format": "png" });
        let boat = if pointer.starts_with("/image") {
            with(boat(), "/image", image)
        } else {
            boat()
        };
        let run = Run::of(&export_with(with_raw(&boat, pointer, raw)), false);
        let expected = format!("CONTROL_CHARACTER {pointer}");
        assert!(run.findings().contains(&expected), "{:?}", run.findings());
    }
    check_boat("/slug", "\"\\n boat\\t\\u3000\"", &[]);
}

#[test]
fn texts_of_every_grammar_have_at_most_64_kib() {
    let fraction = format!("\"2026-10-01T12:00:00.{}Z\"", "1".repeat(TEXT_MAX));
    check_boat("/updatedAt", &fraction, &["TEXT_TOO_LONG /updatedAt"]);
    let padded = format!("\"metric{}\"", " ".repeat(TEXT_MAX));
    check_boat("/unit", &padded, &["TEXT_TOO_LONG /unit"]);
}

#[test]
fn a_text_that_grows_when_it_is_composed_is_measured_after_that_too() {
    // NFC decomposes this letter: 3 bytes become 6.
    let grows = "\u{958}".repeat(TEXT_MAX / 6 + 1);
    check_boat(
        "/description",
        &json!(grows).to_string(),
        &["TEXT_TOO_LONG /description"],
    );
    let fits = "\u{958}".repeat(TEXT_MAX / 6);
    check_boat("/description", &json!(fits).to_string(), &[]);
}

#[test]
fn a_text_has_at_most_64_kib() {
    let text = |text: String| json!(text).to_string();
    let too_long = ["TEXT_TOO_LONG /description"];
    check_boat("/description", &text("x".repeat(TEXT_MAX)), &[]);
    check_boat("/description", &text("x".repeat(TEXT_MAX + 1)), &too_long);
    let letters = text("é".repeat(TEXT_MAX / 2 + 1));
    check_boat("/description", &letters, &too_long);
}

#[test]
fn a_text_of_a_row_has_at_most_2000_characters() {
    let (longest, too_long) = ("é".repeat(2000), "é".repeat(2001));
    let address = |text: &str| {
        format!(
            "https://a.example/{}",
            &text["https://a.example/".len() * 2..]
        )
    };
    let image = json!({ "url": "https://a.example", "width": 1, "height": 1, "format": "png" });
    let price = json!({ "amount": 1, "currency": { "code": "EUR", "symbol": "€" } });
    let boat = with(
        with(boat(), "/image", image.clone()),
        "/referencePrice",
        price,
    );
    let maker = with(manufacturer(), "/logo", image.clone());
    let website = |record| with(record, "/website", json!("https://a.example"));
    for (record, pointer) in [
        (&boat, "/model"),
        (&boat, "/version"),
        (&boat, "/image/url"),
        (&boat, "/image/alt"),
        (&boat, "/image/format"),
        (&boat, "/referencePrice/currency/symbol"),
        (
            &with(boat.clone(), "/gallery", json!(image)),
            "/gallery/url",
        ),
        (&maker, "/name"),
        (&maker, "/logo/url"),
        (&maker, "/logo/alt"),
        (&website(maker.clone()), "/website"),
        (&term(), "/name"),
        (&designer(), "/name"),
        (&website(designer()), "/website"),
    ] {
        let is_address = pointer.ends_with("url") || pointer.ends_with("website");
        for (text, is_refused) in [(&longest, false), (&too_long, true)] {
            let text = if is_address {
                address(text)
            } else {
                text.clone()
            };
            let mut record = with(record.clone(), pointer, json!(text));
            let mut found_at = pointer.to_owned();
            if pointer.starts_with("/gallery") {
                record["gallery"] = json!([record["gallery"]]);
                found_at = pointer.replace("/gallery", "/gallery/0");
            }
            let run = Run::of(&[record.to_string()], false);
            let expected = format!("TEXT_TOO_LONG {found_at}");
            let found = run.findings();
            assert_eq!(
                found.contains(&expected),
                is_refused,
                "{pointer}: {found:?}"
            );
        }
    }
    check_boat("/hull/keelType", &json!(too_long).to_string(), &[]);
}

#[test]
fn a_text_of_a_row_is_counted_as_it_is_served() {
    // Two characters become one, and the spaces around them are removed.
    let composed = json!(format!("  {}  ", "e\u{301}".repeat(2000))).to_string();
    check_boat("/model", &composed, &[]);
    let grows = json!("\u{958}".repeat(1001)).to_string();
    check_boat("/model", &grows, &["TEXT_TOO_LONG /model"]);
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
