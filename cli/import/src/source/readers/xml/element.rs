//! Turns one element into a JSON value.

use std::mem;

use quick_xml::XmlVersion;
use quick_xml::events::BytesStart;
use serde_json::map::Entry;
use serde_json::{Map, Value};

use crate::steps;

/// The most elements and attributes in one record. Each takes some hundred bytes of memory, however
/// short it is in the file.
pub(crate) const NODES_MAX: usize = 100_000;

/// An open element with everything in it so far.
pub(crate) struct Element {
    members: Map<String, Value>,
    text: String,
    /// Whether it has children, all of them elements of HTML.
    is_markup: Option<bool>,
    /// Where its contents begin in those of the record.
    begin: usize,
}

/// Elements of HTML that stand among words.
const HTML: [&str; 28] = [
    "a",
    "abbr",
    "b",
    "blockquote",
    "br",
    "code",
    "div",
    "em",
    "font",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "i",
    "li",
    "ol",
    "p",
    "small",
    "span",
    "strong",
    "sub",
    "sup",
    "table",
    "u",
    "ul",
];

impl Element {
    /// An element with its attributes; all of them are added to the record's `nodes`.
    pub(crate) fn new(start: &BytesStart<'_>, nodes: &mut usize) -> Result<Self, String> {
        count(nodes)?;
        let mut members = Map::new();
        // The parser's own check takes time quadratic in the number of attributes.
        for attribute in start.attributes().with_checks(false) {
            count(nodes)?;
            let attribute = attribute.map_err(|error| error.to_string())?;
            let name = format!("@{}", attribute.key.as_ref());
            let value = attribute
                .normalized_value(XmlVersion::Implicit1_0)
                .map_err(|error| format!("the attribute {name} cannot be read: {error}"))?;
            if members
                .insert(name.clone(), Value::from(value.into_owned()))
                .is_some()
            {
                return Err(format!("an element has the attribute {name} twice"));
            }
        }
        Ok(Self {
            members,
            text: String::new(),
            is_markup: None,
            begin: 0,
        })
    }

    /// The element whose contents begin there in those of the record.
    pub(crate) const fn inside(mut self, begin: usize) -> Self {
        self.begin = begin;
        self
    }

    /// Notes the name of a child.
    pub(crate) fn note_child(&mut self, name: &str) {
        let is_html = HTML.contains(&name.to_ascii_lowercase().as_str());
        self.is_markup = Some(is_html && self.is_markup != Some(false));
    }

    /// Adds text.
    pub(crate) fn write(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Adds a child. If `is_of_list`, it becomes part of a list even if it is the only one.
    pub(crate) fn add(&mut self, name: String, value: Value, is_of_list: bool) {
        match self.members.entry(name) {
            Entry::Vacant(vacant) if is_of_list => {
                vacant.insert(Value::Array(vec![value]));
            }
            Entry::Vacant(vacant) => {
                vacant.insert(value);
            }
            // An element's value is never a list, so a list here holds several elements.
            Entry::Occupied(mut occupied) => match occupied.get_mut() {
                Value::Array(list) => list.push(value),
                first => *first = Value::Array(vec![mem::take(first), value]),
            },
        }
    }

    /// The value of the element with everything in it; `markup` is the contents of the record.
    pub(crate) fn finish(mut self, markup: &str) -> Value {
        if self.is_markup == Some(true) && !self.text.trim().is_empty() {
            markup[self.begin..].clone_into(&mut self.text);
            self.members.retain(|name, _| name.starts_with('@'));
        }
        let text = match self.text.trim() {
            "" => Value::Null,
            text => Value::from(text),
        };
        if self.members.is_empty() {
            return text;
        }
        if !text.is_null() {
            self.members.insert("#text".to_owned(), text);
        }
        Value::Object(self.members)
    }
}

fn count(nodes: &mut usize) -> Result<(), String> {
    *nodes += 1;
    steps::count(1);
    if NODES_MAX < *nodes {
        return Err(format!(
            "a record has more than {NODES_MAX} elements and attributes"
        ));
    }
    Ok(())
}
