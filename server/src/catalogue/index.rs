//! From an id or a slug to a record: one hash table of ordinals for both names.
//!
//! The names themselves stay in the records, so the table costs a dozen bytes a record.

use std::hash::{BuildHasher, RandomState};

use hashbrown::HashTable;
use shared::release::Record;

/// Records, found by either name.
#[derive(Debug)]
pub(super) struct Index {
    records: Vec<Record>,
    /// Ordinals, by the hashes of both names.
    table: HashTable<u32>,
    hasher: RandomState,
}

impl Index {
    /// Indexes `records`, whose places are their ordinals.
    pub(super) fn new(records: Vec<Record>) -> Self {
        let hasher = RandomState::new();
        let mut table = HashTable::with_capacity(records.len() * 2);
        for (ordinal, record) in (0_u32..).zip(&records) {
            for name in [&record.id, &record.slug] {
                let hash = hasher.hash_one(&**name);
                // Growing needs the hash of entries already there, of which only the ordinal is
                // known; the capacity makes growing impossible.
                table.insert_unique(hash, ordinal, |_| hash);
            }
        }
        Self {
            records,
            table,
            hasher,
        }
    }

    /// All records, by ordinal.
    pub(super) fn records(&self) -> &[Record] {
        &self.records
    }

    /// The ordinal of the record called `name`.
    pub(super) fn find(&self, name: &str) -> Option<u32> {
        let hash = self.hasher.hash_one(name);
        let is_called = |&ordinal: &u32| {
            let record = &self.records[ordinal as usize];
            &*record.id == name || &*record.slug == name
        };
        self.table.find(hash, is_called).copied()
    }
}
