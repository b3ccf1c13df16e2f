//! What changes from one release to another, as parts of a page for a browser.

use anyhow::Context as _;
use serde_json::value::RawValue;
use shared::release::diff::change::changes;
use shared::release::diff::{Kind, KindDiff, Listed, RecordName};
use shared::release::manifest::FieldCount;
use shared::release::{Manifest, ReleaseDiff, ReleaseError, ReleaseId, Releases};

use super::changes::{Changes, FAILED, Side, by_count};
use super::cut::cut;
use super::sentences;
use super::values::path;
use crate::page::{
    ChangeSection, ChangedRecord, CoverageSection, FieldRow, NameList, Page, percent,
};
use crate::terminal::escape::escape_control;

/// Changed records of a kind that are shown, and changes of each.
const CHANGED_MAX: usize = 200;
const CHANGES_MAX: usize = 30;
/// Names that are shown of added records, and of removed ones.
const NAMES_MAX: usize = 200;
/// Longest value that is shown, in columns.
const VALUE_MAX: usize = 1_000;

/// Returns the page of a record in its content system, by the record's id.
type EditUrl<'f> = &'f dyn Fn(&str) -> Option<String>;

/// Adds what changes between two releases that both exist.
pub(in crate::commands) fn add_between(
    page: &mut Page,
    [old, new]: [&ReleaseId; 2],
    releases: &dyn Releases,
    edit_url: EditUrl<'_>,
) -> anyhow::Result<()> {
    let side = |id| Side::read(releases.open(id)?);
    let [old, new] = [side(old).context(FAILED)?, side(new).context(FAILED)?];
    add(page, [&old, &new], None, edit_url)?;
    Ok(())
}

/// Adds what changes from one release to another, in all kinds of record or one, and returns what
/// of it may break a consumer.
pub(super) fn add(
    page: &mut Page,
    [old, new]: [&Side; 2],
    only: Option<Kind>,
    edit_url: EditUrl<'_>,
) -> anyhow::Result<Vec<String>> {
    let diff = ReleaseDiff::of(&old.contents, &new.contents, NAMES_MAX);
    let mut breaks = sentences::breaking(&diff);
    for (kind, sentence) in Kind::ALL.into_iter().zip(sentences::counts_of_all(&diff)) {
        if only.is_none_or(|only| only == kind) {
            let changes = Changes::read(kind, [old, new]).context(FAILED)?;
            breaks.extend(sentences::fields_that_did(
                kind,
                "lost values",
                &changes.lost,
            ));
            let section = section(diff.of_kind(kind), sentence, &changes, edit_url);
            page.changes.push(section.context(FAILED)?);
        }
    }
    add_coverage(page, new.release.manifest(), Some(old.release.manifest()));
    Ok(breaks)
}

fn section(
    diff: &KindDiff,
    sentence: String,
    changes: &Changes,
    edit_url: EditUrl<'_>,
) -> Result<ChangeSection, ReleaseError> {
    let mut records = Vec::new();
    let names = diff.changed.examples.iter().take(CHANGED_MAX);
    for (name, pair) in names.zip(changes.records.read()) {
        let [old, new] = pair?;
        records.push(ChangedRecord {
            name: called(name),
            edit_url: edit_url(&name.id),
            fields: fields_of(&old, &new),
        });
    }
    let fields = by_count(&changes.fields).into_iter();
    let fields = fields.map(|(field, records)| (escape_control(field).into_owned(), records));
    Ok(ChangeSection {
        title: changes.kind.name().to_owned(),
        sentence,
        fields: fields.collect(),
        added: names_of(&diff.added),
        removed: names_of(&diff.removed),
        not_shown: diff.changed.total.saturating_sub(records.len() as u64),
        changed: records,
    })
}

/// The fields of a record that changed, each with its old and its new value.
fn fields_of(old: &RawValue, new: &RawValue) -> Vec<[String; 3]> {
    let changes = changes(old, new);
    let shown = changes.iter().take(CHANGES_MAX).map(|change| {
        let text =
            |value: Option<&RawValue>| escape_control(value.map_or("", RawValue::get)).into_owned();
        let (old, new) = (text(change.old), text(change.new));
        let [old, new] = cut([&old, &new], VALUE_MAX);
        [path(change), old, new]
    });
    let mut fields: Vec<[String; 3]> = shown.collect();
    if CHANGES_MAX < changes.len() {
        let more = format!("and {} more", changes.len() - CHANGES_MAX);
        fields.push([more, String::new(), String::new()]);
    }
    fields
}

fn names_of(listed: &Listed<RecordName>) -> NameList {
    let shown = listed.examples.iter().take(NAMES_MAX).map(called);
    let names: Vec<String> = shown.collect();
    NameList {
        more: listed.total.saturating_sub(names.len() as u64),
        names,
    }
}

fn called(name: &RecordName) -> String {
    let RecordName { id, slug } = name;
    if id == slug {
        id.to_string()
    } else {
        format!("{slug} ({id})")
    }
}

/// Adds the field coverage of a release, and that of another one to compare with.
pub(in crate::commands) fn add_coverage(page: &mut Page, new: &Manifest, old: Option<&Manifest>) {
    let of_boats = old.map(|old| (&*old.fields.boats, old.boats));
    let of_makers = old.map(|old| (&*old.fields.manufacturers, old.manufacturers));
    let fields = &new.fields;
    page.coverage.extend([
        coverage("boats", (&fields.boats, new.boats), of_boats),
        coverage(
            "manufacturers",
            (&fields.manufacturers, new.manufacturers),
            of_makers,
        ),
    ]);
}

fn coverage(
    kind: &str,
    (fields, records): (&[FieldCount], u64),
    before: Option<(&[FieldCount], u64)>,
) -> CoverageSection {
    let share_before = |path: &str| {
        let (fields, records) = before?;
        let field = fields.iter().find(|field| *field.path == *path)?;
        Some(percent(field.present, records))
    };
    CoverageSection {
        title: kind.to_owned(),
        has_before: before.is_some(),
        fields: fields
            .iter()
            .map(|field| FieldRow {
                name: field.path.clone(),
                present: field.present,
                records,
                before: share_before(&field.path),
                sample: String::new(),
            })
            .collect(),
    }
}
