//! `catalogue validate`: what an import would find in an export, without importing it.

use std::io;
use std::path::Path;

use import::mapping::Mapping;
use import::run::{self, Discard, Outcome, Settings};
use import::source::Export;
use serde::Serialize;
use shared::base::timestamp::Timestamp;

use super::export_args::{ExportArgs, OutcomeDocument, REPORTS, Shown, add_tally, write_page};
use crate::commands::{image_args, show};
use crate::exit_status::ExitStatus;
use crate::process::context::Context;
use crate::process::output::OutputClosed;
use crate::process::output_file::Permit;
use crate::report::Report;
use crate::report::page::Tone;
use crate::terminal::counted;

/// Arguments of `validate`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
For example: catalogue validate export.ndjson.gz
The exit status is 0 if the export could be imported, 1 if it has errors.")]
pub struct ValidateArgs {
    /// What to read and how to show what is found.
    #[command(flatten)]
    pub export: ExportArgs,
    /// Let --report and --report-html replace a file that is not a report; they always replace one
    /// that is
    #[arg(long, help_heading = REPORTS)]
    pub overwrite: bool,
}

#[derive(Serialize)]
struct Document<'a> {
    valid: bool,
    #[serde(flatten)]
    outcome: OutcomeDocument<'a>,
}

impl<'a> Document<'a> {
    fn new(outcome: &'a Outcome) -> Self {
        Self {
            valid: outcome.is_usable,
            outcome: OutcomeDocument::new(outcome),
        }
    }
}

/// Validates, and leaves the data directory unchanged.
pub fn run(args: &ValidateArgs, data: &Path, context: &mut Context) -> anyhow::Result<ExitStatus> {
    let permit = Permit::outside(data).overwriting(args.overwrite);
    let mut reports = args.export.prepare(None, &permit)?;
    let mapping = args.export.mapping()?;
    let temp_dir = args.export.fetch.temp_dir(data);
    let exports = args.export.gather(temp_dir, context)?;
    let outcome = validate(&args.export, &exports, mapping.as_ref(), data, context)?;
    args.export.write_report(&outcome, &mut reports)?;
    reports.write_page(|file| {
        let mut page = args.export.page("Validation", &outcome, mapping.as_ref());
        page.set_verdict(Tone::of(&outcome.findings), verdict(&outcome));
        write_page(&page, file)
    })?;
    let shown = args.export.show(&exports, &outcome, temp_dir, context)?;
    OutputClosed::ignore_closed(if args.export.json {
        show::json(&Document::new(&outcome), context)
    } else if shown == Shown::Foreign {
        Ok(())
    } else {
        show::report(&report(&args.export, &outcome), context)
            .and_then(|()| show::written(args.export.written(None), context))
    })?;
    Ok(if outcome.is_usable {
        ExitStatus::Done
    } else {
        ExitStatus::InvalidData
    })
}

fn validate(
    export: &ExportArgs,
    exports: &[Export],
    mapping: Option<&Mapping>,
    data: &Path,
    context: &mut Context,
) -> anyhow::Result<Outcome> {
    let progress = export.progress(context);
    let measurer = export
        .images
        .measurer(mapping, data, false, (&progress, context));
    let now = Timestamp::from_unix_seconds(context.clock.now().unix_seconds());
    let settings = Settings {
        exports,
        mapping,
        is_mapping_checked: false,
        temp_dir: export.fetch.temp_dir(data),
        listed_max: export.max_findings,
        skip_invalid: false,
        now: &now,
        measurer: measurer.as_ref().map(|of| of as _),
        progress: &progress,
    };
    let outcome = run::run(&settings, &mut context.input, &mut io::sink(), &mut Discard);
    progress.finish();
    image_args::warn(measurer, context);
    outcome
}

fn report(export: &ExportArgs, outcome: &Outcome) -> Report<'static> {
    let mut report = Report::new();
    add_tally(&mut report, &outcome.tally);
    report.note(verdict(outcome));
    if let Some(next) = export.next(outcome) {
        report.line(format!("Next: {next}"));
    }
    report
}

fn verdict(outcome: &Outcome) -> String {
    let (errors, warnings) = (outcome.findings.errors(), outcome.findings.warnings());
    let (errors, warnings) = (counted(errors, "error"), counted(warnings, "warning"));
    let verdict = if outcome.is_usable {
        "valid"
    } else {
        "not valid"
    };
    format!("The export is {verdict}: {errors}, {warnings}.")
}
