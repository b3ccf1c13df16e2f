//! Plain text out of the rich text of content systems.
//!
//! The same text gives the same plain text, whichever way it was authored: as HTML, Portable
//! Text, the rich text of Contentful, or the blocks of Strapi. Images, embedded records and all
//! emphasis are left out. Nothing here follows a link or runs a script.

mod contentful;
mod html;
mod page;
mod portable_text;
mod strapi;

use serde_json::Value;

use self::page::Page;
use super::quoted;

/// Longest text that is read, in bytes, markup included.
const LENGTH_MAX: usize = 1024 * 1024;
/// Deepest nesting of the parts of a text.
const DEPTH_MAX: usize = 100;

/// Why a value has no plain text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(in crate::mapping) enum NoPlainText {
    /// Neither a text nor one of the known forms of rich text.
    #[error(
        "could not read {found} as a text: it is not a text, HTML, Portable Text, rich text of \
         Contentful or blocks of Strapi"
    )]
    UnknownForm {
        /// The beginning of the value.
        found: String,
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
        Value::Array(blocks) => {
            let mut page = Page::default();
            for block in blocks {
                write_block(block, &mut page)?;
            }
            page.finish()?
        }
        Value::Object(_) => {
            let mut page = Page::default();
            write_block(value, &mut page)?;
            page.finish()?
        }
        Value::Bool(_) | Value::Number(_) => return Err(unknown_form(value)),
    };
    Ok((!text.is_empty()).then_some(text))
}

fn plain_text(text: &str) -> Result<String, NoPlainText> {
    if LENGTH_MAX < text.len() {
        return Err(NoPlainText::TooLong);
    }
    if html::is_html(text) {
        return html::read(text);
    }
    Ok(text.trim().replace("\r\n", "\n").replace('\r', "\n"))
}

/// Adds one block, whose form its own keys tell.
fn write_block(block: &Value, page: &mut Page) -> Result<(), NoPlainText> {
    let has = |key: &str| block.get(key).is_some_and(Value::is_string);
    if has("nodeType") {
        contentful::write(block, page)
    } else if has("_type") {
        portable_text::write(block, page);
        Ok(())
    } else if has("type") {
        strapi::write(block, page)
    } else {
        Err(unknown_form(block))
    }
}

fn unknown_form(value: &Value) -> NoPlainText {
    let found = match value {
        Value::Object(members) => {
            let keys: Vec<&str> = members.keys().take(5).map(String::as_str).collect();
            format!("an object with the keys {keys:?}")
        }
        Value::Array(_) => "a list within the list".to_owned(),
        Value::String(text) => format!("{:?} within a list", quoted(text)),
        other => other.to_string(),
    };
    NoPlainText::UnknownForm {
        found: quoted(&found),
    }
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
