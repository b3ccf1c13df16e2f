//! What a line may have, whatever is in it, and how much is said of it.

use serde_json::json;

use super::{Run, boat, check_boat, export_with, with_raw};

/// Values of a minimal boat besides what is under `x_`.
const OTHERS: usize = 11;

/// A list that makes the line of a boat have so many values.
fn list_for(values: usize) -> String {
    format!("[{}0]", "0,".repeat(values - OTHERS - 2))
}

#[test]
fn a_record_has_at_most_250000_values() {
    check_boat("/x_", &list_for(250_000), &[]);
    let export = export_with(with_raw(&boat(), "/x_", &list_for(250_001)));
    let run = Run::of(&export, false);
    let listed = run.outcome.findings.listed();
    let found = listed
        .iter()
        .find(|found| found.code.as_str() == "TOO_MANY_VALUES");
    let message = &found.expect("too many values").message;
    assert_eq!(message, "there are more than 250000 values in it");
}

#[test]
fn a_pointer_has_no_more_of_a_key_than_is_shown_of_a_value() {
    let long = "k".repeat(1000);
    let raw = format!(r#"{{"{long}":{{"a":1,"a":2}}}}"#);
    let cut = format!("REPEATED_KEY /x_/{}…/a", "k".repeat(200));
    check_boat("/x_", &raw, &[&cut]);
    let unknown = json!({ long: 1 }).to_string();
    let cut = format!("UNKNOWN_FIELD /hull/{}…", "k".repeat(200));
    check_boat("/hull", &unknown, &[&cut]);
}
