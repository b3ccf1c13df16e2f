//! Which keys of records nothing reads.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::iter;

use super::observed_keys::{NodeId, ObservedKeys, Read, TypeKeys};
use super::report::UnreadKey;
use crate::finding::cut;
use crate::mapping::expression::in_path;

/// The keys that nothing reads.
#[derive(Default)]
pub(super) struct Unread {
    /// By their paths.
    found: BTreeMap<String, UnreadKey>,
    /// The paths of those that are null in every published record.
    null: BTreeSet<String>,
}

/// Finds the keys of a type that are not read. A key of which nothing is read is reported once,
/// without the keys inside it.
pub(super) struct Search<'s> {
    pub(super) keys: &'s ObservedKeys,
    pub(super) ignored: &'s Ignored<'s>,
    /// The keys that expressions name and came to look up in no record.
    pub(super) unreached: &'s HashSet<&'s str>,
    /// What is found.
    pub(super) unread: Unread,
    /// What is named by an expression that never came to look it up.
    pub(super) unknown: Unread,
}

/// Keys that are ignored on purpose, given by a name that applies anywhere or by the end of a path,
/// such as `sys.type`.
pub(super) struct Ignored<'d>(HashSet<&'d str>);

impl<'d> FromIterator<&'d String> for Ignored<'d> {
    fn from_iter<I: IntoIterator<Item = &'d String>>(names: I) -> Self {
        Self(names.into_iter().map(String::as_str).collect())
    }
}

impl Ignored<'_> {
    pub(super) fn has(&self, key: &str, path: &str) -> bool {
        let ends = path.match_indices('.').map(|(dot, _)| &path[dot + 1..]);
        let mut all = iter::once(key).chain(iter::once(path)).chain(ends);
        !self.0.is_empty() && all.any(|name| self.0.contains(name))
    }
}

impl Unread {
    /// Adds the fields of links that nothing asks for.
    pub(super) fn links(
        &mut self,
        keys: &TypeKeys,
        is_asked_for: impl Fn(&str) -> bool,
        ignored: &Ignored<'_>,
    ) {
        let unread = |field: &str| !is_asked_for(field) && !ignored.has(field, field);
        for (field, records) in keys.links.iter().filter(|(field, _)| unread(field)) {
            self.link(field, *records, "");
        }
    }

    /// Adds a field of links.
    pub(super) fn link(&mut self, field: &str, records: u64, sample: &str) {
        self.add(UnreadKey {
            key: format!("links(\"{}\")", cut(field)),
            records,
            sample: sample.to_owned(),
            within: BTreeMap::new(),
        });
    }

    pub(super) fn merge(&mut self, other: &Self) {
        for found in other.found.values() {
            self.add(found.clone());
        }
        self.null.extend(other.null.iter().cloned());
    }

    fn add(&mut self, found: UnreadKey) {
        let Some(known) = self.found.get_mut(&found.key) else {
            self.found.insert(found.key.clone(), found);
            return;
        };
        known.records += found.records;
        for (key, records) in found.within {
            *known.within.entry(key).or_default() += records;
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// The paths of those that are null in every published record, which no report has.
    pub(super) fn null(&self) -> Vec<String> {
        self.null.iter().cloned().collect()
    }

    /// The paths of the keys.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.found.keys().map(String::as_str)
    }

    pub(super) fn report(&self) -> Vec<UnreadKey> {
        self.found.values().cloned().collect()
    }
}

impl Search<'_> {
    /// Looks among the keys at a node.
    pub(super) fn find(&mut self, at: NodeId, path: &str) {
        let node = self.keys.node(at);
        if node.read == Read::Everything {
            return;
        }
        for (key, child) in &node.keys {
            let path = inside(path, key);
            let of_key = self.keys.node(*child);
            if !of_key.is_present || self.ignored.has(key, &path) {
                continue;
            }
            if of_key.is_looked_up || node.read == Read::EachKey {
                self.find(*child, &path);
            } else if of_key.records != 0 {
                let mut within = BTreeMap::new();
                self.within(*child, &path, &mut within);
                let of_key = UnreadKey {
                    key: path,
                    records: of_key.records,
                    sample: of_key.sample.as_ref().unwrap_or_default().to_owned(),
                    within,
                };
                let is_unknown = self.unreached.contains(&**key);
                let found = if is_unknown {
                    &mut self.unknown
                } else {
                    &mut self.unread
                };
                found.add(of_key);
            } else if of_key.is_null {
                self.unread.null.insert(path);
            }
        }
        if let Some(members) = node.members {
            self.find(members, &format!("{path}[]"));
        }
    }

    /// Notes all keys inside the value at a node, also those that are always null.
    fn within(&self, at: NodeId, path: &str, found: &mut BTreeMap<String, u64>) {
        let node = self.keys.node(at);
        for (key, child) in &node.keys {
            let path = inside(path, key);
            let of_key = self.keys.node(*child);
            let is_there = of_key.records != 0 || of_key.is_null;
            if is_there && !self.ignored.has(key, &path) {
                self.within(*child, &path, found);
                found.insert(path, of_key.records);
            }
        }
        if let Some(members) = node.members {
            self.within(members, &format!("{path}[]"), found);
        }
    }
}

/// The path of a key of the object with this path.
fn inside(path: &str, key: &str) -> String {
    let separator = if path.is_empty() { "" } else { "." };
    format!("{path}{separator}{}", cut(&in_path(key)))
}
