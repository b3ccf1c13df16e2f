//! What changed from another release to the opened one, by id and by the hash of the body. Nothing
//! here reads a body or a file.

use shared::release::diff::RecordName;
use shared::release::reader::Identities;
use shared::release::{Kind, Record};

use super::Catalogue;
use super::index::Index;

/// The records that differ, each kind in the order of ids.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    boats: Vec<Change>,
    manufacturers: Vec<Change>,
}

/// A record that differs. What is in the opened release is known by its ordinal there.
#[derive(Debug)]
pub(crate) enum Change {
    Added(u32),
    /// The bytes of its body differ.
    Changed(u32),
    /// It had these names.
    Removed(Box<RecordName>),
}

impl Changes {
    /// Those of one kind.
    pub(crate) fn of(&self, kind: Kind) -> &[Change] {
        match kind {
            Kind::Boats => &self.boats,
            Kind::Manufacturers => &self.manufacturers,
        }
    }

    /// The memory that they take.
    pub(crate) fn bytes(&self) -> usize {
        let all = [&self.boats, &self.manufacturers];
        let removed = all.into_iter().flatten().map(|change| match change {
            Change::Removed(was) => size_of_val(&**was) + was.id.len() + was.slug.len(),
            Change::Added(_) | Change::Changed(_) => 0,
        });
        let itself = all.map(|changes| size_of_val(changes.as_slice()));
        itself.iter().sum::<usize>() + removed.sum::<usize>()
    }
}

impl Change {
    /// Every word for a change.
    pub(crate) const WORDS: [&str; 3] = ["added", "changed", "removed"];

    /// The word for it.
    pub(crate) const fn as_str(&self) -> &'static str {
        let [added, changed, removed] = Self::WORDS;
        match self {
            Self::Added(_) => added,
            Self::Changed(_) => changed,
            Self::Removed(_) => removed,
        }
    }
}

impl Catalogue {
    /// What changed from a release with these records to this one.
    pub(crate) fn changes_since(&self, before: Identities) -> Changes {
        let Identities {
            boats,
            manufacturers,
        } = before;
        Changes {
            boats: changes(boats, &self.boats.index),
            manufacturers: changes(manufacturers, &self.manufacturers.index),
        }
    }

    /// The id and the slug of a record that changed; the slug that it had, if it is gone.
    pub(crate) fn names_of_changed<'a>(&'a self, kind: Kind, change: &'a Change) -> [&'a str; 2] {
        match change {
            Change::Added(ordinal) | Change::Changed(ordinal) => {
                self.records(kind).index.names(*ordinal)
            }
            Change::Removed(was) => [&was.id, &was.slug],
        }
    }
}

/// Walks both in parallel, in the order of ids.
fn changes(mut before: Vec<Record>, after: &Index) -> Vec<Change> {
    before.sort_unstable_by(|one, other| one.id.cmp(&other.id));
    let mut after_by_id: Vec<(&str, u32)> = after.ids().collect();
    after_by_id.sort_unstable();
    let mut now = after_by_id.into_iter().peekable();
    let mut changes = Vec::new();
    for was in before {
        while let Some((_, ordinal)) = now.next_if(|(id, _)| **id < *was.id) {
            changes.push(Change::Added(ordinal));
        }
        match now.next_if(|(id, _)| **id == *was.id) {
            None => changes.push(Change::Removed(Box::new(RecordName {
                id: was.id,
                slug: was.slug,
            }))),
            Some((_, ordinal)) if after.entry(ordinal).etag != was.etag => {
                changes.push(Change::Changed(ordinal));
            }
            Some(_same) => {}
        }
    }
    changes.extend(now.map(|(_, ordinal)| Change::Added(ordinal)));
    changes.shrink_to_fit();
    changes
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;
    use shared::base::etag::ETag;
    use shared::release::Head;
    use shared::release::throttle::Unthrottled;

    use super::*;

    /// Records by id, each with what its body is made of, in an order that is none.
    fn records(of: &BTreeMap<String, u8>) -> Vec<Record> {
        let by_body = of.iter().map(|(id, body)| (body, id));
        let by_body: BTreeSet<_> = by_body.collect();
        let record = |(body, id): (&u8, &String)| Record {
            id: (**id).into(),
            slug: format!("slug-{id}").into(),
            etag: ETag::of(&[*body]),
            head: Head::ending_at(0),
        };
        by_body.into_iter().map(record).collect()
    }

    proptest! {
        #[test]
        fn what_differs_is_told_in_the_order_of_ids_by_code_point(
            before in prop::collection::btree_map("[aB19~]{1,3}", 0_u8..3, 0..20),
            after in prop::collection::btree_map("[aB19~]{1,3}", 0_u8..3, 0..20),
        ) {
            let index = Index::new(records(&after), &Unthrottled);
            let told = changes(records(&before), &index);
            let told = told.iter().map(|change| match change {
                Change::Added(at) | Change::Changed(at) => (index.names(*at)[0], change.as_str()),
                Change::Removed(was) => (&*was.id, change.as_str()),
            });
            let ids: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
            let expected = ids.into_iter().filter_map(|id| match (before.get(id), after.get(id)) {
                (Some(_), None) => Some((&**id, "removed")),
                (None, _) => Some((&**id, "added")),
                (was, is) => (was != is).then_some((&**id, "changed")),
            });
            prop_assert_eq!(told.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
        }
    }
}
