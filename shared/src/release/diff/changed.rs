//! The records that changed, read one by one from both releases, before and after.
//!
//! Memory holds the places of each, and the bodies of one. A body is verified by its tag when it is
//! read, so what did not change is not read at all.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::change::{Change, changes, field_changes};
use super::{BodyPlace, Contents, Kind, Listed};
use crate::base::etag::ETag;
use crate::release::bodies::FramedLine;
use crate::release::{Release, ReleaseError};

/// Most fields that are counted one by one. Records have far fewer.
pub const FIELDS_MAX: usize = 500;
/// The name under which further fields are counted.
pub const FURTHER_FIELDS: &str = "...";
/// Most examples of a field that lost or changed its value.
const EXAMPLES_MAX: usize = 3;
/// Longest value of such an example, in characters.
const VALUE_MAX: usize = 60;

/// The bodies of one kind in one release, as they are served. They stay on disk.
#[derive(Debug)]
pub struct RecordBodies {
    file: File,
    path: PathBuf,
    /// Where each line begins, and where the last one ends.
    offsets: Vec<u64>,
}

/// How many bytes the bodies of one kind take in a release.
pub fn bodies_bytes(release: &Release, kind: Kind) -> Result<u64, ReleaseError> {
    Ok(release.entry(kind.lines())?.bytes)
}

/// The envelope of a body.
#[derive(Deserialize)]
struct Envelope {
    data: Box<RawValue>,
}

impl RecordBodies {
    /// Opens them.
    pub fn open(release: &Release, kind: Kind) -> Result<Self, ReleaseError> {
        Ok(Self {
            file: release.open_sized(kind.lines())?,
            path: release.path(kind.lines()),
            offsets: release.offsets(kind)?,
        })
    }

    /// The record at that place: the value of `data` in its body.
    ///
    /// # Panics
    /// When there is no such place.
    pub fn read(&self, place: BodyPlace) -> Result<Box<RawValue>, ReleaseError> {
        let ordinal = place.ordinal as usize;
        let [begin, end] = [self.offsets[ordinal], self.offsets[ordinal + 1]];
        let mut line = FramedLine::of(usize::try_from(end - begin).unwrap_or(usize::MAX));
        self.file
            .read_exact_at(line.line_mut(), begin)
            .map_err(ReleaseError::io("read", &self.path))?;
        let body = line.body();
        if ETag::of(&body) != place.etag {
            let reason = format!("the line at byte {begin} does not match its checksum");
            return Err(ReleaseError::damaged(&self.path, reason));
        }
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
    places: Vec<[BodyPlace; 2]>,
    /// None if nothing changed.
    bodies: Option<[RecordBodies; 2]>,
    /// In how many records each field had a value before.
    had: BTreeMap<String, u64>,
    /// How many records there were.
    before: u64,
}

/// What happened to the fields of the records that changed.
#[derive(Debug, Default)]
pub struct FieldChanges {
    /// In how many records each field changed in any way, if all records were compared.
    pub fields: Option<BTreeMap<String, u64>>,
    /// What happened to values that were there before.
    pub values: BTreeMap<String, ValueChanges>,
}

/// What happened to the values that a field had before. The numbers are estimates if only some of
/// the records were compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ValueChanges {
    /// How many records had one.
    pub had: u64,
    /// Those that have none now.
    pub lost: Listed<ValueChange>,
    /// Those that have another one now.
    pub replaced: Listed<ValueChange>,
}

/// A value of a record before and after, as JSON, which may be cut.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ValueChange {
    /// The record.
    pub id: String,
    /// Its value before.
    pub before: String,
    /// Its value after.
    pub after: String,
}

impl ChangedRecords {
    /// Finds them in two releases, each with its contents.
    pub fn open(
        kind: Kind,
        (old, before): (&Release, &Contents),
        (new, after): (&Release, &Contents),
    ) -> Result<Self, ReleaseError> {
        let places = before.changed(after, kind);
        let bodies = if places.is_empty() {
            None
        } else {
            let [old, new] = [old, new].map(|release| RecordBodies::open(release, kind));
            Some([old?, new?])
        };
        let had = before.fields(kind).iter();
        Ok(Self {
            places,
            bodies,
            had: had
                .map(|field| (field.path.clone(), field.present))
                .collect(),
            before: before.records(kind).len() as u64,
        })
    }

    /// The records before and after, one after the other.
    pub fn read(&self) -> impl Iterator<Item = Result<[Box<RawValue>; 2], ReleaseError>> + use<'_> {
        self.read_each(1)
    }

    /// The same for the first of every `step` records.
    fn read_each(
        &self,
        step: usize,
    ) -> impl Iterator<Item = Result<[Box<RawValue>; 2], ReleaseError>> + use<'_> {
        let bodies = self.bodies.iter();
        bodies.flat_map(move |[old, new]| {
            let pairs = self.places.iter().step_by(step);
            pairs.map(|&[before, after]| Ok([old.read(before)?, new.read(after)?]))
        })
    }

    /// What happened to their fields. At most `compared_max` of them are compared, spread evenly
    /// over all.
    pub fn count_fields(&self, compared_max: usize) -> Result<FieldChanges, ReleaseError> {
        let step = self.places.len().div_ceil(compared_max.max(1)).max(1);
        let mut fields = (step == 1).then(BTreeMap::new);
        let mut values: BTreeMap<String, ValueChanges> = BTreeMap::new();
        for pair in self.read_each(step) {
            let [old, new] = pair?;
            if let Some(fields) = &mut fields {
                let changes = changes(&old, &new);
                let paths = changes.iter().map(|change| change.path.field().to_string());
                count(fields, paths.collect());
            }
            for change in field_changes(&old, &new) {
                add_value(&mut values, &change, &old);
            }
        }
        let (all, compared) = (self.places.len(), self.places.len().div_ceil(step));
        for (field, changes) in &mut values {
            changes.had = self.had.get(field).copied().unwrap_or(self.before);
            for total in [&mut changes.lost.total, &mut changes.replaced.total] {
                let estimate = u128::from(*total) * all as u128 / compared.max(1) as u128;
                *total = u64::try_from(estimate).unwrap_or(u64::MAX).min(changes.had);
            }
        }
        Ok(FieldChanges { fields, values })
    }
}

/// Adds what happened to one value of the record `old`, if it had one.
fn add_value(values: &mut BTreeMap<String, ValueChanges>, change: &Change<'_>, old: &RawValue) {
    let has_value = |value: &&RawValue| !matches!(value.get(), "null" | "[]");
    let Some(before) = change.old.filter(has_value) else {
        return;
    };
    let field = change.path.field().to_string();
    if values.len() == FIELDS_MAX && !values.contains_key(&field) {
        return;
    }
    let changes = values.entry(field).or_default();
    let list = match change.new.filter(has_value) {
        Some(_) => &mut changes.replaced,
        None => &mut changes.lost,
    };
    let example = || ValueChange {
        id: id_of(old),
        before: cut(before.get()),
        after: change
            .new
            .map_or_else(|| "null".to_owned(), |after| cut(after.get())),
    };
    list.push(example, EXAMPLES_MAX);
}

fn id_of(record: &RawValue) -> String {
    #[derive(Deserialize)]
    struct Identified {
        id: String,
    }
    let read: Result<Identified, _> = serde_json::from_str(record.get());
    read.map(|record| record.id).unwrap_or_default()
}

fn cut(value: &str) -> String {
    match value.char_indices().nth(VALUE_MAX) {
        Some((end, _)) => format!("{}…", &value[..end]),
        None => value.to_owned(),
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
