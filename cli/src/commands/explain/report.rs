//! An explanation for people.

use server::catalogue::{PlanStep, RanStatement};
use server::http::explain::{ExplainedList, Explanation, Refused};
use server::params::Understood;

use crate::report::Report;
use crate::terminal::counted;
use crate::terminal::style::Style;
use crate::terminal::table::Cell;

/// All of it.
pub(super) fn of(explanation: &Explanation) -> Report<'static> {
    let mut report = Report::new();
    report.facts(head(explanation));
    report.lines(explanation.error.iter().flat_map(refused));
    if !explanation.parameters.is_empty() {
        let rows = explanation.parameters.iter().map(parameter);
        report.table("", ["PARAMETER", "VALUE"], rows);
    }
    // Why a list is empty, and which values would find something.
    report.lines(explanation.unknown_terms.iter().map(|unknown| {
        let (parameter, slug) = (unknown.parameter, &unknown.slug);
        match &unknown.known[..] {
            [] => format!("No boat has a {parameter}, so `{slug}` finds nothing."),
            known => format!(
                "No boat has the {parameter} `{slug}`. Slugs that find boats: {}. All of them: \
                 GET /v1/terms.",
                known.join(", ")
            ),
        }
    }));
    for ran in explanation.list.iter().flat_map(|it| &it.found.statements) {
        report.lines(statement(ran));
    }
    if explanation.list.as_ref().is_some_and(is_total_known) {
        report.note("The total needs no query: nothing is filtered.");
    }
    report.facts(answer(explanation));
    report
}

fn head(explanation: &Explanation) -> Vec<(&'static str, Cell)> {
    let style = match explanation.status {
        200 => Style::Good,
        _ => Style::Bad,
    };
    let status = match &explanation.error {
        Some(error) => format!("{} {}", explanation.status, error.code),
        None => explanation.status.to_string(),
    };
    let mut lines = vec![
        ("Request", format!("GET {}", explanation.address).into()),
        ("Status", Cell::new(status, style)),
        ("Release", explanation.release.clone().into()),
    ];
    if let Some(endpoint) = &explanation.endpoint {
        let name = format!("{}, {}", endpoint.path, endpoint.operation);
        let scopes = match &endpoint.scopes[..] {
            [] => format!("none: this needs {}", endpoint.key),
            _ => endpoint.key.clone(),
        };
        lines.extend([("Endpoint", name.into()), ("Scopes", scopes.into())]);
    }
    if let Some(record) = &explanation.record {
        let (kind, id, slug, by) = (record.kind, &record.id, &record.slug, record.found_by);
        let record = format!("{kind} with the id {id} and the slug {slug}, found by its {by}");
        lines.push(("Record", record.into()));
    }
    lines
}

fn refused(error: &Refused) -> Vec<String> {
    let message = error.issues.is_empty().then(|| error.message.clone());
    let issues = error.issues.iter();
    let issues = issues.map(|issue| format!("- {}: {}", issue.field, issue.message));
    let cause = error.cause.as_ref().map(|cause| format!("cause: {cause}"));
    message.into_iter().chain(issues).chain(cause).collect()
}

fn parameter(parameter: &Understood) -> [Cell; 2] {
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
}

/// Whether the only statement was for the rows.
fn is_total_known(list: &ExplainedList) -> bool {
    let [only] = &list.found.statements[..] else {
        return false;
    };
    !only.sql.contains("count(*)")
}

fn statement(ran: &RanStatement) -> Vec<String> {
    let took = ran.took.as_secs_f64() * 1000.0;
    let values: Vec<String> = ran.values.iter().map(ToString::to_string).collect();
    let values = match &values[..] {
        [] => "nothing".to_owned(),
        values => values.join(", "),
    };
    let mut lines = vec![
        format!("SQL, {took:.2} ms"),
        format!("  {}", ran.sql),
        format!("  bound: {values}"),
        "  plan:".to_owned(),
    ];
    for step in &ran.plan {
        plan(step, 2, &mut lines);
    }
    lines
}

/// Appends a step, and indented below it the steps that it gets its rows from. Steps that only
/// rename columns are left out, since they tell a person nothing.
fn plan(step: &PlanStep, depth: usize, lines: &mut Vec<String>) {
    let mut below = depth;
    if step.operator != "PROJECTION" {
        let (indent, rows) = (" ".repeat(depth * 2), counted(step.rows, "row"));
        let details = step.details.iter();
        let details = details.map(|(name, value)| format!("; {name}: {value}"));
        let details: String = details.collect();
        lines.push(format!("{indent}{}, {rows}{details}", step.operator));
        below += 1;
    }
    for from in &step.from {
        plan(from, below, lines);
    }
}

fn answer(explanation: &Explanation) -> Vec<(&'static str, String)> {
    let Some(answer) = &explanation.answer else {
        return Vec::new();
    };
    let mut lines = Vec::new();
    if let Some(list) = &explanation.list {
        let (found, key) = (&list.found, &list.cache_key);
        let query = match key.query.as_str() {
            "" => "no parameter but defaults",
            query => query,
        };
        let key = format!("{}, {}, {query}", key.release, key.list);
        let rows = format!("{} of {}", found.rows, found.total);
        lines.extend([("Rows", rows), ("Cache key", key)]);
    }
    lines.extend([
        ("Body", format!("{} bytes", answer.bytes)),
        ("ETag", answer.etag.clone()),
        ("X-Cache", answer.cache.to_owned()),
    ]);
    let pages = answer.link.iter().flat_map(|link| link.split(", "));
    lines.extend(pages.map(|link| ("Link", link.to_owned())));
    lines
}
