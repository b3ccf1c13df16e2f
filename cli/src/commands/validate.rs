//! `catalogue validate`: what an import would say of an export, without importing it.

use std::io::{self, Write};
use std::path::Path;

use import::run::{self, Discard, Outcome, Settings};
use serde::Serialize;

use super::export_args::{ExportArgs, OutcomeDocument, tally_table};
use crate::commands::show;
use crate::exit_status::ExitStatus;
use crate::process::context::Context;
use crate::process::output::OutputClosed;
use crate::process::output_file::Permit;
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
    /// Let --report replace any existing file
    #[arg(long)]
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

/// Validates, and leaves the data directory as it is.
pub fn run(args: &ValidateArgs, data: &Path, context: &mut Context) -> anyhow::Result<ExitStatus> {
    let permit = Permit::outside(data).overwriting(args.overwrite);
    let report = args.export.prepare(None, &permit)?;
    let outcome = validate(&args.export, &tempfile::env::temp_dir(), context)?;
    args.export.write_report(&outcome, report)?;
    args.export.show(&outcome, context)?;
    OutputClosed::ignore_closed(if args.export.json {
        show::json(&Document::new(&outcome), context)
    } else {
        show_verdict(&outcome, context)
    })?;
    Ok(if outcome.is_usable {
        ExitStatus::Done
    } else {
        ExitStatus::InvalidData
    })
}

fn validate(
    export: &ExportArgs,
    temp_dir: &Path,
    context: &mut Context,
) -> anyhow::Result<Outcome> {
    let mapping = export.mapping()?;
    let progress = export.progress(context);
    let settings = Settings {
        exports: &export.exports,
        mapping: mapping.as_ref(),
        is_mapping_checked: false,
        temp_dir,
        listed_max: export.max_findings,
        skip_invalid: false,
        progress: &progress,
    };
    let outcome = run::run(&settings, &mut context.input, &mut io::sink(), &mut Discard);
    progress.finish();
    outcome
}

fn show_verdict(outcome: &Outcome, context: &mut Context) -> anyhow::Result<()> {
    let (errors, warnings) = (outcome.findings.errors(), outcome.findings.warnings());
    let (errors, warnings) = (counted(errors, "error"), counted(warnings, "warning"));
    context
        .out
        .write_all(tally_table(&outcome.tally).as_bytes())?;
    let verdict = if outcome.is_usable {
        "valid"
    } else {
        "not valid"
    };
    Ok(writeln!(
        context.out,
        "\nThe export is {verdict}: {errors}, {warnings}."
    )?)
}
