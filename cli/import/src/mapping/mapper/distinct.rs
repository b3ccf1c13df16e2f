//! Rules with `distinct`, which make one native record of several: the first is kept, and
//! differences in the others are reported.
//!
//! Only the place and a hash of each record made are kept.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};

use super::native_record::Native;
use crate::finding::CountAndFirst;

/// A field that may differ, because records are rarely changed at the same time.
pub(super) const UPDATED_AT: &str = "updatedAt";

/// What a native record was made of: a record, and one of a rule's inputs from it.
#[derive(Clone, Copy)]
pub(in crate::mapping) struct MadeOf {
    pub(in crate::mapping) rule: usize,
    pub(in crate::mapping) place: usize,
    pub(super) input: usize,
}

/// What shows that native records are duplicates.
pub(super) struct DedupKey {
    /// Its vocabulary, if it has one, and its id, as JSON.
    id: String,
    /// A hash of its members except `updatedAt`.
    hash: u64,
}

/// The native records made by rules with `distinct`.
#[derive(Default)]
pub(super) struct Distinct {
    /// By rule and id, including the vocabulary: terms of different vocabularies may share an id.
    made: HashMap<(usize, String), First>,
    /// By rule: the records that differ from others merged into them, each with the first of those.
    pub(super) differing: BTreeMap<usize, CountAndFirst<(MadeOf, MadeOf)>>,
}

/// The first record with an id.
struct First {
    made_of: MadeOf,
    hash: u64,
    is_reported: bool,
}

impl DedupKey {
    pub(super) fn of(native: &Native<'_>) -> Self {
        let mut hasher = DefaultHasher::new();
        for (name, value) in &native.members {
            if *name != UPDATED_AT {
                (name, &native.text[value.clone()]).hash(&mut hasher);
            }
        }
        Self {
            id: format!("{} {}", native.member("vocabulary"), native.member("id")),
            hash: hasher.finish(),
        }
    }
}

impl Distinct {
    /// Merges a native record into an earlier one with its id; returns whether there is one.
    pub(super) fn merge(&mut self, made_of: MadeOf, dedup_key: DedupKey) -> bool {
        let DedupKey { id, hash } = dedup_key;
        let first = match self.made.entry((made_of.rule, id)) {
            Entry::Occupied(first) => first.into_mut(),
            Entry::Vacant(none) => {
                none.insert(First {
                    made_of,
                    hash,
                    is_reported: false,
                });
                return false;
            }
        };
        if first.hash != hash && !first.is_reported {
            first.is_reported = true;
            let of_rule = self.differing.entry(made_of.rule).or_default();
            of_rule.add(|| (first.made_of, made_of));
        }
        true
    }
}
