//! Extracts plain text from the rich text of content systems.
//!
//! The same text gives the same plain text however it was authored: as HTML, or as an editor's
//! document, which may be JSON or a text that holds JSON. Images, embedded records and all emphasis
//! are left out. Text is never lost silently: an unknown form is an error, and parts of an unknown
//! type in a known form keep their text. Nothing here follows a link or runs a script.

mod contentful;
mod editor_js;
mod form;
mod html;
pub(in crate::mapping) mod markdown;
mod nodes;
mod page;
mod parts;
mod portable_text;
mod shortcodes;

use std::borrow::Cow;

use serde_json::Value;

use self::form::{Form, unknown_form};
pub(in crate::mapping) use self::page::NoPlainText;

use self::page::{LENGTH_MAX, Page};

/// The plain text of `value`; `None` if it is null or blank.
///
/// Paragraphs are separated by a blank line. Each item of a list and each row of a table is on a
/// line of its own; items begin with `- `, cells are separated by ` | `. Lines have no surrounding
/// white space. A text without markup is only trimmed, and its line breaks become line feeds.
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

/// Whether a text that [`plain`] reads seems to be Markdown rather than JSON.
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

/// The document that a text holds as JSON. Numbers in brackets, which JSON would read as a list,
/// are prose.
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

/// Whether a text begins with a key of an object, which prose never does.
fn begins_json(text: &str) -> bool {
    let inner = text.trim_start_matches(|c: char| c == '[' || c.is_whitespace());
    let object = inner.strip_prefix('{');
    object.is_some_and(|object| object.trim_start().starts_with('"'))
}

/// The text of blocks, at least one of which must be understood.
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

#[cfg(test)]
mod tests;
