//! Reports, for authors of mappings, what a mapping finds in an export: how often each field has a
//! value, which keys of the records nothing reads, and which keys are read but never present.
//!
//! The expressions show what is read, the records what exists. Several checkers may each look at a
//! part of an export and then be merged.

mod coverage;
mod observed_keys;
mod report;
mod sample;
mod summary;
mod unread;

use std::collections::{BTreeMap, BTreeSet, HashMap};

pub use self::report::{CheckReport, FieldReport, LinkedReport, MissingKey, RuleReport, UnreadKey};

use self::coverage::Coverage;
pub(super) use self::coverage::note_published_keys;
use self::observed_keys::Keys;
use self::sample::{Sample, sample};
use super::big_stack;
use super::definition::Definition;
use super::expression::{Jq, Site};
use super::index::Index;

/// Collects the observations for a report.
#[derive(Default)]
pub(super) struct Checker {
    /// The place of the current record.
    place: usize,
    /// By rule, then by field name.
    fields: BTreeMap<usize, HashMap<String, FieldTally>>,
    /// The keys of the records, by their source and type.
    keys: BTreeMap<(usize, String), Keys>,
    /// The types of the records that references lead to, by the reference's site in the mapping.
    led: BTreeMap<Site, BTreeSet<String>>,
    /// Links from keys that no record has, by their fields: the number of keys, and one of them as
    /// a sample.
    lone_links: BTreeMap<String, (u64, String)>,
}

/// A record being examined.
pub(super) struct Looked<'a> {
    /// Its place in the export.
    pub(super) place: usize,
    pub(super) source: usize,
    pub(super) record_type: &'a str,
    pub(super) is_published: bool,
    /// The fields of its links.
    pub(super) links: Vec<&'a str>,
}

impl<'a> Looked<'a> {
    /// The record at a place.
    pub(super) fn of(place: usize, index: &'a Index) -> Self {
        let document = index.documents.at(place);
        Self {
            place,
            source: document.source.into(),
            record_type: &document.record_type,
            is_published: document.is_published,
            links: index.links.fields_of(document.key, &index.keys),
        }
    }
}

#[derive(Default)]
struct FieldTally {
    filled: u64,
    null: u64,
    errors: u64,
    sample: Sample,
    error: Sample,
}

impl Checker {
    /// Counts the value, or the error, that a rule (given by its place) produced for a field.
    pub(super) fn field(&mut self, rule: usize, path: &str, value: Result<&Jq, &str>) {
        let fields = self.fields.entry(rule).or_default();
        let tally = match fields.get_mut(path) {
            Some(tally) => tally,
            None => fields.entry(path.to_owned()).or_default(),
        };
        match value {
            Ok(value) if is_empty(value) => tally.null += 1,
            Ok(value) => {
                tally.filled += 1;
                tally.sample.offer(self.place, || sample(value));
            }
            Err(error) => {
                tally.errors += 1;
                tally.error.offer(self.place, || error.to_owned());
            }
        }
    }
}

impl Checker {
    /// Examines a record. Later observations are about this one.
    pub(super) fn record(&mut self, looked: &Looked<'_>, record: &Jq) {
        self.place = looked.place;
        let keys = (looked.source, looked.record_type.to_owned());
        let keys = self.keys.entry(keys).or_default();
        keys.record((looked.place, looked.is_published), record, &looked.links);
    }

    /// Notes that a reference led to a record of this type.
    pub(super) fn led(&mut self, site: Site, record_type: &str) {
        let types = self.led.entry(site).or_default();
        if !types.contains(record_type) {
            types.insert(record_type.to_owned());
        }
    }

    /// Notes that a key that no record has links to others by this field.
    pub(super) fn lone_link(&mut self, from: &str, field: &str) {
        let first = || (0, from.to_owned());
        let (count, _) = self
            .lone_links
            .entry(field.to_owned())
            .or_insert_with(first);
        *count += 1;
    }

    /// Adds what another checker found in its part of the export.
    pub(super) fn merge(&mut self, other: Self) {
        for (rule, fields) in other.fields {
            let of_rule = self.fields.entry(rule).or_default();
            for (field, tally) in fields {
                of_rule.entry(field).or_default().merge(tally);
            }
        }
        for (of, keys) in other.keys {
            self.keys.entry(of).or_default().merge(keys);
        }
        for (site, types) in other.led {
            self.led.entry(site).or_default().extend(types);
        }
        for (field, (count, first)) in other.lone_links {
            self.lone_links.entry(field).or_insert((0, first)).0 += count;
        }
    }

    /// The report on everything observed.
    pub(super) fn report(self, definition: &Definition) -> anyhow::Result<CheckReport> {
        let coverage = big_stack::deep(|| Coverage::of(definition))?;
        Ok(summary::report(self, coverage, definition))
    }
}

impl FieldTally {
    fn merge(&mut self, other: Self) {
        self.filled += other.filled;
        self.null += other.null;
        self.errors += other.errors;
        self.sample.merge(other.sample);
        self.error.merge(other.error);
    }
}

/// Whether a value counts as missing.
fn is_empty(value: &Jq) -> bool {
    match value {
        Jq::Null => true,
        Jq::Arr(items) => items.is_empty(),
        Jq::Obj(members) => members.is_empty(),
        _ => false,
    }
}

#[cfg(test)]
mod tests;
