//! A tree, by keys, of the places that are read.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::value::{Root, Step, Value, ValuePath, Values};

/// The places that expressions read.
#[derive(Clone, Debug, Default)]
pub(in crate::mapping) struct Reads {
    pub(in crate::mapping) places: BTreeMap<Root, Tree>,
    /// Links of the record being mapped.
    pub(in crate::mapping) links: Links,
    /// Links of other records.
    pub(in crate::mapping) other_links: Links,
}

/// The places of a record that are read.
#[derive(Clone, Debug, Default)]
pub(in crate::mapping) struct Tree {
    /// Whether everything inside is read.
    pub(in crate::mapping) is_whole: bool,
    pub(in crate::mapping) keys: BTreeMap<Arc<str>, Self>,
    /// The members of a list, or of an object regardless of their keys.
    pub(in crate::mapping) members: Option<Box<Self>>,
}

/// The fields of links that are asked for.
#[derive(Clone, Debug, Default)]
pub(in crate::mapping) struct Links {
    /// Whether any field may be asked for.
    are_all: bool,
    fields: BTreeSet<Arc<str>>,
}

impl Reads {
    /// Notes that something tests whether a place has a value.
    pub(super) fn touch(&mut self, place: &ValuePath) {
        self.tree(place);
    }

    /// Notes that something reads everything at a place.
    pub(super) fn place(&mut self, place: &ValuePath) {
        self.tree(place).is_whole = true;
    }

    /// Notes that something reads values with everything inside them.
    pub(in crate::mapping) fn whole(&mut self, values: &Values) {
        for value in values.iter() {
            match value {
                Value::At(place) => self.place(place),
                Value::List(items) => self.whole(items),
                Value::Object(members, others) => {
                    for of in members.values() {
                        self.whole(of);
                    }
                    self.whole(others);
                }
                Value::Text(_) | Value::Number | Value::Null | Value::Boolean | Value::Unknown => {}
            }
        }
    }

    /// The members of lists and objects, noted as looked at.
    pub(in crate::mapping) fn members(&mut self, of: &Values) -> Values {
        let mut values = Values::default();
        for of in of.iter() {
            match of {
                Value::At(place) => {
                    let place = place.step(Step::Members);
                    self.touch(&place);
                    values.insert(Value::At(place));
                }
                Value::List(items) => values.extend(items.clone()),
                Value::Object(members, others) => {
                    values.extend(members.values().cloned().collect());
                    values.extend(others.clone());
                }
                Value::Unknown => values.insert(Value::Unknown),
                Value::Text(_) | Value::Number | Value::Null | Value::Boolean => {}
            }
        }
        values
    }

    fn tree(&mut self, place: &ValuePath) -> &mut Tree {
        let root = self.places.entry(place.root).or_default();
        place.steps.iter().fold(root, |tree, step| match step {
            Step::Key(key) => tree.keys.entry(Arc::clone(key)).or_default(),
            Step::Members => tree.members.get_or_insert_default(),
        })
    }
}

impl Tree {
    pub(in crate::mapping) fn merge(&mut self, other: &Self) {
        self.is_whole |= other.is_whole;
        for (key, tree) in &other.keys {
            self.keys.entry(Arc::clone(key)).or_default().merge(tree);
        }
        if let Some(members) = &other.members {
            self.members.get_or_insert_default().merge(members);
        }
    }
}

impl Links {
    pub(super) fn add(&mut self, fields: &Values) {
        match fields.keys() {
            Some(texts) => self.fields.extend(texts.into_iter().cloned()),
            None => self.are_all = true,
        }
    }

    pub(in crate::mapping) fn have(&self, field: &str) -> bool {
        self.are_all || self.fields.contains(field)
    }

    pub(in crate::mapping) fn merge(&mut self, other: &Self) {
        self.are_all |= other.are_all;
        self.fields.extend(other.fields.iter().cloned());
    }
}
