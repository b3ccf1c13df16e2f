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
use crate::commands::export_args::{OutcomeDocument, Shown, tally_table};
use crate::commands::show;
use crate::process::context::Context;
use crate::terminal::counted;
use crate::terminal::escape::escape_control;
use crate::terminal::wrap::{fit, wrap};

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
    writeln!(context.out, "{}", tally_table(&outcome.tally))?;
    match &imported.made {
        Some(made) => {
            show_made(made, imported, outcome, context)?;
            args.export.show_written(args.rejects.as_deref(), context)?;
            show_refusals(made, context)?;
            if made.is_refused() {
                return show_refused(made, args.export.next(outcome).as_deref(), context);
            }
            show_next(made, imported, first_key, context)
        }
        None => show_nothing_made(imported, outcome, args, context),
    }
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

fn show_nothing_made(
    imported: &Imported,
    outcome: &Outcome,
    args: &ImportArgs,
    context: &mut Context,
) -> anyhow::Result<()> {
    let errors = counted(outcome.findings.errors(), "error");
    let nothing = format!("Nothing was imported: {errors}.");
    writeln!(context.out, "{}", fit(&nothing, 2, context.terminal))?;
    writeln!(context.out, "Active release: {}.", imported.active)?;
    args.export.show_written(args.rejects.as_deref(), context)?;
    let is_left = outcome.tally.boat.published != 0;
    let may_leave_out = is_left && outcome.findings.blocking_errors() == 0;
    let next = match args.export.next(outcome) {
        Some(command) => command,
        None if !args.skip_invalid && may_leave_out => {
            "fix the export, or leave invalid records out: --skip-invalid".to_owned()
        }
        None => return Ok(()),
    };
    Ok(writeln!(context.out, "Next: {next}")?)
}

fn show_made(
    made: &Made,
    imported: &Imported,
    outcome: &Outcome,
    context: &mut Context,
) -> anyhow::Result<()> {
    show_comparison(made, imported, context)?;
    writeln!(
        context.out,
        "{}",
        coverage::text(&made.manifest, context.terminal)
    )?;
    let out = &mut context.out;
    let (release, seconds) = (&made.release, imported.duration.as_secs_f64());
    if made.existed {
        writeln!(out, "Release {release} has exactly these contents already.")?;
    } else {
        writeln!(out, "Release {release} was made in {seconds:.1} s.")?;
    }
    let invalid = outcome.tally.invalid();
    if invalid != 0 {
        writeln!(out, "Left out: {}.", counted(invalid, "invalid record"))?;
    }
    writeln!(out, "Active release: {}.", imported.active)?;
    Ok(())
}

/// Shows what to do next; `first_key` is the command for the first key, if there is none yet.
fn show_next(
    made: &Made,
    imported: &Imported,
    first_key: Option<&str>,
    context: &mut Context,
) -> anyhow::Result<()> {
    let release = &made.release;
    let next = match (imported.active.id(), first_key) {
        (Some(active), _) if active == release && imported.is_followed => {
            "Running servers follow within a second.".to_owned()
        }
        (Some(active), Some(command)) if active == release => {
            format!("Every request needs a key, and none is issued yet.\nNext: {command}")
        }
        (Some(active), None) if active == release => "Next: catalogue serve".to_owned(),
        _ => format!("Next: catalogue releases activate {release}"),
    };
    Ok(writeln!(context.out, "{}", context.hints.paste(&next))?)
}

fn show_comparison(made: &Made, imported: &Imported, context: &mut Context) -> anyhow::Result<()> {
    match &made.comparison {
        Comparison::NoneActive => {}
        // The refusal says so already.
        Comparison::Impossible(_) if made.is_refused() => {}
        Comparison::Impossible(why) => {
            let warning = guards::uncompared(why);
            writeln!(
                context.err,
                "warning: {}",
                escape_control(&context.hints.paste(&warning))
            )?;
        }
        // The active release was imported again.
        Comparison::Diff(diff) if diff.from == diff.to => {}
        Comparison::Diff(diff) => {
            let is_active = imported.active.id() == Some(&made.release);
            let will = if is_active { "will" } else { "would" };
            let out = &mut context.out;
            let title = format!("What consumers {will} see, compared with {}:", diff.from);
            writeln!(out, "{}", wrap(&title, 2, context.terminal))?;
            for line in sentences::all(diff, made.changed_fields.as_ref()) {
                writeln!(out, "{}", wrap(&format!("  {line}"), 4, context.terminal))?;
            }
            writeln!(out)?;
        }
    }
    Ok(())
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
        writeln!(context.err, "{}", wrap(&note, 2, context.terminal))?;
    }
    Ok(())
}

/// Says, below the refusals, what to do about them; `next` is the command that shows why no boat is
/// left.
fn show_refused(made: &Made, next: Option<&str>, context: &mut Context) -> anyhow::Result<()> {
    let release = &made.release;
    let look = match made.comparison {
        Comparison::Diff(_) => "diff",
        Comparison::NoneActive | Comparison::Impossible(_) => "releases show",
    };
    let last = match next {
        _ if !made.leaves_no_boat() => {
            format!("\nOr import with:  {}", guards::options(&made.refusals))
        }
        Some(command) => format!("\nFind out why:    {command}"),
        None => String::new(),
    };
    let text = format!(
        "Not activated: what is served is unchanged, and nothing has to be undone.\n\
         Look at it:      catalogue {look} {release}\n\
         Activate it:     catalogue releases activate {release}{last}"
    );
    Ok(writeln!(context.out, "{}", context.hints.paste(&text))?)
}
