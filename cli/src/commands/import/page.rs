//! The result of an import, as a page for a browser.

use import::mapping::Mapping;
use import::run::Outcome;
use shared::release::Releases;

use super::guards::Refusal;
use super::{Comparison, ImportArgs, Imported, Made};
use crate::commands::coverage;
use crate::commands::diff::PAGE_MAX;
use crate::commands::diff::changes::Compared;
use crate::commands::diff::report::{self, Bounds};
use crate::commands::export_args::write_page;
use crate::process::output_file::OutputFile;
use crate::report::page::Tone;
use crate::terminal::counted;

/// Writes the page of an import: what is wrong, what changes for consumers, and field coverage.
pub(super) fn write(
    imported: &Imported,
    outcome: &Outcome,
    args: &ImportArgs,
    mapping: Option<&Mapping>,
    releases: &dyn Releases,
    file: OutputFile,
) -> anyhow::Result<()> {
    let edit_url = |id: &str| mapping?.edit_url(id);
    let made = imported.made.as_ref();
    let compared = match made.map(|made| &made.comparison) {
        Some(Comparison::Diff(diff)) if diff.from != diff.to => {
            let sides = [&diff.from, &diff.to];
            Some(Compared::between(sides, releases, PAGE_MAX)?)
        }
        _ => None,
    };
    let mut page = args.export.page("Import", outcome, mapping);
    let active = ("Active release", imported.active.to_string());
    let release = made.map(|made| ("Release", made.release.to_string()));
    page.head.facts([active].into_iter().chain(release));
    let Some(made) = made else {
        let errors = counted(outcome.findings.errors(), "error");
        page.set_verdict(Tone::Bad, format!("Nothing was imported: {errors}."));
        return write_page(&page, file);
    };
    let (tone, verdict) = verdict(made, imported, outcome);
    page.set_verdict(tone, verdict);
    let mut old = None;
    if let Some(compared) = &compared {
        report::add(&mut page.body, compared, Bounds::PAGE, &edit_url);
        old = Some(&compared.manifests[0]);
    }
    page.body.coverage(coverage::of(&made.manifest, old));
    write_page(&page, file)
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
