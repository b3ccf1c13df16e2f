//! The result of an import, as a page for a browser.

use import::mapping::Mapping;
use import::run::Outcome;
use shared::release::Releases;

use super::guards::Refusal;
use super::{Comparison, ImportArgs, Imported, Made};
use crate::commands::diff;
use crate::page::{Page, Tone};
use crate::terminal::counted;

/// The page of an import: what is wrong, what changes for consumers, and field coverage.
pub(super) fn of(
    imported: &Imported,
    outcome: &Outcome,
    args: &ImportArgs,
    mapping: Option<&Mapping>,
    releases: &dyn Releases,
) -> anyhow::Result<Page> {
    let mut page = args.export.page("Import", outcome, mapping);
    page.fact("Active release", imported.active.to_string());
    let Some(made) = &imported.made else {
        let errors = counted(outcome.findings.errors(), "error");
        page.set_verdict(Tone::Bad, format!("Nothing was imported: {errors}."));
        return Ok(page);
    };
    page.fact("Release", made.release.as_str());
    let (tone, verdict) = verdict(made, imported, outcome);
    page.set_verdict(tone, verdict);
    match &made.comparison {
        Comparison::Diff(diff) if diff.from != diff.to => {
            let edit_url = |id: &str| mapping?.edit_url(id);
            let sides = [&diff.from, &diff.to];
            diff::page::add_between(&mut page, sides, releases, &edit_url)?;
        }
        Comparison::Diff(_) | Comparison::NoneActive | Comparison::Impossible(_) => {
            diff::page::add_coverage(&mut page, &made.manifest, None);
        }
    }
    Ok(page)
}

fn verdict(made: &Made, imported: &Imported, outcome: &Outcome) -> (Tone, String) {
    if made.is_refused() {
        let why = made.refusals.iter();
        let why = why.map(
            |Refusal {
                 message,
                 allowed_by,
                 ..
             }| {
                if made.leaves_no_boat() {
                    return message.clone();
                }
                format!("{message} (allowed by {allowed_by})")
            },
        );
        let why = why.collect::<Vec<_>>().join("; ");
        return (
            Tone::Bad,
            format!("The release was made, but is not activated: {why}"),
        );
    }
    let is_active = imported.active.id() == Some(&made.release);
    let what = if is_active {
        "The release is active"
    } else {
        "The release was made, and is not active"
    };
    let warnings = counted(outcome.findings.warnings(), "warning");
    let left_out = counted(outcome.tally.invalid(), "record");
    let tone = match (outcome.findings.errors(), outcome.findings.warnings()) {
        (0, 0) => Tone::Good,
        _ => Tone::Warning,
    };
    let text = match outcome.tally.invalid() {
        0 => format!("{what}: {warnings}."),
        _ => format!("{what}: {warnings}, {left_out} left out for errors."),
    };
    (tone, text)
}
