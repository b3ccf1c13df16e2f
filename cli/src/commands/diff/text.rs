//! What changes from one release to another, for people: totals, then each list under its title.

use std::collections::BTreeMap;
use std::io::{self, Write};

use anyhow::Context as _;
use shared::release::diff::change::changes;
use shared::release::diff::{Filter, KindDiff, Listed, MovedSlug, RecordName, TakenName};
use shared::release::{ReleaseDiff, ReleaseId};

use super::changes::{Changes, FAILED, by_count};
use super::values::Values;
use crate::terminal::Terminal;
use crate::terminal::table::{self, Column};

/// Begins each line of a list.
const INDENT: &str = "  ";
/// Shown in place of changes if only the form of a body changed.
pub(super) const SAME_VALUES: &str = "Its values are the same, only their form is another.";

/// How much is shown, and where.
#[derive(Clone, Copy)]
pub(super) struct Layout {
    pub(super) terminal: Terminal,
    /// Most fields of one kind, and most changes of one record, that are listed.
    pub(super) fields_max: usize,
    pub(super) changes_max: usize,
    /// Whether values are shown whole.
    pub(super) is_full: bool,
}

/// Writes parts with a blank line between them, one by one, since a list of changed records may be
/// as long as the catalogue.
struct Parts<'a> {
    out: &'a mut dyn Write,
    count: usize,
}

impl Parts<'_> {
    fn add(&mut self, part: &str) -> io::Result<()> {
        if self.count != 0 {
            self.out.write_all(b"\n")?;
        }
        self.count += 1;
        self.out.write_all(part.as_bytes())
    }

    fn extend(&mut self, parts: impl IntoIterator<Item = String>) -> io::Result<()> {
        parts.into_iter().try_for_each(|part| self.add(&part))
    }
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

/// Writes everything that is shown of the requested kinds.
pub(super) fn write(
    diff: &ReleaseDiff,
    of_kinds: &[Changes],
    active: Option<&ReleaseId>,
    layout: Layout,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let terminal = layout.terminal;
    let mut parts = Parts { out, count: 0 };
    let heads = heads([&diff.from, &diff.to], active);
    parts.add(&table::details(heads, terminal))?;
    parts.add(&counts(diff, of_kinds, terminal))?;
    let before = parts.count;
    for of_kind in of_kinds {
        write_lists(diff.of_kind(of_kind.kind), of_kind, layout, &mut parts)?;
    }
    if of_kinds.iter().any(Changes::is_of_boats) {
        parts.extend(filters(&diff.lost_filters))?;
    }
    if parts.count == before {
        parts.add("Consumers see no difference.\n")?;
    }
    let is_changed = |of_kind: &Changes| diff.of_kind(of_kind.kind).changed.total != 0;
    if of_kinds.iter().any(is_changed) {
        parts.add("(--record ID shows every change of one record)\n")?;
    }
    Ok(())
}

/// How many records of each kind there are, and how many changed.
fn counts(diff: &ReleaseDiff, of_kinds: &[Changes], terminal: Terminal) -> String {
    let rows = of_kinds.iter().map(|changes| {
        let of_kind = diff.of_kind(changes.kind);
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
    table::list(heading, rows, terminal)
}

/// What there is to list of one kind, each part under its title.
fn write_lists(
    diff: &KindDiff,
    changes: &Changes,
    layout: Layout,
    parts: &mut Parts<'_>,
) -> anyhow::Result<()> {
    let (kind, terminal) = (changes.kind.name(), layout.terminal.narrower(INDENT.len()));
    parts.extend(records(&format!("Added {kind}"), &diff.added, terminal))?;
    for (what, fields) in [("changed", &changes.fields), ("lost values", &changes.lost)] {
        let title = format!("Fields of {kind} that {what}, in how many records");
        parts.extend(field_numbers(&title, fields, layout.fields_max, terminal))?;
    }
    if diff.changed.total != 0 {
        write_changed(&diff.changed, changes, layout, parts)?;
    }
    let after = [
        records(&format!("Removed {kind}"), &diff.removed, terminal),
        slugs(kind, &diff.moved_slugs, terminal),
        taken(kind, &diff.taken_names, terminal),
    ];
    let of_fields = [
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
    ];
    let of_fields = of_fields.map(|(what, paths)| fields(kind, what, paths));
    parts.extend(after.into_iter().chain(of_fields).flatten())?;
    Ok(())
}

/// In how many records something happened to each field.
fn field_numbers(
    title: &str,
    fields: &BTreeMap<String, u64>,
    fields_max: usize,
    terminal: Terminal,
) -> Option<String> {
    let fields = by_count(fields);
    let shown = &fields[..fields.len().min(fields_max)];
    let rows = shown
        .iter()
        .map(|(field, count)| (*field, count.to_string()));
    let (total, more) = (fields.len(), fields.len() - shown.len());
    let rows = table::details(rows, terminal);
    listed(title, &rows, total as u64, more as u64)
}

/// The changed records, and what changed in each of them.
fn write_changed(
    names: &Listed<RecordName>,
    of_kind: &Changes,
    layout: Layout,
    parts: &mut Parts<'_>,
) -> anyhow::Result<()> {
    parts.add(&format!("Changed {}\n", of_kind.kind.name()))?;
    let mut values = Values::new(layout.terminal, layout.is_full);
    for (name, pair) in names.examples.iter().zip(of_kind.records.read()) {
        let [old, new] = pair.context(FAILED)?;
        let changes = changes(&old, &new);
        writeln!(parts.out, "{INDENT}{}  {}", name.slug, name.id)?;
        for change in changes.iter().take(layout.changes_max) {
            let lines = values.lines(change, 2 * INDENT.len());
            parts.out.write_all(lines.as_bytes())?;
        }
        if changes.is_empty() {
            writeln!(parts.out, "{INDENT}{INDENT}{SAME_VALUES}")?;
        }
        let more = changes.len().saturating_sub(layout.changes_max);
        if more != 0 {
            let id = &name.id;
            writeln!(
                parts.out,
                "{INDENT}{INDENT}… and {more} more (--record {id} lists all)"
            )?;
        }
    }
    if let Some(more) = more_of(names.more()) {
        writeln!(parts.out, "{INDENT}{more}")?;
    }
    if values.is_cut {
        writeln!(parts.out, "{INDENT}(--full shows long values whole)")?;
    }
    Ok(())
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

/// A title, rows, and how many rows are not shown; `None` if there is nothing to list.
fn listed(title: &str, rows: &str, total: u64, more: u64) -> Option<String> {
    if total == 0 {
        return None;
    }
    let more = more_of(more);
    let rows = rows.lines().chain(more.as_deref());
    let lines: Vec<String> = rows.map(|row| format!("{INDENT}{row}")).collect();
    Some(format!("{title}\n{}\n", lines.join("\n")))
}

fn more_of(more: u64) -> Option<String> {
    (more != 0).then(|| format!("… and {more} more (--full lists all)"))
}
