//! What changes from one release to another, for programs: one JSON document.
//!
//! Changed records are read while the document is written, since every record may have changed.

use std::collections::BTreeMap;

use serde::ser::{Error as _, SerializeSeq as _};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use shared::release::diff::change::{Change, changes};
use shared::release::diff::changed::ChangedRecords;
use shared::release::diff::{
    FieldsDiff, Filter, Kind, KindDiff, Listed, MovedSlug, RecordName, TakenName,
};
use shared::release::{ReleaseDiff, ReleaseId};

use super::changes::Changes;
use crate::report::{cut, width};

/// How much of the changed records is shown.
#[derive(Clone, Copy)]
pub(super) struct Bounds {
    /// Most changes of one record.
    pub(super) changes_max: usize,
    /// Most columns of one value.
    pub(super) value_max: usize,
}

/// The whole document. A kind that was not requested is null.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DiffDocument<'a> {
    from: &'a ReleaseId,
    to: &'a ReleaseId,
    boats: Option<KindDocument<'a>>,
    manufacturers: Option<KindDocument<'a>>,
    lost_filters: Option<&'a Listed<Filter>>,
}

impl<'a> DiffDocument<'a> {
    pub(super) fn new(diff: &'a ReleaseDiff, of_kinds: &'a [Changes], bounds: Bounds) -> Self {
        let of_kind = |kind| {
            let changes = of_kinds.iter().find(|changes| changes.kind == kind)?;
            Some(KindDocument::new(diff.of_kind(kind), changes, bounds))
        };
        let boats = of_kind(Kind::Boats);
        Self {
            from: &diff.from,
            to: &diff.to,
            lost_filters: boats.is_some().then_some(&diff.lost_filters),
            boats,
            manufacturers: of_kind(Kind::Manufacturers),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct KindDocument<'a> {
    before: u64,
    after: u64,
    added: &'a Listed<RecordName>,
    changed: ChangedDocument<'a>,
    removed: &'a Listed<RecordName>,
    unchanged: u64,
    moved_slugs: &'a Listed<MovedSlug>,
    taken_names: &'a Listed<TakenName>,
    fields: &'a FieldsDiff,
    /// In how many records each field changed.
    changed_fields: &'a BTreeMap<String, u64>,
    /// In how many records each field lost its value.
    lost_values: &'a BTreeMap<String, u64>,
}

impl<'a> KindDocument<'a> {
    fn new(diff: &'a KindDiff, changes: &'a Changes, bounds: Bounds) -> Self {
        Self {
            before: diff.before,
            after: diff.after,
            added: &diff.added,
            changed: ChangedDocument {
                total: diff.changed.total,
                examples: ChangedExamples {
                    names: &diff.changed.examples,
                    records: &changes.records,
                    bounds,
                },
            },
            removed: &diff.removed,
            unchanged: diff.unchanged,
            moved_slugs: &diff.moved_slugs,
            taken_names: &diff.taken_names,
            fields: &diff.fields,
            changed_fields: &changes.fields,
            lost_values: &changes.lost,
        }
    }
}

#[derive(Serialize)]
struct ChangedDocument<'a> {
    total: u64,
    examples: ChangedExamples<'a>,
}

struct ChangedExamples<'a> {
    names: &'a [RecordName],
    records: &'a ChangedRecords,
    bounds: Bounds,
}

#[derive(Serialize)]
struct ChangedRecordDocument<'a> {
    id: &'a str,
    slug: &'a str,
    changes: ChangesDocument<'a>,
}

#[derive(Serialize)]
struct ChangesDocument<'a> {
    total: usize,
    examples: Vec<ChangeDocument<'a>>,
}

impl Serialize for ChangedExamples<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut list = to.serialize_seq(Some(self.names.len()))?;
        for (name, pair) in self.names.iter().zip(self.records.read()) {
            let [old, new] = pair.map_err(|error| {
                let error = anyhow::Error::new(error);
                S::Error::custom(format!("{error:#}"))
            })?;
            let changes = changes(&old, &new);
            let shown = changes.iter().take(self.bounds.changes_max);
            list.serialize_element(&ChangedRecordDocument {
                id: &name.id,
                slug: &name.slug,
                changes: ChangesDocument {
                    total: changes.len(),
                    examples: shown
                        .map(|change| ChangeDocument::new(change, self.bounds.value_max))
                        .collect(),
                },
            })?;
        }
        list.end()
    }
}

/// One change. A value that was or is absent is left out, since null is a value.
#[derive(Serialize)]
struct ChangeDocument<'a> {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    old: Option<Value<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    new: Option<Value<'a>>,
    /// Present, and true, if a value is cut; then both values are strings.
    #[serde(skip_serializing_if = "Option::is_none")]
    cut: Option<bool>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Value<'a> {
    Whole(&'a RawValue),
    Cut(String),
}

impl<'a> ChangeDocument<'a> {
    fn new(change: &Change<'a>, value_max: usize) -> Self {
        let path = change.path.to_string();
        let values = [change.old, change.new];
        let whole = |path| {
            let [old, new] = values.map(|value| value.map(Value::Whole));
            let cut = None;
            Self {
                path,
                old,
                new,
                cut,
            }
        };
        if values
            .iter()
            .flatten()
            .all(|value| value.get().len() <= value_max)
        {
            return whole(path);
        }
        let texts = values.map(|value| value.map(text).unwrap_or_default());
        if texts.iter().all(|text| width(text) <= value_max) {
            return whole(path);
        }
        let shown = cut(texts.each_ref().map(String::as_str), value_max);
        let [old, new] = shown.map(Value::Cut);
        Self {
            path,
            old: change.old.map(|_value| old),
            new: change.new.map(|_value| new),
            cut: Some(true),
        }
    }
}

/// The contents of a string, or the JSON of any other value.
fn text(value: &RawValue) -> String {
    serde_json::from_str(value.get()).unwrap_or_else(|_no_text| value.get().to_owned())
}
