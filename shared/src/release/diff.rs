//! What changes for consumers from one release to another: records, slugs and fields.
//!
//! Records are compared by their ETags, so no body is read, and memory grows with identities only.

mod contents;
mod fields;
mod names;

pub use contents::Contents;
pub use fields::FieldsDiff;
pub use names::{MovedSlug, TakenName};

use std::cmp::Ordering;
use std::collections::HashSet;
use std::fmt;

use serde::Serialize;

use self::fields::fields_diff;
use self::names::{moved, name_takers, taken_names};
use super::{Record, Release, ReleaseError, ReleaseId};

/// The difference between two releases.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReleaseDiff {
    /// What consumers see before.
    pub from: ReleaseId,
    /// What they see after.
    pub to: ReleaseId,
    /// Boats.
    pub boats: KindDiff,
    /// Manufacturers.
    pub manufacturers: KindDiff,
    /// Filters that found boats and no longer find any.
    pub lost_filters: Listed<Filter>,
}

/// A filter of boats by the slug of a term.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Filter {
    /// The parameter: `type`, `category` or `activity`.
    pub parameter: &'static str,
    /// The slug.
    pub slug: Box<str>,
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.parameter, self.slug)
    }
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
    /// Slugs and ids of records which are gone that lead to another record now.
    pub taken_names: Listed<TakenName>,
    /// What happened to their fields; null where one of the releases does not tell its fields.
    pub fields: Option<FieldsDiff>,
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

impl ReleaseDiff {
    /// Compares two releases; of each list of examples, gives at most the first `examples_max`.
    pub fn between(
        old: &Release,
        new: &Release,
        examples_max: usize,
    ) -> Result<Self, ReleaseError> {
        let (old, new) = (Contents::read(old)?, Contents::read(new)?);
        Ok(Self::of(&old, &new, examples_max))
    }

    /// As [`Self::between`], of contents that were read already.
    pub fn of(old: &Contents, new: &Contents, examples_max: usize) -> Self {
        let mut boats = records_diff(&old.boats, &new.boats, examples_max);
        let mut manufacturers = records_diff(&old.manufacturers, &new.manufacturers, examples_max);
        if let (Some(before), Some(after)) = (&old.fields, &new.fields) {
            boats.fields = Some(fields_diff(
                (&before.boats, boats.before),
                (&after.boats, boats.after),
            ));
            manufacturers.fields = Some(fields_diff(
                (&before.manufacturers, manufacturers.before),
                (&after.manufacturers, manufacturers.after),
            ));
        }
        Self {
            from: old.id.clone(),
            to: new.id.clone(),
            boats,
            manufacturers,
            lost_filters: lost_filters(old, new, examples_max),
        }
    }

    /// Both kinds of record with their name, for people.
    pub const fn kinds(&self) -> [(&'static str, &KindDiff); 2] {
        [
            ("boats", &self.boats),
            ("manufacturers", &self.manufacturers),
        ]
    }
}

/// Walks both lists, which are in the order of ids.
fn records_diff(old: &[Record], new: &[Record], examples_max: usize) -> KindDiff {
    let mut diff = KindDiff {
        before: old.len() as u64,
        after: new.len() as u64,
        ..KindDiff::default()
    };
    let mut gone = Vec::new();
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
        if after.is_none() {
            gone.extend(before);
        }
        diff.add(before, after, examples_max);
    }
    name_takers(&mut diff.moved_slugs.examples, new);
    diff.taken_names = taken_names(&gone, new, examples_max);
    diff
}

/// Which slugs of terms no boat has any more.
fn lost_filters(old: &Contents, new: &Contents, examples_max: usize) -> Listed<Filter> {
    let mut lost = Listed::default();
    for ((parameter, before), (_, after)) in old.filters().into_iter().zip(new.filters()) {
        let after: HashSet<&str> = after.iter().map(|(slug, _)| &**slug).collect();
        for (slug, _) in before.iter().filter(|(slug, _)| !after.contains(&**slug)) {
            let slug = slug.clone();
            lost.push(|| Filter { parameter, slug }, examples_max);
        }
    }
    lost
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

#[cfg(test)]
mod tests;
