//! From an id or a slug to a record: one hash table for both names.
//!
//! With a million records, everything a request touches is in cold memory, and the time goes into
//! dependent accesses, one after the other. So a slot holds the place of its name in one long text,
//! and everything else about the record is in one place that can be fetched meanwhile.

use std::hash::{BuildHasher, RandomState};

use hashbrown::HashTable;
use shared::base::etag::ETag;
use shared::release::throttle::{Throttle, throttled};
use shared::release::{Head, Record};

/// Ends each name. Ids and slugs cannot contain it.
const END: u8 = b'\n';

/// Records, found by either name.
#[derive(Debug)]
pub(super) struct Index {
    /// The id and the slug of each record, by ordinal.
    names: String,
    entries: Vec<Entry>,
    /// By the hashes of both names.
    table: HashTable<Slot>,
    hasher: RandomState,
}

/// A name of a record.
#[derive(Clone, Copy, Debug)]
struct Slot {
    /// Its offset in the text of all names.
    start: usize,
    ordinal: u32,
}

/// The rest of a record besides its names.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) etag: ETag,
    pub(super) head: Head,
    /// The offset of its names.
    names: usize,
}

impl Index {
    /// Indexes `records`, whose places are their ordinals.
    pub(super) fn new(records: Vec<Record>, throttle: &dyn Throttle) -> Self {
        let length = |record: &Record| record.id.len() + record.slug.len() + 2;
        let mut index = Self {
            names: String::with_capacity(throttled(&records, throttle).map(length).sum()),
            entries: Vec::with_capacity(records.len()),
            table: HashTable::with_capacity(records.len() * 2),
            hasher: RandomState::new(),
        };
        for (ordinal, record) in (0_u32..).zip(throttled(records, throttle)) {
            index.entries.push(Entry {
                etag: record.etag,
                head: record.head,
                names: index.names.len(),
            });
            for name in [record.id, record.slug] {
                index.insert(&name, ordinal);
            }
        }
        index
    }

    fn insert(&mut self, name: &str, ordinal: u32) {
        let (hash, start) = (self.hasher.hash_one(name), self.names.len());
        // Growing would need the hashes of existing slots, which are not kept; the capacity rules
        // it out.
        self.table
            .insert_unique(hash, Slot { start, ordinal }, |_| hash);
        self.names.push_str(name);
        self.names.push(char::from(END));
    }

    /// The entry of a record.
    pub(super) fn entry(&self, ordinal: u32) -> &Entry {
        &self.entries[ordinal as usize]
    }

    /// The id of each record, with its ordinal.
    pub(super) fn ids(&self) -> impl Iterator<Item = (&str, u32)> {
        let ordinals = (0..).take(self.entries.len());
        ordinals.map(|ordinal| (self.names(ordinal)[0], ordinal))
    }

    /// The id and the slug of a record.
    pub(super) fn names(&self, ordinal: u32) -> [&str; 2] {
        let mut names = self.names[self.entry(ordinal).names..].split(char::from(END));
        [(); 2].map(|()| names.next().unwrap_or_default())
    }

    /// The ordinal of the record called `name`.
    pub(super) fn find(&self, name: &str) -> Option<u32> {
        let (hash, names) = (self.hasher.hash_one(name), self.names.as_bytes());
        let is_called = |slot: &Slot| {
            let rest = names[slot.start..].strip_prefix(name.as_bytes());
            rest.is_some_and(|rest| rest.first() == Some(&END))
        };
        self.table.find(hash, is_called).map(|slot| slot.ordinal)
    }
}

#[cfg(test)]
mod tests {
    use shared::release::throttle::CountedSteps;

    use super::*;

    fn index(names: &[(&str, &str)]) -> Index {
        let records = (0..).zip(names).map(|(ordinal, &(id, slug))| Record {
            id: id.into(),
            slug: slug.into(),
            etag: ETag::of(id.as_bytes()),
            head: Head::ending_at(ordinal),
        });
        let (records, throttle) = (records.collect::<Vec<_>>(), CountedSteps::default());
        let (count, index) = (records.len(), Index::new(records, &throttle));
        assert_eq!(throttle.steps(), 2 * (count / 128));
        index
    }

    #[test]
    fn a_record_is_found_by_both_names_and_by_nothing_else() {
        let names = [("1", "a"), ("12", "ab"), ("2", "b-1"), ("same", "same")];
        let index = index(&names);
        for (ordinal, (id, slug)) in (0..).zip(names) {
            assert_eq!([index.find(id), index.find(slug)], [Some(ordinal); 2]);
            assert_eq!(index.names(ordinal), [id, slug]);
            let entry = index.entry(ordinal);
            let expected = (ETag::of(id.as_bytes()), Head::ending_at(ordinal));
            assert_eq!((entry.etag, entry.head), expected);
        }
        for unknown in ["", "123", "b", "b-", "b-12", "sam", "same2", "A"] {
            assert_eq!(index.find(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn thousands_of_names_that_begin_alike_are_told_apart() {
        let names: Vec<_> = (0..5000)
            .map(|n| (format!("boat-{n}"), format!("m-{n}")))
            .collect();
        let borrowed: Vec<_> = names.iter().map(|(id, slug)| (&**id, &**slug)).collect();
        let index = index(&borrowed);
        for (ordinal, (id, slug)) in (0..).zip(&names) {
            assert_eq!([index.find(id), index.find(slug)], [Some(ordinal); 2]);
            assert_eq!(index.find(&format!("{id}x")), None);
        }
    }

    #[test]
    fn where_there_are_no_records_nothing_is_found() {
        assert_eq!(index(&[]).find("1"), None);
    }
}
