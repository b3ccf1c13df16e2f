//! `catalogue diff --record`: every change of one record.
//!
//! People get old and new values; programs get a JSON Patch (RFC 6902) of the record, which is what
//! its response has under `data`.

use anyhow::{Context as _, anyhow};
use serde::Serialize;
use serde_json::value::RawValue;
use shared::base::field_path::FieldPath;
use shared::release::ReleaseId;
use shared::release::diff::Kind;
use shared::release::diff::change::{Change, changes};
use shared::release::diff::changed::RecordBodies;

use super::changes::{FAILED, Side};
use super::report::{heads, one};
use crate::exit_status::ExitStatus;
use crate::hints::Hinted;
use crate::report::{ChangedRecord, Changes, Report};

/// One record in two releases, at least one of which has it.
pub(super) struct RecordDiff<'a> {
    sides: [&'a Side; 2],
    kind: Kind,
    id: &'a str,
    old: Option<Box<RawValue>>,
    new: Option<Box<RawValue>>,
}

impl<'a> RecordDiff<'a> {
    /// Finds the record with this id, or else with this slug, among one kind or both.
    pub(super) fn find(
        name: &'a str,
        only: Option<Kind>,
        sides: [&'a Side; 2],
    ) -> anyhow::Result<Self> {
        let by = |find: fn(&'a str, Kind, [&'a Side; 2]) -> Option<&'a str>| {
            let found = Kind::ALL.into_iter();
            found.filter_map(move |kind| Some((kind, find(name, kind, sides)?)))
        };
        let is_wanted = |(kind, _): &(Kind, &str)| only.is_none_or(|only| only == *kind);
        let mut found: Vec<_> = by(by_id).filter(is_wanted).collect();
        if found.is_empty() {
            found = by(by_slug).filter(is_wanted).collect();
        }
        let (kind, id) = match found[..] {
            [one] => one,
            [] => return Err(missing(name, only, by(by_id).chain(by(by_slug)).next())),
            [..] => return Err(ambiguous(name)),
        };
        let read = |side: &Side| {
            let ordinal = side.contents.find(kind, id);
            let read = |ordinal| RecordBodies::open(&side.release, kind)?.read(ordinal);
            ordinal.map(read).transpose().context(FAILED)
        };
        let [old, new] = sides.map(read);
        let (old, new) = (old?, new?);
        Ok(Self {
            sides,
            kind,
            id,
            old,
            new,
        })
    }

    /// What changed; a record that only one release has is added or removed as a whole.
    fn changes(&self) -> Vec<Change<'_>> {
        match (&self.old, &self.new) {
            (Some(old), Some(new)) => changes(old, new),
            (old, new) => vec![Change {
                path: FieldPath::record(),
                old: old.as_deref(),
                new: new.as_deref(),
            }],
        }
    }

    /// The changes as operations of a JSON Patch.
    pub(super) fn patch(&self) -> Vec<Operation<'_>> {
        self.changes().iter().map(Operation::new).collect()
    }

    /// If only one release has it: which one, and what that means.
    pub(super) fn only_in_one(&self) -> Option<String> {
        let (place, was) = match (&self.old, &self.new) {
            (Some(_), None) => (0, "removed"),
            (None, Some(_)) => (1, "added"),
            _ => return None,
        };
        let (kind, id) = (self.kind.singular(), self.id);
        let release = self.sides[place].release.id();
        Some(format!("The {kind} {id} was {was}: only {release} has it."))
    }

    /// Every change, for people.
    pub(super) fn report(&self, active: Option<&ReleaseId>, is_full: bool) -> Report<'_> {
        let [from, to] = heads(self.sides.map(|side| side.release.id()), active);
        let mut report = Report::new();
        report.facts([from, to, (self.kind.label(), self.id.to_owned())]);
        let bodies = [&self.old, &self.new].map(|body| body.as_deref().map(RawValue::get));
        if let Some(only_in_one) = self.only_in_one() {
            report.note(only_in_one);
        } else if bodies[0] == bodies[1] {
            report.note("It is the same in both.");
        } else {
            let changed = || ChangedRecord {
                slug: String::new(),
                id: self.id.to_owned(),
                edit_url: None,
                changes: self.changes().iter().map(one).collect(),
                more: 0,
            };
            let records = Box::new(move || {
                Box::new(std::iter::once_with(move || Ok(changed()))) as Box<dyn Iterator<Item = _>>
            });
            report.changes(Changes {
                title: None,
                records,
                more: 0,
                is_full,
            });
        }
        report
    }
}

/// One operation of a JSON Patch.
#[derive(Serialize)]
pub(super) struct Operation<'a> {
    op: &'static str,
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<&'a RawValue>,
}

impl<'a> Operation<'a> {
    fn new(change: &Change<'a>) -> Self {
        let op = match (change.old, change.new) {
            (Some(_), Some(_)) => "replace",
            (None, _) => "add",
            (Some(_), None) => "remove",
        };
        Self {
            op,
            path: change.path.pointer(),
            value: change.new,
        }
    }
}

/// The id, if one of the releases has it.
fn by_id<'a>(id: &'a str, kind: Kind, sides: [&'a Side; 2]) -> Option<&'a str> {
    let mut contents = sides.iter().map(|side| &side.contents);
    contents
        .any(|contents| contents.find(kind, id).is_some())
        .then_some(id)
}

/// The id of the record with that slug, from the new release if both have it.
fn by_slug<'a>(slug: &'a str, kind: Kind, [old, new]: [&'a Side; 2]) -> Option<&'a str> {
    let mut contents = [new, old].into_iter().map(|side| &side.contents);
    contents.find_map(|contents| contents.id_of_slug(kind, slug))
}

fn ambiguous(name: &str) -> anyhow::Error {
    let error = anyhow!("{FAILED}: a boat and a manufacturer are named {name}");
    Hinted::wrong_usage(
        error,
        "say which one: --only boats, or --only manufacturers",
    )
    .into()
}

/// The error that neither release has it among the requested kinds; perhaps it is of another kind.
fn missing(name: &str, only: Option<Kind>, other: Option<(Kind, &str)>) -> anyhow::Error {
    let kinds = only.map_or("boat or manufacturer", Kind::singular);
    let error = anyhow!("{FAILED}: neither release has a {kinds} with the id or slug `{name}`");
    let hint = match other {
        Some((kind, _)) => format!("it is a {}: --only {}", kind.singular(), kind.name()),
        None => "catalogue diff without --record lists the records that differ".to_owned(),
    };
    Hinted::new(error, hint, ExitStatus::Failure).into()
}
