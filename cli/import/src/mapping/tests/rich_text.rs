//! Tests of what a mapping says about rich text, and of how nodes that are not known are told.

use super::*;

const BOATS: &str = r#"
[[emit]]
kind = "boat"
type = "b"
[emit.fields]
description = ".body | plain"
"#;

/// A text with a node of a kind of its own.
const LINES: &str = r#"{"key":"1","type":"b","body":[{"_type":"block","children":[{"_type":"span","text":"She draws "},{"_type":"measure","value":"1.7 m"},{"_type":"span","text":" only."}]}]}
{"key":"2","type":"b","body":[{"_type":"block","children":[{"_type":"measure"},{"_type":"measure"}]},{"_type":"gallery"}]}"#;

#[test]
fn nodes_that_are_not_known_are_told_once_for_each_kind() {
    check(
        BOATS,
        LINES,
        &[
            r#"1: {"kind":"boat","id":"1","description":"She draws  only."}"#,
            r#"2: {"kind":"boat","id":"2"}"#,
            "2: RICH_TEXT_NOT_READ 1 record has rich text with nodes of the kind `gallery`, which is not known: of these `plain` keeps no more than their `text`, `content` and `children`",
            "1: RICH_TEXT_NOT_READ 2 records, from here on, have rich text with nodes of the kind `measure`, which is not known: of these `plain` keeps no more than their `text`, `content` and `children`",
        ],
    );
}

#[test]
fn a_mapping_may_say_what_a_kind_is() {
    let kinds = r#"
    [rich_text.blocks]
    measure = { as = "text", from = "value" }
    gallery = { as = "ignored" }
    "#;
    check(
        &format!("{kinds}{BOATS}"),
        LINES.lines().next().unwrap(),
        &[r#"1: {"kind":"boat","id":"1","description":"She draws 1.7 m only."}"#],
    );
}

#[test]
fn shortcodes_go_only_where_a_mapping_says_so() {
    let line = r#"{"key":"1","type":"b","body":"The [audio] system, hull form [TYPE_A]."}"#;
    check(
        BOATS,
        line,
        &[r#"1: {"kind":"boat","id":"1","description":"The [audio] system, hull form [TYPE_A]."}"#],
    );
    check(
        &format!("[rich_text]\nshortcodes = true\n{BOATS}"),
        line,
        &[r#"1: {"kind":"boat","id":"1","description":"The\n\nsystem, hull form ."}"#],
    );
}

#[test]
fn kinds_without_number_are_told_together() {
    let nodes: Vec<String> = (0..150)
        .map(|kind| format!("{{\"type\":\"k{kind:03}\"}}"))
        .collect();
    let line = format!(
        "{{\"key\":\"1\",\"type\":\"b\",\"body\":{{\"type\":\"doc\",\"content\":[{}]}}}}",
        nodes.join(",")
    );
    let mapping = format!("{BEGINNING}{BOATS}");
    let told = mapped(&mapping, &[("a.ndjson", &line)]);
    assert_eq!(told.len(), 1 + 101);
    assert!(
        told.iter()
            .any(|line| line.contains("nodes of the kind `others`"))
    );
}
