//! An explanation for people.

use std::fmt::Write;

use server::catalogue::{PlanStep, RanStatement};
use server::http::explain::{ExplainedList, Explanation, Refused};

use crate::terminal::Terminal;
use crate::terminal::counted;
use crate::terminal::escape::escape_control;
use crate::terminal::style::Style;
use crate::terminal::table::{self, Cell};
use crate::terminal::wrap::wrap_at;

/// Width of lines if there is no terminal.
const WIDTH: usize = 100;

/// All of it.
pub(super) fn of(explanation: &Explanation, terminal: Terminal) -> String {
    let mut parts = vec![head(explanation, terminal)];
    parts.extend(
        explanation
            .error
            .as_ref()
            .map(|error| refused(error, terminal)),
    );
    parts.extend(parameters(explanation, terminal));
    parts.extend(unknown_terms(explanation, terminal));
    if let Some(list) = &explanation.list {
        parts.extend(statements(list, terminal));
    }
    parts.extend(answer(explanation, terminal));
    parts.join("\n")
}

fn head(explanation: &Explanation, terminal: Terminal) -> String {
    let address = format!("GET {}", escape_control(&explanation.address));
    let style = match explanation.status {
        200 => Style::Good,
        _ => Style::Bad,
    };
    let status = match &explanation.error {
        Some(error) => format!("{} {}", explanation.status, error.code),
        None => explanation.status.to_string(),
    };
    let mut lines = vec![
        ("Request", Cell::from(address)),
        ("Status", Cell::new(status, style)),
        ("Release", explanation.release.clone().into()),
    ];
    if let Some(endpoint) = &explanation.endpoint {
        let name = format!("{}, {}", endpoint.path, endpoint.operation);
        let scopes = match &endpoint.scopes[..] {
            [] => "none: this needs no key".to_owned(),
            scopes => scopes.join(", "),
        };
        lines.extend([("Endpoint", name.into()), ("Scopes", scopes.into())]);
    }
    if let Some(record) = &explanation.record {
        let (kind, id, slug) = (
            record.kind,
            escape_control(&record.id),
            escape_control(&record.slug),
        );
        let by = record.found_by;
        let record = format!("{kind} with the id {id} and the slug {slug}, found by its {by}");
        lines.push(("Record", record.into()));
    }
    table::details(lines, terminal)
}

fn refused(error: &Refused, terminal: Terminal) -> String {
    let mut text = String::new();
    if error.issues.is_empty() {
        text = wrap_at(width(terminal), &escape_control(&error.message), 0);
        text.push('\n');
    }
    for issue in &error.issues {
        let line = format!(
            "- {}: {}",
            escape_control(&issue.field),
            escape_control(&issue.message)
        );
        // Writing to a string cannot fail.
        _ = writeln!(text, "{}", wrap_at(width(terminal), &line, 2));
    }
    if let Some(cause) = &error.cause {
        let line = format!("cause: {}", escape_control(cause));
        _ = writeln!(text, "{}", wrap_at(width(terminal), &line, 2));
    }
    text
}

fn parameters(explanation: &Explanation, terminal: Terminal) -> Option<String> {
    if explanation.parameters.is_empty() {
        return None;
    }
    let rows = explanation.parameters.iter().map(|parameter| {
        let style = if parameter.is_default {
            Style::Faint
        } else {
            Style::Plain
        };
        let value = match (&parameter.value, parameter.is_default) {
            (None, _) => "-".to_owned(),
            (Some(value), true) => format!("{value} (default)"),
            (Some(value), false) => value.clone(),
        };
        [Cell::new(parameter.name, style), Cell::new(value, style)]
    });
    Some(table::list(["PARAMETER", "VALUE"], rows, terminal))
}

/// Why a list is empty, and which values would find something.
fn unknown_terms(explanation: &Explanation, terminal: Terminal) -> Option<String> {
    let lines = explanation.unknown_terms.iter().map(|unknown| {
        let (parameter, slug) = (unknown.parameter, escape_control(&unknown.slug));
        let line = match &unknown.known[..] {
            [] => format!("No boat has a {parameter}, so `{slug}` finds nothing."),
            known => format!(
                "No boat has the {parameter} `{slug}`. Slugs that find boats: {}. All of them: \
                 GET /v1/terms.",
                known.join(", ")
            ),
        };
        wrap_at(width(terminal), &line, 2) + "\n"
    });
    let text: String = lines.collect();
    (!text.is_empty()).then_some(text)
}

fn statements(list: &ExplainedList, terminal: Terminal) -> Vec<String> {
    let known = match list.found.statements.len() {
        1 if list.found.statements[0].sql.contains("count(*)") => None,
        1 => Some("The total needs no query: nothing is filtered.\n"),
        _ => None,
    };
    let statements = list
        .found
        .statements
        .iter()
        .map(|ran| statement(ran, terminal));
    statements.chain(known.map(ToOwned::to_owned)).collect()
}

fn statement(ran: &RanStatement, terminal: Terminal) -> String {
    let took = ran.took.as_secs_f64() * 1000.0;
    let sql = wrap_at(width(terminal), &format!("  {}", ran.sql), 4);
    let values: Vec<String> = ran.values.iter().map(ToString::to_string).collect();
    let values = match &values[..] {
        [] => "nothing".to_owned(),
        values => values.join(", "),
    };
    let mut text = format!("SQL, {took:.2} ms\n{sql}\n  bound: {values}\n  plan:\n");
    for step in &ran.plan {
        plan(step, 2, terminal, &mut text);
    }
    text
}

/// Appends a step, and indented below it the steps that it gets its rows from. Steps that only
/// rename columns are left out, since they tell a person nothing.
fn plan(step: &PlanStep, depth: usize, terminal: Terminal, text: &mut String) {
    if step.operator == "PROJECTION" {
        let below = step.from.iter();
        return below.for_each(|from| plan(from, depth, terminal, text));
    }
    let indent = depth * 2;
    let details: Vec<String> = step
        .details
        .iter()
        .map(|(name, value)| format!("{name}: {value}"))
        .collect();
    let mut line = format!(
        "{:indent$}{}, {}",
        "",
        step.operator,
        counted(step.rows, "row")
    );
    if !details.is_empty() {
        line = format!("{line}; {}", details.join("; "));
    }
    // Writing to a string cannot fail.
    _ = writeln!(
        text,
        "{}",
        wrap_at(width(terminal), &escape_control(&line), indent + 4)
    );
    for from in &step.from {
        plan(from, depth + 1, terminal, text);
    }
}

fn answer(explanation: &Explanation, terminal: Terminal) -> Option<String> {
    let answer = explanation.answer.as_ref()?;
    let mut lines = Vec::new();
    if let Some(list) = &explanation.list {
        let key = &list.cache_key;
        let query = match key.query.as_str() {
            "" => "no parameter but defaults",
            query => query,
        };
        let list_name = key.list.as_str();
        lines = vec![
            (
                "Rows",
                format!("{} of {}", list.found.rows, list.found.total),
            ),
            (
                "Cache key",
                format!("{}, {list_name}, {query}", key.release),
            ),
        ];
    }
    lines.extend([
        ("Body", format!("{} bytes", answer.bytes)),
        ("ETag", answer.etag.clone()),
        ("X-Cache", answer.cache.to_owned()),
    ]);
    let pages = answer.link.iter().flat_map(|link| link.split(", "));
    lines.extend(pages.map(|link| ("Link", link.to_owned())));
    Some(table::details(lines, terminal))
}

fn width(terminal: Terminal) -> usize {
    terminal.columns.unwrap_or(WIDTH)
}
