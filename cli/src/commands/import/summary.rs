//! The result of an import, for people and for programs.

use std::io::Write;

use import::run::Outcome;
use serde::Serialize;
use shared::release::{ReleaseDiff, ReleaseId};

use super::guards::{self, Refusal};
use super::{Comparison, ImportArgs, Imported, Made};
use crate::commands::coverage::{self, CoverageDocument};
use crate::commands::diff::changes::{ChangedFields, FieldNumbers};
use crate::commands::diff::sentences;
use crate::commands::export_args::{OutcomeDocument, Shown, add_tally};
use crate::commands::show;
use crate::process::context::Context;
use crate::report::Report;
use crate::terminal::counted;
use crate::terminal::escape::escape_control;
use crate::terminal::wrap::wrap;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a> {
    imported: bool,
    release: Option<&'a str>,
    existed: bool,
    active: Option<&'a str>,
    duration_seconds: f64,
    /// What changes for consumers; null if no release was made, or if there is nothing to compare
    /// it with: because none was active, or for the reason below.
    diff: Option<&'a ReleaseDiff>,
    /// In how many records each field changed; null if that would take long to find.
    changed_fields: Option<FieldNumbers>,
    /// In how many records each field lost its value; an estimate if `changedFields` is null.
    lost_values: Option<FieldNumbers>,
    /// Why there is nothing to compare with although a release was active, or null.
    not_compared: Option<&'a str>,
    /// Whether the guards kept the release from being activated.
    refused: bool,
    /// The refusals of the guards.
    refusals: &'a [Refusal],
    coverage: Option<CoverageDocument<'a>>,
    #[serde(flatten)]
    outcome: OutcomeDocument<'a>,
}

/// Shows it as the arguments ask.
pub(super) fn show(
    imported: &Imported,
    outcome: &Outcome,
    args: &ImportArgs,
    first_key: Option<&str>,
    context: &mut Context,
) -> anyhow::Result<()> {
    if args.export.json {
        return show::json(&document(imported, outcome), context);
    }
    if imported.shown == Shown::Foreign {
        return Ok(());
    }
    let mut report = Report::new();
    add_tally(&mut report, &outcome.tally);
    let written = args.export.written(args.rejects.as_deref());
    let written = written.map(|file| format!("Wrote {}.", file.display()));
    let Some(made) = &imported.made else {
        add_nothing_made(&mut report, imported, outcome);
        written.for_each(|written| _ = report.line(written));
        if let Some(next) = next_of_nothing(outcome, args) {
            report.line(format!("Next: {next}"));
        }
        return show::report(&report, context);
    };
    if !made.is_refused() {
        warn_if_not_compared(made, context);
    }
    add_made(&mut report, made, imported, outcome);
    written.for_each(|written| _ = report.line(written));
    show::report(&report, context)?;
    // They are on another stream, and what to do about them stands below.
    show_refusals(made, context)?;
    let mut next = Report::new();
    if made.is_refused() {
        add_refused(&mut next, made, args.export.next(outcome).as_deref());
    } else {
        add_next(&mut next, made, imported, first_key);
    }
    show::report(&next, context)
}

fn document<'a>(imported: &'a Imported, outcome: &'a Outcome) -> Document<'a> {
    let made = imported.made.as_ref();
    let comparison = made.map(|made| &made.comparison);
    let changed = made.and_then(|made| made.changed_fields.as_ref());
    Document {
        imported: made.is_some(),
        release: imported.release().map(ReleaseId::as_str),
        existed: made.is_some_and(|made| made.existed),
        active: imported.active.id().map(ReleaseId::as_str),
        duration_seconds: imported.duration.as_secs_f64(),
        diff: comparison.and_then(Comparison::diff),
        changed_fields: changed.and_then(ChangedFields::changed),
        lost_values: changed.map(ChangedFields::lost),
        not_compared: match comparison {
            Some(Comparison::Impossible(why)) => Some(why),
            _ => None,
        },
        refused: made.is_some_and(Made::is_refused),
        refusals: made.map_or(&[], |made| &made.refusals),
        coverage: made.map(|made| CoverageDocument::new(&made.manifest)),
        outcome: OutcomeDocument::new(outcome),
    }
}

fn add_nothing_made(report: &mut Report<'_>, imported: &Imported, outcome: &Outcome) {
    let errors = counted(outcome.findings.errors(), "error");
    report
        .note(format!("Nothing was imported: {errors}."))
        .line(format!("Active release: {}.", imported.active));
}

fn next_of_nothing(outcome: &Outcome, args: &ImportArgs) -> Option<String> {
    let is_left = outcome.tally.boat.published != 0;
    let may_leave_out = is_left && outcome.findings.blocking_errors() == 0;
    args.export.next(outcome).or_else(|| {
        let leave_out = "fix the export, or leave invalid records out: --skip-invalid";
        (!args.skip_invalid && may_leave_out).then(|| leave_out.to_owned())
    })
}

fn add_made<'a>(report: &mut Report<'a>, made: &'a Made, imported: &Imported, outcome: &Outcome) {
    add_comparison(report, made, imported);
    let (release, seconds) = (&made.release, imported.duration.as_secs_f64());
    report
        .coverage(coverage::of(&made.manifest, None))
        .note(if made.existed {
            format!("Release {release} has exactly these contents already.")
        } else {
            format!("Release {release} was made in {seconds:.1} s.")
        });
    let invalid = outcome.tally.invalid();
    if invalid != 0 {
        report.line(format!("Left out: {}.", counted(invalid, "invalid record")));
    }
    report.line(format!("Active release: {}.", imported.active));
}

/// Adds what to do next; `first_key` is the command for the first key, if there is none yet.
fn add_next(report: &mut Report<'_>, made: &Made, imported: &Imported, first_key: Option<&str>) {
    let release = &made.release;
    let is_active = imported.active.id() == Some(release);
    match first_key {
        _ if !is_active => report.line(format!("Next: catalogue releases activate {release}")),
        _ if imported.is_followed => report.line("Running servers follow within a second."),
        Some(command) => report
            .line("Every request needs a key, and none is issued yet.")
            .line(format!("Next: {command}")),
        None => report.line("Next: catalogue serve"),
    };
}

/// Warns that it is not known what changes, unless a refusal says so already.
fn warn_if_not_compared(made: &Made, context: &mut Context) {
    if let Comparison::Impossible(why) = &made.comparison {
        show::aside(format!("warning: {}", guards::uncompared(why)), context);
    }
}

/// Adds what changes, unless the active release was imported again.
fn add_comparison(report: &mut Report<'_>, made: &Made, imported: &Imported) {
    let Some(diff) = made.comparison.diff().filter(|diff| diff.from != diff.to) else {
        return;
    };
    let is_active = imported.active.id() == Some(&made.release);
    let will = if is_active { "will" } else { "would" };
    let title = format!("What consumers {will} see, compared with {}:", diff.from);
    let lines = sentences::all(diff, made.changed_fields.as_ref());
    report.list(title, lines.iter().map(|line| [line]), 0);
}

fn show_refusals(made: &Made, context: &mut Context) -> anyhow::Result<()> {
    if made.is_refused() {
        for refusal in &made.refusals {
            let Refusal {
                message,
                allowed_by,
                ..
            } = refusal;
            let message = context.hints.paste(message);
            let refused = format!("refused: {}", escape_control(&message));
            let refused = match made.comparison {
                Comparison::Diff(_) => wrap(&refused, 2, context.terminal),
                // A chain of causes stays on one line, as in every error.
                Comparison::NoneActive | Comparison::Impossible(_) => refused,
            };
            writeln!(context.err, "{refused}")?;
            if !made.leaves_no_boat() {
                writeln!(context.err, "  (allowed by {allowed_by})")?;
            }
        }
    } else if !made.refusals.is_empty() {
        let options = guards::options(&made.refusals);
        let note = format!("note: an import that activates would be refused without {options}");
        show::aside(note, context);
    }
    Ok(())
}

/// Adds what to do about the refusals; `next` is the command that shows why no boat is left.
fn add_refused(report: &mut Report<'_>, made: &Made, next: Option<&str>) {
    let release = &made.release;
    let look = match made.comparison {
        Comparison::Diff(_) => "diff",
        Comparison::NoneActive | Comparison::Impossible(_) => "releases show",
    };
    report
        .line("Not activated: what is served is unchanged, and nothing has to be undone.")
        .verbatim(format!("Look at it:      catalogue {look} {release}"))
        .verbatim(format!(
            "Activate it:     catalogue releases activate {release}"
        ));
    match next {
        _ if !made.leaves_no_boat() => {
            let options = guards::options(&made.refusals);
            report.verbatim(format!("Or import with:  {options}"));
        }
        Some(command) => _ = report.verbatim(format!("Find out why:    {command}")),
        None => {}
    }
}
