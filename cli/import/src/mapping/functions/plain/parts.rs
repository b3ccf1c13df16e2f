//! Shared code for the documents of all editors: nested parts, some of unknown types.

use serde_json::Value;

use super::html;
use super::page::{NoPlainText, PARTS_DEPTH_MAX, Page};

/// The keys under which parts of an unknown type may hold text: a text, or a list of texts and
/// parts.
const TEXT_KEYS: [&str; 3] = ["text", CONTENT, "children"];
/// The one of these keys whose text may be HTML.
const CONTENT: &str = "content";

/// Whether a part of an unknown type holds text.
pub(super) fn holds_text(part: &Value) -> bool {
    TEXT_KEYS.iter().any(|key| match part.get(key) {
        Some(Value::String(text)) => !text.trim().is_empty(),
        Some(Value::Array(parts)) => !parts.is_empty(),
        _ => false,
    })
}

/// Adds the text of a part at `depth`, whatever its type; `write` adds the parts inside.
pub(super) fn write_any(
    part: &Value,
    page: &mut Page,
    depth: usize,
    write: fn(&Value, &mut Page, usize) -> Result<(), NoPlainText>,
) -> Result<(), NoPlainText> {
    for key in TEXT_KEYS {
        match part.get(key) {
            Some(Value::String(text)) if key == CONTENT && html::is_html(text) => {
                write_html(text, page)?;
            }
            Some(Value::String(text)) => page.write(text),
            Some(Value::Array(parts)) => {
                let depth = deeper(depth)?;
                for part in parts {
                    match part {
                        Value::String(text) => page.write(text),
                        part => write(part, page, depth)?,
                    }
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Adds the text of HTML.
pub(super) fn write_html(text: &str, page: &mut Page) -> Result<(), NoPlainText> {
    page.write(&html::read(text)?);
    Ok(())
}

/// The members of the list under `key` in `node`; empty if there is no list.
pub(super) fn parts<'a>(node: &'a Value, key: &str) -> &'a [Value] {
    node.get(key)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

/// The text under `key` in `node`; empty if there is no text.
pub(super) fn word<'a>(node: &'a Value, key: &str) -> &'a str {
    node.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// The depth of parts inside a part at `depth`.
pub(super) fn deeper(depth: usize) -> Result<usize, NoPlainText> {
    if PARTS_DEPTH_MAX <= depth {
        return Err(NoPlainText::TooDeep);
    }
    Ok(depth + 1)
}
