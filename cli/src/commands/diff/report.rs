//! What changes from one release to another, as parts of a report: totals, then each list under its
//! title.

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use shared::release::ReleaseId;
use shared::release::diff::change::{Change, changes};
use shared::release::diff::{KindDiff, Listed, RecordName, TakenName};

use super::changes::{Changes, Compared, FAILED, by_count};
use crate::report::{self, Changed, ChangedRecord, Report};
use crate::terminal::table::Column;

/// Returns the page of a record in its content system, by the record's id.
pub(in crate::commands) type EditUrl<'f> = &'f dyn Fn(&str) -> Option<String>;

/// How much is shown.
#[derive(Clone, Copy)]
pub(in crate::commands) struct Bounds {
    /// Most fields of one kind.
    pub(super) fields_max: usize,
    /// Most changes of one record.
    pub(super) changes_max: usize,
    /// Whether values are shown whole.
    pub(super) is_full: bool,
}

impl Bounds {
    /// Those of a page.
    pub(in crate::commands) const PAGE: Self = Self {
        fields_max: usize::MAX,
        changes_max: 30,
        is_full: false,
    };
}

/// The two releases, by name.
pub(super) fn heads(
    [from, to]: [&ReleaseId; 2],
    active: Option<&ReleaseId>,
) -> [(&'static str, String); 2] {
    let named = |id: &ReleaseId| {
        if active == Some(id) {
            format!("{id} (active)")
        } else {
            id.to_string()
        }
    };
    [("From", named(from)), ("To", named(to))]
}

/// Adds everything that changes.
pub(in crate::commands) fn add<'a>(
    report: &mut Report<'a>,
    compared: &'a Compared,
    bounds: Bounds,
    edit_url: EditUrl<'a>,
) {
    add_counts(report, compared);
    let mut lists = false;
    for changes in &compared.changes {
        let diff = compared.diff.of_kind(changes.kind);
        lists |= add_lists(report, diff, changes, bounds, edit_url);
    }
    let lost = &compared.diff.lost_filters;
    if compared.changes.iter().any(Changes::is_of_boats) && lost.total != 0 {
        lists = true;
        let rows = lost.examples.iter().map(|filter| [filter.to_string()]);
        report.list(
            "Filters of boats that find nothing any more",
            rows,
            lost.more(),
        );
    }
    if !lists {
        report.note("Consumers see no difference.");
    }
}

/// How many records of each kind there are, and how many changed.
fn add_counts(report: &mut Report<'_>, compared: &Compared) {
    let rows = compared.changes.iter().map(|changes| {
        let of_kind = compared.diff.of_kind(changes.kind);
        let numbers = [
            of_kind.before,
            of_kind.after,
            of_kind.added.total,
            of_kind.changed.total,
            of_kind.removed.total,
            of_kind.unchanged,
        ];
        let [before, after, added, changed, removed, same] = numbers.map(|n| n.to_string());
        let kind = changes.kind.name().to_owned();
        [kind, before, after, added, changed, removed, same]
    });
    let heading = [
        "RECORDS".into(),
        "BEFORE".into(),
        "AFTER".into(),
        "ADDED".into(),
        "CHANGED".into(),
        "REMOVED".into(),
        Column::spare(1, "UNCHANGED"),
    ];
    report.table("", heading, rows);
}

/// Adds what there is to list of one kind, each part under its title; returns whether there is
/// anything.
fn add_lists<'a>(
    report: &mut Report<'a>,
    diff: &'a KindDiff,
    changes: &'a Changes,
    bounds: Bounds,
    edit_url: EditUrl<'a>,
) -> bool {
    let before = report.len();
    let kind = changes.kind.name();
    add_records(report, format!("Added {kind}"), &diff.added);
    for (what, fields) in [("changed", &changes.fields), ("lost values", &changes.lost)] {
        let title = format!("Fields of {kind} that {what}, in how many records");
        add_fields(report, title, fields, bounds.fields_max);
    }
    if diff.changed.total != 0 {
        let records = Box::new(move || {
            let names = diff.changed.examples.iter();
            let records = names.zip(changes.records.read()).map(move |(name, pair)| {
                let [old, new] = pair.map_err(|error| anyhow::Error::new(error).context(FAILED))?;
                Ok(changed(name, [&old, &new], bounds.changes_max, edit_url))
            });
            Box::new(records) as Box<dyn Iterator<Item = _>>
        });
        report.changes(report::Changes {
            title: Some(format!("Changed {kind}")),
            records,
            more: diff.changed.more(),
            is_full: bounds.is_full,
        });
    }
    add_records(report, format!("Removed {kind}"), &diff.removed);
    add_names(report, kind, diff);
    for (what, paths) in [
        ("null in every record now", &diff.fields.null_now),
        ("gone from every record", &diff.fields.gone),
        (
            "in every record before, missing in some now",
            &diff.fields.optional_now,
        ),
        (
            "whole numbers before, with fractions now",
            &diff.fields.fractional_now,
        ),
    ] {
        let title = format!("Fields of {kind}, {what}");
        report.list(title, paths.iter().map(|path| [path]), 0);
    }
    before < report.len()
}

/// In how many records something happened to each field.
fn add_fields(
    report: &mut Report<'_>,
    title: String,
    fields: &BTreeMap<String, u64>,
    fields_max: usize,
) {
    let fields = by_count(fields);
    let shown = &fields[..fields.len().min(fields_max)];
    let rows = shown
        .iter()
        .map(|(field, count)| [(*field).to_owned(), count.to_string()]);
    report.list(title, rows, (fields.len() - shown.len()) as u64);
}

fn add_records(report: &mut Report<'_>, title: String, names: &Listed<RecordName>) {
    let rows = names.examples.iter().map(|name| [&*name.slug, &*name.id]);
    report.list(title, rows, names.more());
}

/// Adds the slugs and ids that lead elsewhere.
fn add_names(report: &mut Report<'_>, kind: &str, diff: &KindDiff) {
    let (moved, taken) = (&diff.moved_slugs, &diff.taken_names);
    let rows = moved.examples.iter().map(|moved| {
        let instead = match &moved.taken_by {
            Some(other) => format!("leads to {other} instead; "),
            None => String::new(),
        };
        let now = format!("{instead}{} is {} now", moved.id, moved.to);
        [moved.from.to_string(), now]
    });
    let title = format!("Slugs of {kind} that no longer lead to their records");
    report.list(title, rows, moved.more());
    let rows = taken.examples.iter().map(|taken| {
        let TakenName { name, from, to } = taken;
        [
            name.to_string(),
            format!("led to {from}, leads to {to} now"),
        ]
    });
    let title = format!("Names of removed {kind} that lead to others now");
    report.list(title, rows, taken.more());
}

/// What changed in a record.
fn changed(
    name: &RecordName,
    [old, new]: [&RawValue; 2],
    changes_max: usize,
    edit_url: EditUrl<'_>,
) -> ChangedRecord {
    let changes = changes(old, new);
    ChangedRecord {
        slug: name.slug.to_string(),
        id: name.id.to_string(),
        edit_url: edit_url(&name.id),
        changes: changes.iter().take(changes_max).map(one).collect(),
        more: changes.len().saturating_sub(changes_max),
    }
}

/// One change. For an element that was added or removed the path is that of the list, since its
/// index holds only while the changes are applied.
pub(super) fn one(change: &Change<'_>) -> Changed {
    let list = match (change.old, change.new) {
        (Some(_), Some(_)) => None,
        _ => change.path.list(),
    };
    let text = |value: &RawValue| value.get().to_owned();
    Changed {
        path: list.as_ref().unwrap_or(&change.path).to_string(),
        old: change.old.map(text),
        new: change.new.map(text),
    }
}
