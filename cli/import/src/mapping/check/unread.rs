//! Which keys of records nothing reads.

use std::collections::{BTreeMap, HashSet};
use std::iter;

use super::observed_keys::{Keys, Node};
use super::report::UnreadKey;
use crate::finding::cut;
use crate::mapping::expression::{Links, Tree, in_path};

/// The keys that nothing reads, by their paths.
#[derive(Default)]
pub(super) struct Unread(BTreeMap<String, (u64, String)>);

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
    /// Adds the keys of records that are not read. A key of which nothing is read is reported once,
    /// without the keys inside it.
    pub(super) fn keys(&mut self, keys: &Keys, read: &Tree, ignored: &Ignored<'_>) {
        self.find(&keys.root, &[read], "", ignored);
    }

    /// Adds the fields of links that nothing asks for.
    pub(super) fn links(&mut self, keys: &Keys, read: &Links, ignored: &Ignored<'_>) {
        let unread = |field: &str| !read.have(field) && !ignored.has(field, field);
        for (field, records) in keys.links.iter().filter(|(field, _)| unread(field)) {
            self.link(field, *records, "");
        }
    }

    /// Adds a field of links.
    pub(super) fn link(&mut self, field: &str, records: u64, sample: &str) {
        self.add(format!("links(\"{}\")", cut(field)), records, sample);
    }

    pub(super) fn merge(&mut self, other: &Self) {
        for (key, (records, sample)) in &other.0 {
            self.add(key.clone(), *records, sample);
        }
    }

    fn add(&mut self, key: String, records: u64, sample: &str) {
        let (count, _) = self.0.entry(key).or_insert((0, sample.to_owned()));
        *count += records;
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The paths of the keys.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    pub(super) fn report(&self) -> Vec<UnreadKey> {
        let key = |(key, (records, sample)): (&String, &(u64, String))| UnreadKey {
            key: key.clone(),
            records: *records,
            sample: sample.clone(),
        };
        self.0.iter().map(key).collect()
    }

    fn find(&mut self, node: &Node, read: &[&Tree], path: &str, ignored: &Ignored<'_>) {
        if read.iter().any(|tree| tree.is_whole) {
            return;
        }
        let members = || read.iter().filter_map(|tree| tree.members.as_deref());
        for (key, node) in &node.keys {
            let separator = if path.is_empty() { "" } else { "." };
            let path = format!("{path}{separator}{}", cut(&in_path(key)));
            if ignored.has(key, &path) {
                continue;
            }
            let of_key = read.iter().filter_map(|tree| tree.keys.get(&**key));
            let read: Vec<&Tree> = of_key.chain(members()).collect();
            if !read.is_empty() {
                self.find(node, &read, &path, ignored);
            } else if node.records != 0 {
                let sample = node.sample.as_ref().unwrap_or_default();
                self.add(path, node.records, sample);
            }
        }
        if let Some(node) = &node.members {
            let read: Vec<&Tree> = members().collect();
            self.find(node, &read, &format!("{path}[]"), ignored);
        }
    }
}
