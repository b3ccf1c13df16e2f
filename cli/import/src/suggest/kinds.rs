//! Records of several kinds in one list, as Django's `dumpdata` writes them:
//! `{"model": "boats.boat", "pk": 1, "fields": {…}}`.
//!
//! Only the kind that is probably the boats is read. The others are named.

use serde_json::{Map, Value};

use super::decision::Decision;
use super::survey::{Key, Surveyed};
use super::text::clean;
use crate::mapping::folded::words;

/// The key with the kind of a record.
const KIND: &str = "model";
/// The key with its number among those of its kind.
const NUMBER: &str = "pk";
/// The key with all of its values.
const VALUES: &str = "fields";

/// Usual names of the kind of boats.
const BOATS: [&str; 7] = [
    "boat", "yacht", "vessel", "ship", "model", "listing", "product",
];

/// One of several kinds of records in a list.
#[derive(Debug)]
pub(super) struct Kind {
    /// Its name in the export.
    pub(super) name: String,
    /// Each of the others, and how many records it has.
    others: Vec<(String, u64)>,
}

impl Kind {
    /// The expression for the kind of a record.
    pub(super) const TYPE: &str = ".model";
    /// The expression for the key of a record, which no other kind has.
    pub(super) const KEY: &str = r#""\(.model)-\(.pk)""#;

    /// The kind of boats in a file, if all of its records name their kinds.
    pub(super) fn of(file: &Surveyed) -> Option<Self> {
        let names = [KIND, NUMBER, VALUES];
        let is_envelope = |key: &Key| {
            let first = key.steps.first();
            first.is_some_and(|first| names.contains(&first.as_str()))
        };
        let is_kind = |key: &&Key| key.steps.len() == 1 && key.steps[0] == KIND;
        let kinds = file.keys.iter().find(is_kind)?;
        let is_label = |value: &str| value.split('.').filter(|part| !part.is_empty()).count() == 2;
        if !file.keys.iter().all(is_envelope) || !kinds.all(is_label) {
            return None;
        }
        let kinds = kinds.samples.iter().zip(&kinds.counts);
        let called = |(name, _): &(&String, &u64)| {
            let own = name.rsplit('.').next().map(words).unwrap_or_default();
            let own = own.concat();
            BOATS.contains(&own.trim_end_matches('s'))
        };
        let (name, _) = kinds
            .clone()
            .find(called)
            .or_else(|| kinds.clone().max_by_key(|(_, records)| **records))?;
        let others = kinds.filter(|(other, _)| *other != name);
        Some(Self {
            name: name.clone(),
            others: others
                .map(|(other, records)| (other.clone(), *records))
                .collect(),
        })
    }

    /// Takes from a record what names it; returns whether it is of this kind.
    pub(super) fn takes(&self, record: &mut Map<String, Value>) -> bool {
        record.remove(NUMBER);
        let kind = record.remove(KIND);
        kind.is_some_and(|kind| kind.as_str() == Some(&self.name))
    }

    /// The note about the other kinds.
    pub(super) fn decision(&self) -> Decision {
        let others = self.others.iter().take(10);
        let others: Vec<String> = others
            .map(|(name, records)| format!("{} ({records})", clean(name, 40)))
            .collect();
        let why = format!(
            "of several kinds by {}: only {} is read, so not {}; what refers to them has their {}",
            Self::TYPE,
            clean(&self.name, 40),
            others.join(", "),
            NUMBER
        );
        Decision::new("records", why)
    }
}
