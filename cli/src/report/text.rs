//! A report as text, for a terminal or a pipe: parts are a blank line apart.
//!
//! At a terminal lines fit its width, and break between words; those with a command are left whole,
//! so that it can be copied. Elsewhere only those of lists break, and nothing is left out.

use std::io::{self, Write};

use super::values::Values;
use super::{ChangedRecord, Changes, List, Part, Report, Table, coverage};
use crate::hints::{Hints, PROGRAM};
use crate::terminal::Terminal;
use crate::terminal::escape::escape_control;
use crate::terminal::table;
use crate::terminal::wrap::{fit, wrap};

/// Begins each line below a title.
const INDENT: &str = "  ";
/// Shown in place of changes if only the form of a body changed.
pub const SAME_VALUES: &str = "Its values are the same, only their form is another.";

/// Writes a report, part by part.
pub fn write(
    report: &Report<'_>,
    hints: &Hints,
    terminal: Terminal,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    for (place, part) in report.parts.iter().enumerate() {
        let is_below = matches!(
            part,
            Part::Note {
                is_apart: false,
                ..
            } | Part::Verbatim(_)
        );
        if place != 0 && !is_below {
            writeln!(out)?;
        }
        match part {
            Part::Facts(facts) => {
                let facts = facts.iter().map(|(label, value)| (*label, value.clone()));
                out.write_all(table::details(facts, terminal).as_bytes())?;
            }
            Part::Table(table) => write_table(table, terminal, out)?,
            Part::List(list) => write_list(list, terminal, out)?,
            Part::Coverage(of_kinds) => {
                out.write_all(coverage::text(of_kinds, terminal).as_bytes())?;
            }
            Part::Changes(changes) => write_changes(changes, terminal, out)?,
            Part::Note { text, .. } => writeln!(out, "{}", note(text, hints, terminal))?,
            Part::Verbatim(line) => writeln!(out, "{}", escape_control(&hints.paste(line)))?,
        }
    }
    Ok(())
}

/// A sentence; lines below its first are indented deeper.
fn note(text: &str, hints: &Hints, terminal: Terminal) -> String {
    let text = hints.paste(text);
    let text = escape_control(&text);
    if text.contains(PROGRAM) {
        return text.into_owned();
    }
    let indent = text.len() - text.trim_start().len();
    fit(&text, indent + INDENT.len(), terminal)
}

fn write_table(table: &Table, terminal: Terminal, out: &mut dyn Write) -> io::Result<()> {
    if !table.title.is_empty() {
        writeln!(out, "{}\n", escape_control(&table.title))?;
    }
    let text = table::table(&table.columns, &table.rows, terminal);
    out.write_all(text.as_bytes())
}

fn write_list(list: &List, terminal: Terminal, out: &mut dyn Write) -> io::Result<()> {
    let title = escape_control(&list.title);
    writeln!(out, "{}", wrap(&title, INDENT.len(), terminal))?;
    let pairs: Vec<_> = list
        .rows
        .iter()
        .filter_map(|row| match &row[..] {
            [label, value] => Some((label.text.as_str(), value.clone())),
            _ => None,
        })
        .collect();
    if pairs.is_empty() {
        for cell in list.rows.iter().flatten() {
            let line = format!("{INDENT}{}", cell.text);
            writeln!(out, "{}", wrap(&line, 2 * INDENT.len(), terminal))?;
        }
    } else {
        let rows = table::details(pairs, terminal.narrower(INDENT.len()));
        for row in rows.lines() {
            writeln!(out, "{INDENT}{row}")?;
        }
    }
    write_more(list.more, out)
}

fn write_more(more: u64, out: &mut dyn Write) -> io::Result<()> {
    if more != 0 {
        writeln!(out, "{INDENT}… and {more} more (--full lists all)")?;
    }
    Ok(())
}

fn write_changes(
    changes: &Changes<'_>,
    terminal: Terminal,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let mut values = Values::new(terminal, changes.is_full);
    let Some(title) = &changes.title else {
        for record in (changes.records)() {
            write_record(&record?, 0, &mut values, out)?;
        }
        if values.is_cut {
            writeln!(out, "\n(--full shows long values whole)")?;
        }
        return Ok(());
    };
    writeln!(out, "{title}")?;
    for record in (changes.records)() {
        let record = record?;
        writeln!(out, "{INDENT}{}  {}", record.slug, record.id)?;
        write_record(&record, 2 * INDENT.len(), &mut values, out)?;
    }
    write_more(changes.more, out)?;
    if values.is_cut {
        writeln!(out, "{INDENT}(--full shows long values whole)")?;
    }
    Ok(())
}

fn write_record(
    record: &ChangedRecord,
    indent: usize,
    values: &mut Values,
    out: &mut dyn Write,
) -> io::Result<()> {
    let margin = " ".repeat(indent);
    for change in &record.changes {
        out.write_all(values.lines(change, indent).as_bytes())?;
    }
    if record.changes.is_empty() {
        writeln!(out, "{margin}{SAME_VALUES}")?;
    }
    if record.more != 0 {
        let (id, more) = (&record.id, record.more);
        writeln!(out, "{margin}… and {more} more (--record {id} lists all)")?;
    }
    Ok(())
}
