//! The keys that the records of a type have, read or not.

use std::collections::BTreeMap;

use super::sample::{Sample, sample};
use crate::mapping::expression::{Jq, Step, text};

/// The most keys remembered for one type.
const KEYS_MAX: usize = 100_000;

/// The keys of the records of a type.
#[derive(Default)]
pub(super) struct Keys {
    /// The number of published records.
    pub(super) records: u64,
    /// By link field, the number of published records that have such a link.
    pub(super) links: BTreeMap<String, u64>,
    pub(super) root: Node,
    count: usize,
}

/// What the records have at one place.
#[derive(Default)]
pub(super) struct Node {
    /// The number of published records with a value other than null.
    pub(super) records: u64,
    /// One of the values.
    pub(super) sample: Sample,
    /// The number of the record counted last, starting at 1.
    last: usize,
    /// Whether any record, published or not, has an object here.
    is_object: bool,
    pub(super) keys: BTreeMap<Box<str>, Self>,
    /// The members of lists.
    pub(super) members: Option<Box<Self>>,
}

/// The record being examined.
#[derive(Clone, Copy)]
struct Looked {
    place: usize,
    is_published: bool,
}

impl Keys {
    /// Notes the keys of a record and the fields of its links.
    pub(super) fn record(
        &mut self,
        (place, is_published): (usize, bool),
        record: &Jq,
        links: &[&str],
    ) {
        if is_published {
            self.records += 1;
            for field in links {
                *self.links.entry((*field).to_owned()).or_default() += 1;
            }
        }
        let looked = Looked {
            place,
            is_published,
        };
        self.root.value(record, looked, &mut self.count);
    }

    pub(super) fn merge(&mut self, other: Self) {
        self.records += other.records;
        for (field, records) in other.links {
            *self.links.entry(field).or_default() += records;
        }
        self.root.merge(other.root, &mut self.count);
    }
}

impl Node {
    fn value(&mut self, value: &Jq, looked: Looked, count: &mut usize) {
        match value {
            Jq::Arr(items) => {
                let members = self.members.get_or_insert_default();
                for item in items.iter() {
                    members.value(item, looked, count);
                }
            }
            Jq::Obj(members) => {
                self.is_object = true;
                for (key, value) in members.iter() {
                    let key = text(key).unwrap_or_default();
                    if let Some(node) = self.key(key, count) {
                        node.count(value, looked);
                        node.value(value, looked, count);
                    }
                }
            }
            _ => {}
        }
    }

    /// The node of a key; `None` if the key is new and the limit of remembered keys is reached.
    fn key(&mut self, key: &str, count: &mut usize) -> Option<&mut Self> {
        if !self.keys.contains_key(key) {
            if *count == KEYS_MAX {
                return None;
            }
            *count += 1;
            self.keys.insert(key.into(), Self::default());
        }
        self.keys.get_mut(key)
    }

    /// Counts a record once, even if it has several values here.
    fn count(&mut self, value: &Jq, looked: Looked) {
        let number = looked.place + 1;
        if looked.is_published && !matches!(value, Jq::Null) && self.last != number {
            self.last = number;
            self.records += 1;
            self.sample.offer(looked.place, || sample(value));
        }
    }

    fn merge(&mut self, other: Self, count: &mut usize) {
        self.records += other.records;
        self.sample.merge(other.sample);
        self.is_object |= other.is_object;
        for (key, node) in other.keys {
            if let Some(of_key) = self.key(&key, count) {
                of_key.merge(node, count);
            }
        }
        if let Some(members) = other.members {
            self.members.get_or_insert_default().merge(*members, count);
        }
    }
}

/// Whether any of these records has a key; `None` if no record has an object that could hold it.
pub(super) fn has(records: Vec<&Keys>, steps: &[Step]) -> Option<bool> {
    let (last, before) = steps.split_last()?;
    let roots: Vec<&Node> = records.into_iter().map(|keys| &keys.root).collect();
    let around = before
        .iter()
        .fold(roots, |nodes, step| within(&nodes, step));
    let is_object = around.iter().any(|node| node.is_object);
    is_object.then(|| !within(&around, last).is_empty())
}

fn within<'k>(nodes: &[&'k Node], step: &Step) -> Vec<&'k Node> {
    let nodes = nodes.iter();
    match step {
        Step::Key(key) => nodes.filter_map(|node| node.keys.get(&**key)).collect(),
        Step::Members => nodes
            .flat_map(|node| node.keys.values().chain(node.members.as_deref()))
            .collect(),
    }
}
