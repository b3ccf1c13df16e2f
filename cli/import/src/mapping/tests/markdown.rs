//! Tests that Markdown texts read with `plain` are reported together.

use super::*;

const BOATS: &str = r#"
[[emit]]
kind = "boat"
type = "b"
[emit.fields]
description = ".text | plain"
"#;

#[test]
fn records_with_markdown_that_is_not_read_are_told_together() {
    check(
        BOATS,
        r##"{"key":"1","type":"b","text":"#1 boat, 5 * 3 * 2"}
           {"key":"2","type":"b","text":"A **fast** boat"}
           {"key":"3","type":"b","text":"# Boat"}
           {"key":"4","type":"b","text":"{\"type\":\"doc\",\"text\":\"**a** __b__\"}"}"##,
        &[
            r##"1: {"kind":"boat","id":"1","description":"#1 boat, 5 * 3 * 2"}"##,
            r#"2: {"kind":"boat","id":"2","description":"A **fast** boat"}"#,
            r##"3: {"kind":"boat","id":"3","description":"# Boat"}"##,
            r#"4: {"kind":"boat","id":"4","description":"**a** __b__"}"#,
            "2: MARKDOWN_NOT_READ 2 records, from here on, have texts that look like Markdown, and stay as they are; `markdown` reads it, in place of `plain`",
        ],
    );
}

#[test]
fn a_record_with_several_texts_of_markdown_counts_once() {
    let mapping = format!(
        "{BOATS}version = '.text | plain'\n{}",
        BOATS
            .replace("boat", "designer")
            .replace("description", "name")
    );
    check(
        &mapping,
        r#"{"key":"1","type":"b","text":"**a**"}"#,
        &[
            r#"1: {"kind":"boat","id":"1","description":"**a**","version":"**a**"}"#,
            r#"1: {"kind":"designer","id":"1","name":"**a**"}"#,
            "1: MARKDOWN_NOT_READ 1 record has a text that looks like Markdown, and stays as it is; `markdown` reads it, in place of `plain`",
        ],
    );
}

#[test]
fn markdown_that_is_read_is_no_reason_for_a_warning() {
    check(
        &BOATS.replace("plain", "markdown"),
        r#"{"key":"1","type":"b","text":"A **fast** boat"}
           {"key":"2","type":"b","text":null}"#,
        &[
            r#"1: {"kind":"boat","id":"1","description":"A fast boat"}"#,
            r#"2: {"kind":"boat","id":"2"}"#,
        ],
    );
}
