//! What changes from one release to another, for people: totals, then each list under its title.

use shared::release::diff::{Filter, KindDiff, Listed, MovedSlug, RecordName, TakenName};
use shared::release::{ReleaseDiff, ReleaseId};

use super::sentences;
use crate::terminal::Terminal;
use crate::terminal::table::{self, Column};
use crate::terminal::wrap;

/// Before each line of a list.
const INDENT: &str = "  ";

pub(super) fn text(diff: &ReleaseDiff, active: Option<&ReleaseId>, terminal: Terminal) -> String {
    let named = |id: &ReleaseId| {
        if active == Some(id) {
            format!("{id} (active)")
        } else {
            id.to_string()
        }
    };
    let heads = table::details(
        [("From", named(&diff.from)), ("To", named(&diff.to))],
        terminal,
    );
    let mut parts = vec![heads, counts(diff, terminal)];
    for (kind, of_kind) in diff.kinds() {
        parts.extend(lists(kind, of_kind, terminal.narrower(INDENT.len())));
    }
    parts.extend(filters(&diff.lost_filters));
    if parts.len() == 2 {
        parts.push("Consumers see no difference.\n".to_owned());
    }
    if diff.boats.fields.is_none() {
        let note = format!("Note: {}.", sentences::FIELDS_UNKNOWN);
        parts.push(format!("{}\n", wrap::wrap(&note, 2, terminal)));
    }
    parts.join("\n")
}

/// How many records there are of each kind, and what became of them.
fn counts(diff: &ReleaseDiff, terminal: Terminal) -> String {
    let rows = diff.kinds().map(|(kind, of_kind)| {
        let numbers = [
            of_kind.before,
            of_kind.after,
            of_kind.added.total,
            of_kind.changed.total,
            of_kind.removed.total,
            of_kind.unchanged,
        ];
        let [before, after, added, changed, removed, same] = numbers.map(|n| n.to_string());
        [
            kind.to_owned(),
            before,
            after,
            added,
            changed,
            removed,
            same,
        ]
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
    table::list(heading, rows, terminal)
}

/// What there is to list of one kind, each part under its title.
fn lists(kind: &str, diff: &KindDiff, terminal: Terminal) -> Vec<String> {
    let of_records = [
        records(&format!("Added {kind}"), &diff.added, terminal),
        records(&format!("Changed {kind}"), &diff.changed, terminal),
        records(&format!("Removed {kind}"), &diff.removed, terminal),
        slugs(kind, &diff.moved_slugs, terminal),
        taken(kind, &diff.taken_names, terminal),
    ];
    let of_fields = diff.fields.iter().flat_map(|diff| {
        [
            ("null in every record now", &diff.null_now),
            ("gone from every record", &diff.gone),
            (
                "in every record before, missing in some now",
                &diff.optional_now,
            ),
            (
                "whole numbers before, with fractions now",
                &diff.fractional_now,
            ),
        ]
    });
    let of_fields = of_fields.map(|(what, paths)| fields(kind, what, paths));
    of_records.into_iter().chain(of_fields).flatten().collect()
}

fn records(title: &str, names: &Listed<RecordName>, terminal: Terminal) -> Option<String> {
    let rows = names.examples.iter();
    let rows = rows.map(|name| (&*name.slug, name.id.to_string()));
    listed(
        title,
        &table::details(rows, terminal),
        names.total,
        names.more(),
    )
}

fn slugs(kind: &str, slugs: &Listed<MovedSlug>, terminal: Terminal) -> Option<String> {
    let rows = slugs.examples.iter().map(|moved| {
        let instead = match &moved.taken_by {
            Some(other) => format!("leads to {other} instead; "),
            None => String::new(),
        };
        (
            &*moved.from,
            format!("{instead}{} is {} now", moved.id, moved.to),
        )
    });
    let title = format!("Slugs of {kind} that no longer lead to their records");
    listed(
        &title,
        &table::details(rows, terminal),
        slugs.total,
        slugs.more(),
    )
}

fn taken(kind: &str, names: &Listed<TakenName>, terminal: Terminal) -> Option<String> {
    let rows = names.examples.iter().map(|taken| {
        let TakenName { name, from, to } = taken;
        (&**name, format!("led to {from}, leads to {to} now"))
    });
    let title = format!("Names of removed {kind} that lead to others now");
    listed(
        &title,
        &table::details(rows, terminal),
        names.total,
        names.more(),
    )
}

fn filters(lost: &Listed<Filter>) -> Option<String> {
    let rows: Vec<String> = lost.examples.iter().map(ToString::to_string).collect();
    let title = "Filters of boats that find nothing any more";
    listed(title, &rows.join("\n"), lost.total, lost.more())
}

fn fields(kind: &str, what: &str, paths: &[String]) -> Option<String> {
    let title = format!("Fields of {kind}, {what}");
    listed(&title, &paths.join("\n"), paths.len() as u64, 0)
}

/// A title, rows, and how many rows are not shown; nothing where there is nothing to list.
fn listed(title: &str, rows: &str, total: u64, more: u64) -> Option<String> {
    if total == 0 {
        return None;
    }
    let more = (more != 0).then(|| format!("… and {more} more (--full lists all)"));
    let rows = rows.lines().chain(more.as_deref());
    let lines: Vec<String> = rows.map(|row| format!("{INDENT}{row}")).collect();
    Some(format!("{title}\n{}\n", lines.join("\n")))
}
