//! What changes for consumers from one release to another: records, slugs and fields.
//!
//! Records are compared by ETag, so memory grows only with identities. Bodies are read only to see
//! what changed in them.

pub mod change;
pub mod changed;

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use std::fmt;

use serde::Serialize;

use super::manifest::{FieldCount, FieldCounts};
use super::reader::{Dictionaries, DictionaryEntry};
use super::{Record, Release, ReleaseError, ReleaseId};
use crate::base::etag::ETag;
use crate::base::render::coverage::is_member;

pub use super::kind::Kind;

/// The difference between two releases.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReleaseDiff {
    /// The release before.
    pub from: ReleaseId,
    /// The release after.
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
    /// Records with any difference.
    pub changed: Listed<RecordName>,
    /// Records whose id is gone.
    pub removed: Listed<RecordName>,
    /// Records that are the same, byte for byte.
    pub unchanged: u64,
    /// Slugs that no longer lead to a record that still exists.
    pub moved_slugs: Listed<MovedSlug>,
    /// Slugs and ids of removed records that lead to another record now.
    pub taken_names: Listed<TakenName>,
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

    /// How many there are besides the examples.
    pub const fn more(&self) -> u64 {
        self.total.saturating_sub(self.examples.len() as u64)
    }
}

/// The names of a record; the newer ones if it is in both releases.
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
    /// Compares two releases, with at most `examples_max` examples in each list.
    pub fn between(
        old: &Release,
        new: &Release,
        examples_max: usize,
    ) -> Result<Self, ReleaseError> {
        let (old, new) = (Contents::read(old)?, Contents::read(new)?);
        Ok(Self::of(&old, &new, examples_max))
    }

    /// The same for contents that were already read.
    pub fn of(old: &Contents, new: &Contents, examples_max: usize) -> Self {
        let mut boats = records_diff(&old.boats, &new.boats, examples_max);
        let mut manufacturers = records_diff(&old.manufacturers, &new.manufacturers, examples_max);
        boats.fields = fields_diff(
            (&old.fields.boats, boats.before),
            (&new.fields.boats, boats.after),
        );
        manufacturers.fields = fields_diff(
            (&old.fields.manufacturers, manufacturers.before),
            (&new.fields.manufacturers, manufacturers.after),
        );
        Self {
            from: old.id.clone(),
            to: new.id.clone(),
            boats,
            manufacturers,
            lost_filters: lost_filters(old, new, examples_max),
        }
    }

    /// Both kinds of record with their name, for people.
    pub fn kinds(&self) -> [(&'static str, &KindDiff); 2] {
        Kind::ALL.map(|kind| (kind.name(), self.of_kind(kind)))
    }

    /// The records of one kind.
    pub const fn of_kind(&self, kind: Kind) -> &KindDiff {
        match kind {
            Kind::Boats => &self.boats,
            Kind::Manufacturers => &self.manufacturers,
        }
    }
}

/// Walks both lists in parallel, in the order of ids.
fn records_diff(old: &[Placed], new: &[Placed], examples_max: usize) -> KindDiff {
    let mut diff = KindDiff {
        before: old.len() as u64,
        after: new.len() as u64,
        ..KindDiff::default()
    };
    let mut gone = Vec::new();
    for (before, after) in beside(old, new) {
        let [before, after] = [before, after].map(|placed| placed.map(|placed| &placed.record));
        if after.is_none() {
            gone.extend(before);
        }
        diff.add(before, after, examples_max);
    }
    let records = || new.iter().map(|placed| &placed.record);
    name_takers(&mut diff.moved_slugs.examples, records());
    diff.taken_names = taken_names(&gone, records(), examples_max);
    diff
}

/// The records of two lists in the order of ids, each before and after, if it exists there.
fn beside<'a>(
    old: &'a [Placed],
    new: &'a [Placed],
) -> impl Iterator<Item = (Option<&'a Placed>, Option<&'a Placed>)> {
    let (mut olds, mut news) = (old.iter().peekable(), new.iter().peekable());
    std::iter::from_fn(move || {
        let order = match (olds.peek(), news.peek()) {
            (Some(old), Some(new)) => old.record.id.cmp(&new.record.id),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => return None,
        };
        let before = (order != Ordering::Greater).then(|| olds.next()).flatten();
        let after = (order != Ordering::Less).then(|| news.next()).flatten();
        Some((before, after))
    })
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
    /// Adds one record, before and after.
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

/// The parts of a release that are compared: identities, terms and fields. They are read together,
/// so that an error names the right release.
#[derive(Debug)]
pub struct Contents {
    id: ReleaseId,
    boats: Vec<Placed>,
    manufacturers: Vec<Placed>,
    terms: Dictionaries,
    fields: FieldCounts,
}

/// A record, and the place of its body.
#[derive(Debug)]
struct Placed {
    record: Record,
    ordinal: u32,
}

impl Placed {
    const fn body(&self) -> BodyPlace {
        BodyPlace {
            ordinal: self.ordinal,
            etag: self.record.etag,
        }
    }
}

/// The place of a record in the order of bodies, and the tag that its body has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BodyPlace {
    ordinal: u32,
    etag: ETag,
}

/// Records in the order of ordinals, put in that of ids.
fn by_id(records: Vec<Record>) -> Vec<Placed> {
    let placed = records.into_iter().zip(0..);
    let mut placed: Vec<Placed> = placed
        .map(|(record, ordinal)| Placed { record, ordinal })
        .collect();
    placed.sort_unstable_by(|a, b| a.record.id.cmp(&b.record.id));
    placed
}

impl Contents {
    /// Reads the parts of a release that are compared.
    pub fn read(release: &Release) -> Result<Self, ReleaseError> {
        Ok(Self {
            id: release.id().clone(),
            boats: by_id(release.boats()?),
            manufacturers: by_id(release.manufacturers()?),
            terms: release.terms()?,
            fields: release.manifest().fields.clone(),
        })
    }

    fn records(&self, kind: Kind) -> &[Placed] {
        match kind {
            Kind::Boats => &self.boats,
            Kind::Manufacturers => &self.manufacturers,
        }
    }

    /// The body of the record with that id, if there is one.
    pub fn find(&self, kind: Kind, id: &str) -> Option<BodyPlace> {
        let records = self.records(kind);
        let place = records.binary_search_by(|placed| (*placed.record.id).cmp(id));
        place.ok().map(|place| records[place].body())
    }

    /// The id of the record with that slug, if there is one.
    pub fn id_of_slug(&self, kind: Kind, slug: &str) -> Option<&str> {
        let mut records = self.records(kind).iter().map(|placed| &placed.record);
        let record = records.find(|record| &*record.slug == slug);
        record.map(|record| &*record.id)
    }

    /// The records with any difference, each before and after, in the order of ids.
    fn changed(&self, new: &Self, kind: Kind) -> Vec<[BodyPlace; 2]> {
        let changed = |(old, new): (Option<&Placed>, Option<&Placed>)| {
            let (old, new) = old.zip(new)?;
            (old.record.etag != new.record.etag).then_some([old.body(), new.body()])
        };
        let pairs = beside(self.records(kind), new.records(kind));
        pairs.filter_map(changed).collect()
    }

    /// In how many records of a kind each field has a value.
    fn fields(&self, kind: Kind) -> &[FieldCount] {
        match kind {
            Kind::Boats => &self.fields.boats,
            Kind::Manufacturers => &self.fields.manufacturers,
        }
    }

    /// The slugs by which boats can be filtered, each list with its parameter.
    fn filters(&self) -> [(&'static str, &[DictionaryEntry]); 3] {
        [
            ("type", &self.terms.types),
            ("category", &self.terms.categories),
            ("activity", &self.terms.activities),
        ]
    }
}

/// What happened to fields that had a value in some record before. If the same happened to all
/// members of an object, only the object is named.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FieldsDiff {
    /// Now null, or an empty list, in every record. Empty if there are no records now.
    pub null_now: Vec<String>,
    /// No longer in the body of any record.
    pub gone: Vec<String>,
    /// In every record before, but not in every one now. The members of an object that may be null
    /// count only in the records that have it.
    pub optional_now: Vec<String>,
    /// Only whole numbers before, and fractions now.
    pub fractional_now: Vec<String>,
}

/// Compares fields, each side with its number of records.
fn fields_diff(before: (&[FieldCount], u64), after: (&[FieldCount], u64)) -> FieldsDiff {
    let [before, after] = [before, after].map(Counts::new);
    let mut diff = FieldsDiff::default();
    for old in before.fields.iter().filter(|old| old.present != 0) {
        let Some(new) = after.by_path.get(&*old.path) else {
            name(&mut diff.gone, &old.path);
            continue;
        };
        if after.records == 0 {
            continue;
        }
        if new.present == 0 {
            name(&mut diff.null_now, &old.path);
        } else if before.is_everywhere(old) && !after.is_everywhere(new) {
            name(&mut diff.optional_now, &old.path);
        }
        if !old.fractional && new.fractional {
            name(&mut diff.fractional_now, &old.path);
        }
    }
    diff
}

/// The fields of one kind of record in one release.
struct Counts<'a> {
    fields: &'a [FieldCount],
    by_path: HashMap<&'a str, &'a FieldCount>,
    records: u64,
}

impl<'a> Counts<'a> {
    fn new((fields, records): (&'a [FieldCount], u64)) -> Self {
        let by_path = fields.iter().map(|field| (&*field.path, field)).collect();
        Self {
            fields,
            by_path,
            records,
        }
    }

    /// Whether every record has the field; for a member of an object that may be null, every record
    /// that has the object.
    fn is_everywhere(&self, field: &FieldCount) -> bool {
        let mut path = &*field.path;
        let mut might = self.records;
        while let Some((object, _)) = path.rsplit_once('.') {
            if let Some(object) = self.by_path.get(object) {
                might = object.present;
                break;
            }
            path = object;
        }
        field.present == might
    }
}

/// Adds a field, unless its object is already in the list.
fn name(list: &mut Vec<String>, path: &str) {
    if !list.iter().any(|named| is_member(path, named)) {
        list.push(path.to_owned());
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

/// A slug or an id that leads to another record than before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TakenName {
    /// The slug or the id.
    pub name: Box<str>,
    /// Id of the record to which it led, which is gone.
    pub from: Box<str>,
    /// Id of the record to which it leads now.
    pub to: Box<str>,
}

fn moved(old: &Record, new: &Record) -> MovedSlug {
    MovedSlug {
        id: new.id.clone(),
        from: old.slug.clone(),
        to: new.slug.clone(),
        taken_by: None,
    }
}

/// Fills in where the former slugs lead now.
fn name_takers<'a>(moved: &mut [MovedSlug], records: impl Iterator<Item = &'a Record>) {
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

/// The names of removed records that lead to others now.
fn taken_names<'a>(
    gone: &[&Record],
    records: impl Iterator<Item = &'a Record>,
    examples_max: usize,
) -> Listed<TakenName> {
    let names = gone.iter().flat_map(|record| [&*record.slug, &*record.id]);
    let mut taken_by: HashMap<&str, Option<&Record>> = names.map(|name| (name, None)).collect();
    for record in records {
        for name in [&*record.slug, &*record.id] {
            if let Some(taker) = taken_by.get_mut(name) {
                *taker = Some(record);
            }
        }
    }
    let mut taken = Listed::default();
    for record in gone {
        // Both may be the same.
        let id = (record.slug != record.id).then_some(&record.id);
        for name in [Some(&record.slug), id].into_iter().flatten() {
            if let Some(&Some(taker)) = taken_by.get(&**name) {
                let taken_name = || TakenName {
                    name: name.clone(),
                    from: record.id.clone(),
                    to: taker.id.clone(),
                };
                taken.push(taken_name, examples_max);
            }
        }
    }
    taken
}

#[cfg(test)]
mod tests;
