//! Plain text out of the rich text of content systems.
//!
//! The same text gives the same plain text, whichever way it was authored: as HTML, or as the
//! document of an editor, be it JSON or a text that holds JSON. Images, embedded records and all
//! emphasis are left out. Text is never lost without a word: a form that is not known is an error,
//! and of a part of an unknown type within a known form the text is kept. Nothing here follows a
//! link or runs a script.

mod contentful;
mod editor_js;
mod form;
mod html;
pub(in crate::mapping) mod markdown;
mod nodes;
mod page;
mod portable_text;
mod shortcodes;

use std::borrow::Cow;

use serde_json::Value;

use self::form::{Form, unknown_form};
use self::page::Page;

/// Longest text that is read, in bytes, markup included.
const LENGTH_MAX: usize = 1024 * 1024;
/// Deepest nesting of the parts of a text.
const DEPTH_MAX: usize = 100;

/// Why a value has no plain text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(in crate::mapping) enum NoPlainText {
    /// Neither a text nor one of the known forms of rich text.
    #[error(
        "could not read {found} as a text: known are texts, HTML, Portable Text, rich text of \
         Contentful, blocks of Strapi, and documents of Lexical, ProseMirror and Editor.js"
    )]
    UnknownForm {
        /// What the value says of itself.
        found: String,
    },
    /// A text that is neither prose nor JSON.
    #[error("could not read the text: it begins like JSON, and cannot be read as such: {why}")]
    BrokenJson {
        /// What is wrong with the JSON.
        why: String,
    },
    /// The parts of the text are nested too deep.
    #[error("could not read the text: its parts are nested more than {DEPTH_MAX} deep")]
    TooDeep,
    /// One tag of HTML goes on and on.
    #[error("could not read the text: a tag or comment of its HTML is too long")]
    LongTag,
    /// The text is too long.
    #[error("could not read the text: it has more than {LENGTH_MAX} bytes")]
    TooLong,
}

/// The plain text of `value`; null and blank are none.
///
/// Paragraphs are parted by a blank line, items of lists and rows of tables stand on lines of
/// their own, items after `- `, cells parted by ` | `. No line has white space around it.
/// A text without markup is only trimmed, and its line breaks are made line feeds.
pub(in crate::mapping) fn plain(value: &Value) -> Result<Option<String>, NoPlainText> {
    let text = match value {
        Value::Null => return Ok(None),
        Value::String(text) => plain_text(text)?,
        Value::Array(blocks) => document(blocks)?,
        Value::Object(_) => document(std::slice::from_ref(value))?,
        Value::Bool(_) | Value::Number(_) => return Err(unknown_form(value)),
    };
    Ok((!text.is_empty()).then_some(text))
}

/// Whether a text that [`plain`] reads seems to be Markdown, and not JSON.
pub(in crate::mapping) fn looks_like_markdown(text: &str) -> bool {
    !begins_json(text) && markdown::is_likely(text)
}

fn plain_text(text: &str) -> Result<String, NoPlainText> {
    if LENGTH_MAX < text.len() {
        return Err(NoPlainText::TooLong);
    }
    if let Some(document) = document_in(text)? {
        let read = plain(&document).map_err(NoPlainText::within_a_text)?;
        return Ok(read.unwrap_or_default());
    }
    let without_shortcodes = shortcodes::without(text);
    if matches!(without_shortcodes, Cow::Owned(_)) || html::is_html(text) {
        return html::read(&without_shortcodes);
    }
    Ok(text.trim().replace("\r\n", "\n").replace('\r', "\n"))
}

/// The document that a text holds as JSON. A list of numbers in brackets is prose.
fn document_in(text: &str) -> Result<Option<Value>, NoPlainText> {
    let text = text.trim();
    if !text.starts_with(['{', '[']) {
        return Ok(None);
    }
    match serde_json::from_str(text) {
        Ok(Value::Array(parts)) if parts.first().is_some_and(is_bare) => Ok(None),
        Ok(document) => Ok(Some(document)),
        Err(error) if begins_json(text) => Err(NoPlainText::BrokenJson {
            why: error.to_string(),
        }),
        Err(_prose) => Ok(None),
    }
}

fn is_bare(part: &Value) -> bool {
    matches!(part, Value::Null | Value::Bool(_) | Value::Number(_))
}

/// Whether a text begins with a key of an object, as prose never does.
fn begins_json(text: &str) -> bool {
    let inner = text.trim_start_matches(|c: char| c == '[' || c.is_whitespace());
    let object = inner.strip_prefix('{');
    object.is_some_and(|object| object.trim_start().starts_with('"'))
}

/// The text of blocks, of which at least one must be understood.
fn document(blocks: &[Value]) -> Result<String, NoPlainText> {
    let mut page = Page::default();
    let mut is_understood = false;
    for block in blocks {
        let form = Form::of(block).ok_or_else(|| unknown_form(block))?;
        is_understood |= form.understands(block);
        form.write(block, &mut page)?;
    }
    match blocks.first() {
        Some(first) if !is_understood => Err(unknown_form(first)),
        _ => page.finish(),
    }
}

/// Where parts of an unknown type may hold text: a text, or a list of texts and parts.
const TEXT_KEYS: [&str; 3] = ["text", CONTENT, "children"];
/// Under which of them a text may be HTML.
const CONTENT: &str = "content";

fn holds_text(part: &Value) -> bool {
    TEXT_KEYS.iter().any(|key| match part.get(key) {
        Some(Value::String(text)) => !text.trim().is_empty(),
        Some(Value::Array(parts)) => !parts.is_empty(),
        _ => false,
    })
}

/// Adds the text that a part at `depth` holds, whatever its type; `write` adds the parts within.
fn write_any(
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
fn write_html(text: &str, page: &mut Page) -> Result<(), NoPlainText> {
    page.write(&html::read(text)?);
    Ok(())
}

/// The members of the list that `node` has under `key`; no list is an empty one.
fn parts<'a>(node: &'a Value, key: &str) -> &'a [Value] {
    node.get(key)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

/// The text that `node` has under `key`; none is empty.
fn word<'a>(node: &'a Value, key: &str) -> &'a str {
    node.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// The depth of the parts of what is at `depth`.
fn deeper(depth: usize) -> Result<usize, NoPlainText> {
    if DEPTH_MAX <= depth {
        return Err(NoPlainText::TooDeep);
    }
    Ok(depth + 1)
}

#[cfg(test)]
mod tests;
