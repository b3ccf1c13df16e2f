//! A difference between releases in a few lines: what matters to consumers, and nothing else.

use std::collections::BTreeMap;

use shared::release::ReleaseDiff;
use shared::release::diff::{Kind, KindDiff};

use super::changes::{ChangedFields, FieldNumbers, by_count};
use crate::terminal::{counted, names};

/// One line per kind, one for the fields that changed most in it, and one for each change that may
/// break a consumer.
pub(in crate::commands) fn all(
    diff: &ReleaseDiff,
    changed_fields: Option<&ChangedFields>,
) -> Vec<String> {
    counts_of_all(diff)
        .into_iter()
        .chain(fields_that_changed(diff, changed_fields))
        .chain(changed_fields.into_iter().flat_map(values_that_went))
        .chain(breaking(diff))
        .collect()
}

/// One line for each change that may break a consumer.
pub(in crate::commands) fn breaking(diff: &ReleaseDiff) -> Vec<String> {
    let breaks = diff.kinds().map(|(kind, of_kind)| breaks(kind, of_kind));
    breaks
        .into_iter()
        .flatten()
        .chain(lost_filters(diff))
        .collect()
}

/// One line per kind: how many records change.
pub(in crate::commands) fn counts_of_all(diff: &ReleaseDiff) -> [String; 2] {
    diff.kinds().map(|(kind, of_kind)| counts(kind, of_kind))
}

fn counts(kind: &str, diff: &KindDiff) -> String {
    let [added, changed, removed] =
        [&diff.added, &diff.changed, &diff.removed].map(|names| names.total);
    let unchanged = diff.unchanged;
    format!("{kind}: {added} added, {changed} changed, {removed} removed, {unchanged} unchanged")
}

fn fields_that_changed(diff: &ReleaseDiff, changed: Option<&ChangedFields>) -> Vec<String> {
    let Some(changed) = changed.and_then(ChangedFields::changed) else {
        let is_changed = diff
            .kinds()
            .iter()
            .any(|(_, of_kind)| of_kind.changed.total != 0);
        let look = "catalogue diff says which fields changed".to_owned();
        return is_changed.then_some(look).into_iter().collect();
    };
    fields_by_count(&changed, "changed")
}

/// In how many records fields lost their values, a line for each kind.
fn values_that_went(changed: &ChangedFields) -> Vec<String> {
    let what = if changed.is_estimate() {
        "lost values, by a sample"
    } else {
        "lost values"
    };
    fields_by_count(&changed.lost(), what)
}

fn fields_by_count(numbers: &FieldNumbers, what: &str) -> Vec<String> {
    let kinds = numbers.kinds().into_iter();
    let lines = kinds.filter_map(|(kind, fields)| fields_that_did(kind, what, fields));
    lines.collect()
}

/// The fields of a kind to which this happened, and in how many records, if there are any.
pub(super) fn fields_that_did(
    kind: Kind,
    what: &str,
    fields: &BTreeMap<String, u64>,
) -> Option<String> {
    let counts = by_count(fields).into_iter();
    let counts = counts.map(|(field, count)| format!("{field} {count}"));
    let names = names(counts, fields.len() as u64);
    (!fields.is_empty()).then(|| format!("fields of {} that {what}: {names}", kind.name()))
}

/// Filters that no longer find anything, if any.
fn lost_filters(diff: &ReleaseDiff) -> Option<String> {
    let lost = &diff.lost_filters;
    let (filters, names) = (
        counted(lost.total, "filter"),
        names(lost.examples.iter(), lost.total),
    );
    let find = if lost.total == 1 { "finds" } else { "find" };
    (lost.total != 0).then(|| format!("{filters} of boats {find} nothing any more: {names}"))
}

/// Slugs and ids of removed records that now lead to other records, if any.
fn taken_names(kind: &str, diff: &KindDiff) -> Option<String> {
    let taken = &diff.taken_names;
    let names = names(taken.examples.iter().map(|one| &one.name), taken.total);
    let records = counted(taken.total, "name");
    let what = match taken.total {
        1 => "leads to another record now",
        _ => "lead to other records now",
    };
    (taken.total != 0).then(|| format!("{records} of removed {kind} {what}: {names}"))
}

fn breaks(kind: &str, diff: &KindDiff) -> Vec<String> {
    let fields = &diff.fields;
    [
        moved_slugs(kind, diff),
        taken_names(kind, diff),
        null_fields(kind, diff),
        fields_that(
            ["is", "are"],
            "missing in some records now",
            kind,
            &fields.optional_now,
        ),
        fields_that(
            ["has", "have"],
            "fractions now",
            kind,
            &fields.fractional_now,
        ),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The slugs of the first records that are removed, and how many more there are.
pub(in crate::commands) fn removed_slugs(diff: &KindDiff) -> String {
    let removed = &diff.removed;
    names(removed.examples.iter().map(|one| &one.slug), removed.total)
}

/// Slugs that no longer lead to their records, if any.
pub(in crate::commands) fn moved_slugs(kind: &str, diff: &KindDiff) -> Option<String> {
    let moved = &diff.moved_slugs;
    let names = names(moved.examples.iter().map(|one| &one.from), moved.total);
    let slugs = counted(moved.total, "slug");
    let what = match moved.total {
        1 => "leads to its record",
        _ => "lead to their records",
    };
    (moved.total != 0).then(|| format!("{slugs} of {kind} no longer {what}: {names}"))
}

/// Fields that had a value before and have none now, if any.
pub(in crate::commands) fn null_fields(kind: &str, diff: &KindDiff) -> Option<String> {
    let fields = [&diff.fields.null_now[..], &diff.fields.gone].concat();
    fields_that(
        ["is", "are"],
        "null in every record now, or gone",
        kind,
        &fields,
    )
}

fn fields_that(
    [singular, plural]: [&str; 2],
    what: &str,
    kind: &str,
    paths: &[String],
) -> Option<String> {
    let total = paths.len() as u64;
    let verb = if total == 1 { singular } else { plural };
    let (fields, names) = (counted(total, "field"), names(paths.iter(), total));
    (total != 0).then(|| format!("{fields} of {kind} {verb} {what}: {names}"))
}
