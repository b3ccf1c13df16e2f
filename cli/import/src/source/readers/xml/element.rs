//! One element, becoming a JSON value.

use std::mem;

use quick_xml::XmlVersion;
use quick_xml::events::BytesStart;
use serde_json::map::Entry;
use serde_json::{Map, Value};

use crate::steps;

/// Most elements and attributes of one record. Each takes some hundred bytes, however few it has in
/// its file.
pub(crate) const NODES_MAX: usize = 100_000;

/// An element that is open, with everything in it so far.
pub(crate) struct Element {
    members: Map<String, Value>,
    text: String,
}

impl Element {
    /// An element with its attributes; it and they are added to the `nodes` of the record.
    pub(crate) fn new(start: &BytesStart<'_>, nodes: &mut usize) -> Result<Self, String> {
        count(nodes)?;
        let mut members = Map::new();
        // The check of the parser takes time with the square of their number.
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
        })
    }

    /// Adds text.
    pub(crate) fn write(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Adds a child, which may be one of a list even if it stays the only one.
    pub(crate) fn add(&mut self, name: String, value: Value, is_of_list: bool) {
        match self.members.entry(name) {
            Entry::Vacant(vacant) if is_of_list => {
                vacant.insert(Value::Array(vec![value]));
            }
            Entry::Vacant(vacant) => {
                vacant.insert(value);
            }
            // No element is a list by itself.
            Entry::Occupied(mut occupied) => match occupied.get_mut() {
                Value::Array(list) => list.push(value),
                first => *first = Value::Array(vec![mem::take(first), value]),
            },
        }
    }

    /// The value of the element with everything in it.
    pub(crate) fn finish(mut self) -> Value {
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
