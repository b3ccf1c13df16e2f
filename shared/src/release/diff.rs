//! What changes for consumers from one release to another: records, slugs and fields.
//!
//! Records are compared by their ETags, so no body is read, and memory grows with identities only.

use std::cmp::Ordering;
use std::collections::HashMap;

use serde::Serialize;

use super::fields::FieldCount;
use super::{Record, Release, ReleaseError, ReleaseId};
use crate::render::coverage::is_member;

/// The difference between two releases.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReleaseDiff {
    /// What consumers see before.
    pub from: ReleaseId,
    /// What they see after.
    pub to: ReleaseId,
    /// Boats.
    pub boats: KindDiff,
    /// Manufacturers.
    pub manufacturers: KindDiff,
}

/// The difference between the records of one kind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KindDiff {
    /// Records before.
    pub before: u64,
    /// Records after.
    pub after: u64,
    /// Records whose id is new.
    pub added: Listed<RecordName>,
    /// Records of which any byte differs.
    pub changed: Listed<RecordName>,
    /// Records whose id is gone.
    pub removed: Listed<RecordName>,
    /// Records that are the same to the byte.
    pub unchanged: u64,
    /// Slugs that led to a record which still is there, and no longer do.
    pub moved_slugs: Listed<MovedSlug>,
    /// What happened to their fields.
    pub fields: FieldsDiff,
}

/// How many there are, and the first of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Listed<T> {
    /// How many there are.
    pub total: u64,
    /// The first of them, in the order of ids.
    pub examples: Vec<T>,
}

impl<T> Default for Listed<T> {
    fn default() -> Self {
        Self {
            total: 0,
            examples: Vec::new(),
        }
    }
}

impl<T> Listed<T> {
    fn push(&mut self, one: impl FnOnce() -> T, examples_max: usize) {
        self.total += 1;
        if self.examples.len() < examples_max {
            self.examples.push(one());
        }
    }

    /// How many there are beside the examples.
    pub const fn more(&self) -> u64 {
        self.total.saturating_sub(self.examples.len() as u64)
    }
}

/// The names of a record; of one that is in both releases, the newer ones.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RecordName {
    /// Record identifier.
    pub id: Box<str>,
    /// Slug.
    pub slug: Box<str>,
}

impl RecordName {
    fn of(record: &Record) -> Self {
        Self {
            id: record.id.clone(),
            slug: record.slug.clone(),
        }
    }
}

/// A slug that no longer leads to its record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MovedSlug {
    /// Id of the record.
    pub id: Box<str>,
    /// Its slug before.
    pub from: Box<str>,
    /// Its slug after.
    pub to: Box<str>,
    /// Id of the record to which the former slug leads now; null when it leads nowhere.
    pub taken_by: Option<Box<str>>,
}

/// What happened to fields that had a value in some record before. Of an object, only the object
/// itself is named where the same happened to its members.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FieldsDiff {
    /// Null, or an empty list, in every record now. Not judged where there are no records now.
    pub null_now: Vec<String>,
    /// Not in the body of any record now.
    pub gone: Vec<String>,
    /// In every record before, and not in every one now.
    pub optional_now: Vec<String>,
    /// Whole numbers only before, and fractions now.
    pub fractional_now: Vec<String>,
}

impl ReleaseDiff {
    /// Compares two releases; of each list of examples, gives at most the first `examples_max`.
    pub fn between(
        old: &Release,
        new: &Release,
        examples_max: usize,
    ) -> Result<Self, ReleaseError> {
        let (before, after) = (old.manifest(), new.manifest());
        let boats = records_diff(old.boats()?, new.boats()?, examples_max);
        let manufacturers = records_diff(old.manufacturers()?, new.manufacturers()?, examples_max);
        let boat_fields = fields_diff(
            (&before.fields.boats, before.boats),
            (&after.fields.boats, after.boats),
        );
        let manufacturer_fields = fields_diff(
            (&before.fields.manufacturers, before.manufacturers),
            (&after.fields.manufacturers, after.manufacturers),
        );
        Ok(Self {
            from: old.id().clone(),
            to: new.id().clone(),
            boats: KindDiff {
                fields: boat_fields,
                ..boats
            },
            manufacturers: KindDiff {
                fields: manufacturer_fields,
                ..manufacturers
            },
        })
    }

    /// Both kinds of record with their name, for people.
    pub const fn kinds(&self) -> [(&'static str, &KindDiff); 2] {
        [
            ("boats", &self.boats),
            ("manufacturers", &self.manufacturers),
        ]
    }
}

/// Walks both releases in the order of ids.
fn records_diff(mut old: Vec<Record>, mut new: Vec<Record>, examples_max: usize) -> KindDiff {
    old.sort_unstable_by(|a, b| a.id.cmp(&b.id));
    new.sort_unstable_by(|a, b| a.id.cmp(&b.id));
    let mut diff = KindDiff {
        before: old.len() as u64,
        after: new.len() as u64,
        ..KindDiff::default()
    };
    let (mut olds, mut news) = (old.iter().peekable(), new.iter().peekable());
    loop {
        let order = match (olds.peek(), news.peek()) {
            (Some(old), Some(new)) => old.id.cmp(&new.id),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => break,
        };
        let before = (order != Ordering::Greater).then(|| olds.next()).flatten();
        let after = (order != Ordering::Less).then(|| news.next()).flatten();
        diff.add(before, after, examples_max);
    }
    name_takers(&mut diff.moved_slugs.examples, &new);
    diff
}

impl KindDiff {
    /// Adds one record as it was before and as it is after.
    fn add(&mut self, before: Option<&Record>, after: Option<&Record>, examples_max: usize) {
        match (before, after) {
            (Some(old), Some(new)) => {
                if old.etag == new.etag {
                    self.unchanged += 1;
                } else {
                    self.changed.push(|| RecordName::of(new), examples_max);
                }
                let leads_on = [&new.slug, &new.id].contains(&&old.slug);
                if !leads_on {
                    self.moved_slugs.push(|| moved(old, new), examples_max);
                }
            }
            (Some(old), None) => self.removed.push(|| RecordName::of(old), examples_max),
            (None, Some(new)) => self.added.push(|| RecordName::of(new), examples_max),
            (None, None) => {}
        }
    }
}

fn moved(old: &Record, new: &Record) -> MovedSlug {
    MovedSlug {
        id: new.id.clone(),
        from: old.slug.clone(),
        to: new.slug.clone(),
        taken_by: None,
    }
}

/// Says where the former slugs lead now.
fn name_takers(moved: &mut [MovedSlug], records: &[Record]) {
    let places = moved.iter().enumerate();
    let by_slug: HashMap<Box<str>, usize> = places
        .map(|(place, one)| (one.from.clone(), place))
        .collect();
    for record in records {
        for name in [&record.slug, &record.id] {
            if let Some(&place) = by_slug.get(name) {
                moved[place].taken_by = Some(record.id.clone());
            }
        }
    }
}

/// Compares fields, each side with its number of records.
fn fields_diff(
    (before, records_before): (&[FieldCount], u64),
    (after, records_after): (&[FieldCount], u64),
) -> FieldsDiff {
    let after: HashMap<&str, &FieldCount> =
        after.iter().map(|field| (&*field.path, field)).collect();
    let mut diff = FieldsDiff::default();
    for old in before {
        let Some(new) = after.get(&*old.path) else {
            name(&mut diff.gone, &old.path);
            continue;
        };
        if old.present == 0 || records_after == 0 {
            continue;
        }
        if new.present == 0 {
            name(&mut diff.null_now, &old.path);
        } else if old.present == records_before && new.present < records_after {
            name(&mut diff.optional_now, &old.path);
        }
        if !old.fractional && new.fractional {
            name(&mut diff.fractional_now, &old.path);
        }
    }
    diff
}

/// Adds a field, unless the object whose member it is stands there already.
fn name(list: &mut Vec<String>, path: &str) {
    if !list.iter().any(|named| is_member(path, named)) {
        list.push(path.to_owned());
    }
}

#[cfg(test)]
mod tests;
