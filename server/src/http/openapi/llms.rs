//! `/llms.txt`: the document as text for language models, and for people with a terminal only.
//!
//! The template decides what is said in which order; everything that is said is the document's.

use askama::Template;
use schemars::Schema;
use serde_json::Value;

use super::{
    KEY_DESCRIPTION, KEY_FORM, SUMMARY, TITLE, description, headers, operations, responses,
};
use crate::contract::errors;

#[derive(Template)]
#[template(path = "openapi/llms.txt")]
struct Llms;

/// The document as text.
pub(super) fn text() -> String {
    let written = Llms.render();
    written.unwrap_or_else(|why| unreachable!("the text cannot be written: {why}"))
}

/// What a value may be, in words.
fn form(schema: &Schema) -> String {
    let get = |key: &str| schema.get(key);
    let mut words = Vec::new();
    match get("enum").and_then(Value::as_array) {
        Some(values) => {
            let values: Vec<String> = values.iter().map(quoted).collect();
            words.push(format!("one of {}", values.join(", ")));
        }
        None => words.extend(get("type").map(plain)),
    }
    for (least, greatest, unit) in [
        ("minLength", "maxLength", " characters"),
        ("minimum", "maximum", ""),
    ] {
        match (get(least), get(greatest)) {
            (Some(least), Some(greatest)) => words.push(format!("{least} to {greatest}{unit}")),
            (None, Some(greatest)) => words.push(format!("at most {greatest}{unit}")),
            (Some(least), None) => words.push(format!("at least {least}{unit}")),
            (None, None) => {}
        }
    }
    words.extend(get("exclusiveMinimum").map(|bound| format!("more than {bound}")));
    words.extend(get("pattern").map(|pattern| format!("matches {}", quoted(pattern))));
    words.extend(get("default").map(|default| format!("default {}", quoted(default))));
    words.join(", ")
}

fn plain(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

fn quoted(value: &Value) -> String {
    format!("`{}`", plain(value))
}
