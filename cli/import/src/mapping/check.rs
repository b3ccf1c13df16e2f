//! Reports, for authors of mappings, what a mapping finds in an export: how often each field has a
//! value, which keys of the records nothing reads, and which keys are read but never present.
//!
//! What is read is what expressions look at while they run over the records. Several checkers may
//! each look at a part of an export and then be merged.

mod numbers;
mod observed_keys;
mod observer;
mod report;
mod sample;
mod summary;
mod unread;

use std::collections::{BTreeMap, BTreeSet, HashMap};

pub use self::numbers::NumberRange;
pub use self::report::{CheckReport, FieldReport, LinkedReport, MissingKey, RuleReport, UnreadKey};

pub(super) use self::observed_keys::Asker;
pub(super) use self::observer::{Looked, Observer};

use self::numbers::Numbers;
use self::observed_keys::ObservedKeys;
use self::sample::{Sample, sample};
use super::big_stack;
use super::definition::Definition;
use super::expression::Jq;

/// The observations for a report.
#[derive(Default)]
pub(super) struct Checker {
    /// By rule, then by field name.
    fields: BTreeMap<usize, HashMap<String, FieldTally>>,
    keys: ObservedKeys,
    /// The fields of links that are asked for of any record.
    links_asked: BTreeSet<String>,
    /// Links from keys that no record has, by their fields: the number of keys, and one of them as
    /// a sample.
    lone_links: BTreeMap<String, (u64, String)>,
}

#[derive(Default)]
struct FieldTally {
    filled: u64,
    null: u64,
    errors: u64,
    sample: Sample,
    error: Sample,
    numbers: Numbers,
}

impl Checker {
    /// Counts the value, or the error, that a rule (given by its place) produced for a field.
    fn field(&mut self, rule: usize, path: &str, value: Result<&Jq, &str>, place: usize) {
        let fields = self.fields.entry(rule).or_default();
        let tally = match fields.get_mut(path) {
            Some(tally) => tally,
            None => fields.entry(path.to_owned()).or_default(),
        };
        match value {
            Ok(value) if is_empty(value) => tally.null += 1,
            Ok(value) => {
                tally.filled += 1;
                tally.sample.offer(place, || sample(value));
                tally.numbers.add(value);
            }
            Err(error) => {
                tally.errors += 1;
                tally.error.offer(place, || error.to_owned());
            }
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
        self.keys.merge(other.keys);
        self.links_asked.extend(other.links_asked);
        for (field, (count, first)) in other.lone_links {
            self.lone_links.entry(field).or_insert((0, first)).0 += count;
        }
    }

    /// The report on everything observed.
    pub(super) fn report(self, definition: &Definition) -> anyhow::Result<CheckReport> {
        big_stack::deep(|| summary::report(self, definition))
    }
}

impl FieldTally {
    fn merge(&mut self, other: Self) {
        self.filled += other.filled;
        self.null += other.null;
        self.errors += other.errors;
        self.sample.merge(other.sample);
        self.error.merge(other.error);
        self.numbers.merge(other.numbers);
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
