//! What `mapping check` finds, as a page for a browser.

use import::mapping::{CheckReport, FieldReport, Mapping, RuleReport, UnreadKey};
use import::run::Outcome;

use super::{CheckArgs, UNKNOWN, missing, verdict};
use crate::page::{CoverageSection, FieldRow, Page, Tone};
use crate::remote::Source;
use crate::terminal::counted;
use crate::terminal::escape::escape_control;

/// The page of a check.
pub(super) fn of(
    args: &CheckArgs,
    mapping: &Mapping,
    report: &CheckReport,
    outcome: &Outcome,
) -> Page {
    let exports = args.exports.iter().map(Source::to_string);
    let exports = exports.collect::<Vec<_>>().join(", ");
    let mut page = Page::new(&format!("Check of a mapping on {exports}"));
    page.fact("Mapping", args.mapping.display().to_string());
    let tone = match missing(report) {
        0 => Tone::of(&outcome.findings),
        _ => Tone::Bad,
    };
    page.set_verdict(tone, verdict(report, outcome));
    page.add_findings(&outcome.findings, |finding| {
        mapping.edit_url(finding.record.as_ref()?.id.as_deref()?)
    });
    for rule in &report.rules {
        page.coverage.push(fields_of(rule));
        let types = rule.types.join(", ");
        page.coverage.extend(keys(
            &format!("{types} that nothing reads"),
            &rule.unread,
            rule.records,
        ));
        page.coverage.extend(keys(
            &format!("{types} {UNKNOWN}"),
            &rule.unknown,
            rule.records,
        ));
    }
    for linked in &report.linked {
        let (of, records) = (&linked.record_type, linked.records);
        page.coverage.extend(keys(
            &format!("{of} that nothing reads"),
            &linked.unread,
            records,
        ));
        page.coverage
            .extend(keys(&format!("{of} {UNKNOWN}"), &linked.unknown, records));
    }
    page
}

fn fields_of(rule: &RuleReport) -> CoverageSection {
    let types = rule.types.join(", ");
    let title = format!(
        "{}s from {types} ({})",
        rule.kind,
        counted(rule.records, "record")
    );
    CoverageSection {
        title: escape_control(&title).into_owned(),
        has_before: false,
        fields: rule.fields.iter().map(row).collect(),
    }
}

fn row(field: &FieldReport) -> FieldRow {
    let missing = field.missing.first();
    let said = match (&field.error, missing) {
        (Some(error), _) => error.clone(),
        (None, Some(missing)) => format!("no record has the key {}", missing.key),
        (None, None) => field.shown(),
    };
    FieldRow {
        name: field.field.clone(),
        present: field.filled,
        records: field.filled + field.null + field.errors,
        before: None,
        sample: escape_control(&said).into_owned(),
    }
}

/// Keys of records, if there are any.
fn keys(title: &str, keys: &[UnreadKey], records: u64) -> Option<CoverageSection> {
    let rows = keys.iter().map(|key| FieldRow {
        name: escape_control(&key.key).into_owned(),
        present: key.records,
        records,
        before: None,
        sample: escape_control(&key.sample).into_owned(),
    });
    (!keys.is_empty()).then(|| CoverageSection {
        title: escape_control(title).into_owned(),
        has_before: false,
        fields: rows.collect(),
    })
}
