//! The keys that records have, by type: how many records have each, and which of them expressions
//! looked at.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use super::sample::{Sample, sample};
use crate::mapping::expression::{Jq, address, text};

/// The most keys remembered for one type.
const KEYS_MAX: usize = 100_000;

/// The keys of all records.
#[derive(Default)]
pub(super) struct ObservedKeys {
    /// By the source and the type of the records.
    pub(super) types: BTreeMap<(usize, Arc<str>), TypeKeys>,
    nodes: Vec<Node>,
}

/// The keys of the records of a type.
#[derive(Default)]
pub(super) struct TypeKeys {
    /// The number of published records.
    pub(super) records: u64,
    /// By link field, the number of published records that have such a link.
    pub(super) links: BTreeMap<String, u64>,
    /// The fields of links that are asked for.
    pub(super) links_asked: BTreeSet<String>,
    /// The expressions that come to these records from others.
    pub(super) led_by: BTreeSet<usize>,
    /// By expression: the keys that it names and looked up while it ran over these records, in
    /// whatever value.
    pub(super) reached: BTreeMap<usize, BTreeSet<String>>,
    pub(super) root: NodeId,
    /// The number of keys remembered.
    count: usize,
}

/// The index of a node in the list of all nodes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct NodeId(usize);

/// What the records have at one place, and what expressions did there.
#[derive(Default)]
pub(super) struct Node {
    /// The number of published records with a value other than null.
    pub(super) records: u64,
    /// One of the values.
    pub(super) sample: Sample,
    /// The number of the record counted last, starting at 1.
    last: usize,
    /// Whether any record, published or not, has the key.
    pub(super) is_present: bool,
    /// Whether a published record has the key without a value.
    pub(super) is_null: bool,
    /// Whether an expression looked the key up.
    pub(super) is_looked_up: bool,
    /// What expressions read in the value.
    pub(super) read: Read,
    /// The expressions that looked the key up by a name that stands in the mapping.
    pub(super) asked_by: BTreeSet<Asker>,
    pub(super) keys: BTreeMap<Box<str>, NodeId>,
    /// The members of lists.
    pub(super) members: Option<NodeId>,
}

/// What expressions read in a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Read {
    /// What was looked up by its key.
    #[default]
    SomeKeys,
    /// Each key, but not all that is within.
    EachKey,
    Everything,
}

/// An expression that asks for a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::mapping) struct Asker {
    /// Its index.
    pub(in crate::mapping) expression: usize,
    /// Whether it names the key itself, not by a definition that it calls.
    pub(in crate::mapping) is_own: bool,
}

/// The nodes of the objects of the records at hand, by address.
#[derive(Default)]
pub(super) struct Objects {
    nodes: HashMap<usize, NodeId>,
    /// These records, so that no other object can have one of the addresses.
    records: Vec<Jq>,
}

impl Objects {
    pub(super) fn clear(&mut self) {
        self.nodes.clear();
        self.records.clear();
    }

    /// The node of a value, if it is an object of a record at hand.
    pub(super) fn node_of(&self, value: &Jq) -> Option<NodeId> {
        self.nodes.get(&address(value)?).copied()
    }
}

impl ObservedKeys {
    /// The keys of a type.
    pub(super) fn of_type(&mut self, source: usize, record_type: &Arc<str>) -> &mut TypeKeys {
        let nodes = &mut self.nodes;
        let keys = self.types.entry((source, Arc::clone(record_type)));
        keys.or_insert_with(|| TypeKeys {
            root: add(nodes),
            ..TypeKeys::default()
        })
    }

    /// Notes the keys of a record, and where its objects are. It is counted if it is given with its
    /// place.
    pub(super) fn record(
        &mut self,
        (source, record_type): (usize, &Arc<str>),
        record: &Jq,
        counted: Option<usize>,
        objects: &mut Objects,
    ) {
        let keys = self.of_type(source, record_type);
        let (root, count) = (keys.root, keys.count);
        let mut walk = Walk {
            nodes: &mut self.nodes,
            count,
            counted,
            objects: &mut objects.nodes,
        };
        walk.value(root, record);
        let count = walk.count;
        self.of_type(source, record_type).count = count;
        objects.records.push(record.clone());
    }

    pub(super) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0]
    }

    /// Notes that expressions read as much of a value, or more.
    pub(super) fn read(&mut self, at: NodeId, read: Read) {
        let node = &mut self.nodes[at.0];
        node.read = node.read.max(read);
    }

    /// Notes that a key was looked up.
    pub(super) fn look_up(&mut self, at: NodeId, key: &str, asker: Option<Asker>) {
        let child = match asker {
            // Keys that stand in the mapping are few, so they do not count.
            Some(_) => child(&mut self.nodes, at, key, &mut 0),
            None => self.node(at).keys.get(key).copied(),
        };
        let Some(child) = child else { return };
        let child = &mut self.nodes[child.0];
        child.is_looked_up = true;
        child.asked_by.extend(asker);
    }

    pub(super) fn merge(&mut self, mut other: Self) {
        for ((source, record_type), keys) in std::mem::take(&mut other.types) {
            let own = self.of_type(source, &record_type);
            own.records += keys.records;
            for (field, records) in keys.links {
                *own.links.entry(field).or_default() += records;
            }
            own.links_asked.extend(keys.links_asked);
            own.led_by.extend(keys.led_by);
            for (expression, reached) in keys.reached {
                own.reached.entry(expression).or_default().extend(reached);
            }
            let (root, mut count) = (own.root, own.count);
            merge(
                &mut self.nodes,
                root,
                &mut other.nodes,
                keys.root,
                &mut count,
            );
            self.of_type(source, &record_type).count = count;
        }
    }
}

fn add(nodes: &mut Vec<Node>) -> NodeId {
    nodes.push(Node::default());
    NodeId(nodes.len() - 1)
}

/// The node of a key; `None` if the key is new and the limit of remembered keys is reached.
fn child(nodes: &mut Vec<Node>, at: NodeId, key: &str, count: &mut usize) -> Option<NodeId> {
    if let Some(known) = nodes[at.0].keys.get(key) {
        return Some(*known);
    }
    if *count == KEYS_MAX {
        return None;
    }
    *count += 1;
    let new = add(nodes);
    nodes[at.0].keys.insert(key.into(), new);
    Some(new)
}

fn members(nodes: &mut Vec<Node>, at: NodeId) -> NodeId {
    if let Some(known) = nodes[at.0].members {
        return known;
    }
    let new = add(nodes);
    nodes[at.0].members = Some(new);
    new
}

fn merge(
    nodes: &mut Vec<Node>,
    at: NodeId,
    others: &mut Vec<Node>,
    other: NodeId,
    count: &mut usize,
) {
    let other = std::mem::take(&mut others[other.0]);
    let node = &mut nodes[at.0];
    node.records += other.records;
    node.sample.merge(other.sample);
    node.is_present |= other.is_present;
    node.is_null |= other.is_null;
    node.is_looked_up |= other.is_looked_up;
    node.read = node.read.max(other.read);
    node.asked_by.extend(other.asked_by);
    for (key, of_key) in other.keys {
        if let Some(at) = child(nodes, at, &key, count) {
            merge(nodes, at, others, of_key, count);
        }
    }
    if let Some(of_members) = other.members {
        let at = members(nodes, at);
        merge(nodes, at, others, of_members, count);
    }
}

/// Notes the keys of a record.
struct Walk<'w> {
    nodes: &'w mut Vec<Node>,
    count: usize,
    /// The place of the record, if it is counted.
    counted: Option<usize>,
    objects: &'w mut HashMap<usize, NodeId>,
}

impl Walk<'_> {
    fn value(&mut self, at: NodeId, value: &Jq) {
        match value {
            Jq::Arr(items) => {
                let members = members(self.nodes, at);
                for item in items.iter() {
                    self.value(members, item);
                }
            }
            Jq::Obj(members) => {
                self.objects
                    .extend(address(value).map(|address| (address, at)));
                for (key, value) in members.iter() {
                    let key = text(key).unwrap_or_default();
                    if let Some(child) = child(self.nodes, at, key, &mut self.count) {
                        self.nodes[child.0].note(value, self.counted);
                        self.value(child, value);
                    }
                }
            }
            _ => {}
        }
    }
}

impl Node {
    /// Counts a record once, even if it has several values here.
    fn note(&mut self, value: &Jq, counted: Option<usize>) {
        self.is_present = true;
        let Some(place) = counted else { return };
        if matches!(value, Jq::Null) {
            self.is_null = true;
        } else if self.last != place + 1 {
            self.last = place + 1;
            self.records += 1;
            self.sample.offer(place, || sample(value));
        }
    }
}
