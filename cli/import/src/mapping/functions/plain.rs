//! Extracts plain text from the rich text of content systems.
//!
//! The same text gives the same plain text however it was authored: as HTML, or as an editor's
//! document, which may be JSON or a text that holds JSON. Images, embedded records and all emphasis
//! are left out. Text is never lost silently: an unknown form is an error, and kinds of nodes that
//! are not known in a known form are named. Nothing here follows a link or runs a script.

mod html;
pub(in crate::mapping) mod markdown;
mod page;
mod quill;
mod shortcodes;
mod systems;
mod walker;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

pub(in crate::mapping) use self::page::NoPlainText;
pub(in crate::mapping) use self::systems::Kind;
pub(in crate::mapping) use self::walker::Block;

use self::page::LENGTH_MAX;
use self::walker::{Walker, unknown_form};

/// What a mapping says about rich text.
#[derive(Debug, Default)]
pub(in crate::mapping) struct RichText {
    /// Whether the shortcodes of WordPress are removed.
    pub(in crate::mapping) has_shortcodes: bool,
    /// Kinds of nodes by name. They come before those that are known.
    pub(in crate::mapping) blocks: BTreeMap<String, Block>,
}

/// The plain text of a value.
#[derive(Debug, Default)]
pub(in crate::mapping) struct Plain {
    /// `None` if the value is null or blank.
    pub(in crate::mapping) text: Option<String>,
    /// The kinds of its nodes that are not known. Some of their text may be missing.
    pub(in crate::mapping) unknown: BTreeSet<String>,
}

impl RichText {
    /// The plain text of `value`.
    ///
    /// Paragraphs are separated by a blank line. Each item of a list and each row of a table is on
    /// a line of its own; items begin with `- ` or their number, cells are separated by ` | `.
    /// Lines have no surrounding white space. A text without markup is only trimmed, and its line
    /// breaks become line feeds.
    pub(in crate::mapping) fn plain(&self, value: &Value) -> Result<Plain, NoPlainText> {
        let (text, unknown) = match value {
            Value::Null => return Ok(Plain::default()),
            Value::String(text) => match self.plain_text(text)? {
                Held::Text(text) => (text, BTreeSet::new()),
                Held::Document(document) => {
                    return self.plain(&document).map_err(NoPlainText::within_a_text);
                }
            },
            Value::Array(_) | Value::Object(_) => self.document(value)?,
            Value::Bool(_) | Value::Number(_) => return Err(unknown_form(value)),
        };
        let text = (!text.is_empty()).then_some(text);
        Ok(Plain { text, unknown })
    }

    fn plain_text(&self, text: &str) -> Result<Held, NoPlainText> {
        if LENGTH_MAX < text.len() {
            return Err(NoPlainText::TooLong);
        }
        if let Some(document) = document_in(text)? {
            return Ok(Held::Document(document));
        }
        let without_shortcodes = if self.has_shortcodes {
            shortcodes::without(text)
        } else {
            Cow::Borrowed(text)
        };
        if matches!(without_shortcodes, Cow::Owned(_)) || html::is_html(text) {
            return html::read(&without_shortcodes).map(Held::Text);
        }
        let text = text.trim().replace("\r\n", "\n").replace('\r', "\n");
        Ok(Held::Text(text))
    }

    fn document(&self, value: &Value) -> Result<(String, BTreeSet<String>), NoPlainText> {
        let mut walker = Walker::new(&self.blocks);
        match (quill::insertions(value), value.as_array()) {
            (Some(insertions), _) => quill::write(insertions, &mut walker)?,
            (None, Some(nodes)) => walker.document(nodes)?,
            (None, None) => walker.document(std::slice::from_ref(value))?,
        }
        walker.finish()
    }
}

/// What a text is.
enum Held {
    Text(String),
    Document(Value),
}

/// Whether a text that [`RichText::plain`] reads seems to be Markdown rather than JSON.
pub(in crate::mapping) fn looks_like_markdown(text: &str) -> bool {
    !begins_json(text) && markdown::is_likely(text)
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

#[cfg(test)]
mod tests;
