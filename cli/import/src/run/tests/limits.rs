//! The limits that apply to every line, and how much of a line is reported.

use serde_json::json;

use super::{Run, boat, check_boat, export_with, manufacturer, with_raw};
use crate::steps::check_each;

/// How many values a minimal boat has besides those under `x_`.
const OTHERS: usize = 11;

/// A list that brings the line of a boat to this many values.
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

/// Checks how many steps each member takes, of a list or of an object whose keys are equally long.
#[track_caller]
fn check_members(each: usize, pointer: &str, (begin, end): (&str, &str), member: &str) {
    check_each(each, member, |members| {
        let keys = 10_000..10_000 + members;
        let members: Vec<String> = keys
            .map(|key| member.replace("KEY", &key.to_string()))
            .collect();
        let raw = format!("{begin}{}{end}", members.join(","));
        Run::of(&[with_raw(&manufacturer(), pointer, &raw)], false);
    });
}

#[test]
fn a_line_of_more_parts_takes_more_steps_by_as_much() {
    let (object, list) = (("{", "}"), ("[", "]"));
    // One step to search the byte before a key, one to look the key up.
    check_members(2, "/x_", object, "\"KEY\":1");
    check_members(2, "/x_", list, "{\"KEY\":1}");
    check_members(0, "/x_", list, "{}");
    // Each column is counted from the previous one, ten bytes away.
    check_members(2 + 10, "/logo", object, "\"KEY\":1");
}
