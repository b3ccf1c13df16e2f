//! The records that changed, read one by one from both releases, before and after.
//!
//! Memory holds two numbers for each, and the bodies of one.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::change::changes;
use super::{Contents, Kind, Ordinal};
use crate::release::bodies::Bodies;
use crate::release::{Release, ReleaseError};

/// Most fields that are counted one by one. Records have far fewer.
pub const FIELDS_MAX: usize = 500;
/// The name under which further fields are counted.
pub const FURTHER_FIELDS: &str = "...";

/// The bodies of one kind in one release, as they are served. They stay on disk.
#[derive(Debug)]
pub struct RecordBodies {
    bodies: Bodies,
    path: PathBuf,
}

/// How many bytes the bodies of one kind take in a release.
pub fn bodies_bytes(release: &Release, kind: Kind) -> Result<u64, ReleaseError> {
    Ok(release.entry(kind.bodies())?.bytes)
}

/// The envelope of a body.
#[derive(Deserialize)]
struct Envelope {
    data: Box<RawValue>,
}

impl RecordBodies {
    /// Opens and verifies them.
    pub fn open(release: &Release, kind: Kind) -> Result<Self, ReleaseError> {
        Ok(Self {
            bodies: release.bodies(kind, 0)?,
            path: release.path(kind.bodies()),
        })
    }

    /// The record with that ordinal: the value of `data` in its body.
    ///
    /// # Panics
    /// When there is no such ordinal.
    pub fn read(&self, ordinal: Ordinal) -> Result<Box<RawValue>, ReleaseError> {
        let body = self.bodies.read(ordinal.index())?;
        let envelope: Result<Envelope, _> = serde_json::from_slice(&body);
        let envelope = envelope.map_err(|error| {
            let reason = format!("a body is not that of a record: {error}");
            ReleaseError::damaged(&self.path, reason)
        })?;
        Ok(envelope.data)
    }
}

/// The records of one kind that changed, in the order of their ids.
#[derive(Debug)]
pub struct ChangedRecords {
    ordinals: Vec<[Ordinal; 2]>,
    /// None if nothing changed.
    bodies: Option<[RecordBodies; 2]>,
}

impl ChangedRecords {
    /// Finds them in two releases, each with its contents.
    pub fn open(
        kind: Kind,
        (old, before): (&Release, &Contents),
        (new, after): (&Release, &Contents),
    ) -> Result<Self, ReleaseError> {
        let ordinals = before.changed(after, kind);
        let bodies = if ordinals.is_empty() {
            None
        } else {
            let [old, new] = [old, new].map(|release| RecordBodies::open(release, kind));
            Some([old?, new?])
        };
        Ok(Self { ordinals, bodies })
    }

    /// The records before and after, one after the other.
    pub fn read(&self) -> impl Iterator<Item = Result<[Box<RawValue>; 2], ReleaseError>> + use<'_> {
        let bodies = self.bodies.iter();
        bodies.flat_map(|[old, new]| {
            let pairs = self.ordinals.iter();
            pairs.map(|&[before, after]| Ok([old.read(before)?, new.read(after)?]))
        })
    }

    /// How many of them each field changed in.
    pub fn count_fields(&self) -> Result<BTreeMap<String, u64>, ReleaseError> {
        let mut counts = BTreeMap::new();
        for pair in self.read() {
            let [old, new] = pair?;
            let changes = changes(&old, &new);
            let fields = changes.iter().map(|change| change.path.field().to_string());
            let fields: BTreeSet<String> = fields.collect();
            count(&mut counts, fields);
        }
        Ok(counts)
    }
}

fn count(counts: &mut BTreeMap<String, u64>, fields: BTreeSet<String>) {
    let mut has_further = false;
    for field in fields {
        if let Some(records) = counts.get_mut(&field) {
            *records += 1;
        } else if counts.len() < FIELDS_MAX {
            counts.insert(field, 1);
        } else {
            has_further = true;
        }
    }
    if has_further {
        *counts.entry(FURTHER_FIELDS.to_owned()).or_default() += 1;
    }
}

#[cfg(test)]
mod tests;
