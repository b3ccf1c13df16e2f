//! Rules with `distinct`, which make one native record of several: the first is kept, and
//! differences in the others are reported.
//!
//! Only the place and a hash of each record made are kept. The records whose difference is shown
//! are made again.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use super::Mapper;
use super::make::{Native, inputs, native};
use crate::finding::cut;
use crate::mapping::index::Index;

/// A field that may differ, because records are rarely changed at the same time.
const UPDATED_AT: &str = "updatedAt";

/// What a native record was made of: a record, and one of a rule's inputs from it.
#[derive(Clone, Copy)]
pub(in crate::mapping) struct MadeOf {
    pub(super) rule: usize,
    pub(super) place: usize,
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
    /// By rule: the records that differ from others merged into them.
    pub(super) differing: BTreeMap<usize, Differing>,
}

/// Records of a rule that differ from others merged into them.
pub(super) struct Differing {
    pub(super) count: u64,
    /// The first such record, and the first one merged into it that differs.
    pub(super) first: (MadeOf, MadeOf),
}

/// The first record with an id.
struct First {
    made_of: MadeOf,
    hash: u64,
    is_reported: bool,
}

/// A member in which two merged records differ, as JSON.
pub(in crate::mapping) struct Difference {
    pub(super) name: String,
    pub(super) kept_value: String,
    pub(super) merged_value: String,
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
            let first = (first.made_of, made_of);
            let of_rule = self.differing.entry(made_of.rule);
            of_rule.or_insert(Differing { count: 0, first }).count += 1;
        }
        true
    }
}

/// The difference between a record that was kept and one merged into it. Both are made again.
pub(in crate::mapping) fn difference(
    mapper: &mut Mapper,
    index: Arc<Index>,
    (kept, merged): (MadeOf, MadeOf),
) -> Option<Difference> {
    mapper.index = index;
    let (kept, merged) = (made_again(mapper, kept)?, made_again(mapper, merged)?);
    let value = |members: &[(String, String)], of: &str| {
        let mut members = members.iter();
        let member = members.find(|(name, _)| name == of);
        member.map_or("null", |(_, value)| value).to_owned()
    };
    let names = merged.iter().chain(&kept).map(|(name, _)| name);
    let mut names = names.filter(|name| *name != UPDATED_AT);
    let name = names.find(|name| value(&kept, name) != value(&merged, name))?;
    Some(Difference {
        kept_value: cut(&value(&kept, name)),
        merged_value: cut(&value(&merged, name)),
        name: name.to_owned(),
    })
}

/// The members of a native record with their JSON.
fn made_again(mapper: &Mapper, made_of: MadeOf) -> Option<Vec<(String, String)>> {
    mapper.followed.borrow_mut().begin(made_of.place);
    let document = mapper.index.documents.at(made_of.place);
    mapper.position.begin(&document.file, document.line);
    let rule = &mapper.definition.rules[made_of.rule];
    let record = mapper.index.documents.read(made_of.place).ok()?;
    let subject = mapper.subject(document, record);
    let inputs = inputs(mapper, rule, &subject).ok()?;
    let input = inputs.get(made_of.input)?;
    let native = native(mapper, (made_of.rule, rule), document, (&subject, input)).ok()?;
    let members = native.members.iter();
    let members = members.map(|(name, _)| ((*name).to_owned(), native.member(name).to_owned()));
    Some(members.collect())
}
