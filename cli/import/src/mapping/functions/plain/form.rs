//! Determines the form of rich text of a block, or the error for a block of no known form.

use serde_json::Value;

use super::page::{NoPlainText, Page};
use super::parts::{holds_text, word};
use super::{contentful, editor_js, nodes, portable_text};
use crate::mapping::functions::quoted;

/// A form of rich text.
#[derive(Clone, Copy)]
pub(super) enum Form {
    Contentful,
    PortableText,
    /// Trees of nodes with a `type`.
    Nodes,
    Lexical,
    EditorJs,
}

impl Form {
    const ALL: [Self; 5] = [
        Self::Contentful,
        Self::PortableText,
        Self::Nodes,
        Self::Lexical,
        Self::EditorJs,
    ];

    /// The form of a block, recognised by its keys.
    pub(super) fn of(block: &Value) -> Option<Self> {
        let has = |form: &Self| match form.type_key() {
            Some(key) => block.get(key).is_some_and(Value::is_string),
            None if matches!(form, Self::Lexical) => nodes::knows_root(block),
            None => block.get("blocks").is_some_and(Value::is_array),
        };
        Self::ALL.into_iter().find(has)
    }

    /// The key that holds a block's type.
    const fn type_key(self) -> Option<&'static str> {
        match self {
            Self::Contentful => Some("nodeType"),
            Self::PortableText => Some("_type"),
            Self::Nodes => Some("type"),
            Self::Lexical | Self::EditorJs => None,
        }
    }

    /// Whether the block is known to be text, is known to have no text, or at least holds text.
    pub(super) fn understands(self, block: &Value) -> bool {
        let is_known = match self {
            Self::Contentful => contentful::knows(block),
            Self::PortableText => portable_text::knows(block),
            Self::Nodes => nodes::knows(block),
            Self::Lexical => true,
            Self::EditorJs => editor_js::knows(block),
        };
        is_known || holds_text(block)
    }

    pub(super) fn write(self, block: &Value, page: &mut Page) -> Result<(), NoPlainText> {
        match self {
            Self::Contentful => contentful::write(block, page),
            Self::PortableText => portable_text::write(block, page),
            Self::Nodes => nodes::write(block, page),
            Self::Lexical => nodes::write_root(block, page),
            Self::EditorJs => editor_js::write(block, page),
        }
    }
}

pub(super) fn unknown_form(value: &Value) -> NoPlainText {
    let found = match value {
        Value::Object(members) => {
            let keys: Vec<&str> = members.keys().take(5).map(String::as_str).collect();
            let keys = quoted(&format!("{keys:?}"));
            match Form::of(value).and_then(Form::type_key) {
                Some(key) => {
                    let of = quoted(word(value, key));
                    format!("an object with the `{key}` {of:?} and the keys {keys}")
                }
                None => format!("an object with the keys {keys}"),
            }
        }
        Value::Array(_) => "a list within the list".to_owned(),
        Value::String(text) => format!("{:?} within a list", quoted(text)),
        other => other.to_string(),
    };
    NoPlainText::UnknownForm { found }
}
