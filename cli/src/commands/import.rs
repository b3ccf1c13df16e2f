//! `catalogue import`: from an export to a release that is served.
//!
//! All or nothing: until every record has proved valid and every file is on disk, nothing of the
//! new release is visible, and an export with errors leaves the active release as it was.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use serde::Serialize;
use shared::data_dir::DataDir;
use shared::model::{BoatDetails, BoatSummary, ManufacturerDetails, ManufacturerSummary};
use shared::release::{
    Finished, ReleaseId, ReleaseStore, ReleaseWriter, RenderedBoat, RenderedManufacturer,
};
use shared::render::BodyTooLarge;
use shared::timestamp::Timestamp;

use super::export_args::{ExportArgs, OutcomeDocument, counted, tally_table};
use crate::context::{Context, OutputClosed};
use crate::exit_status::ExitStatus;
use crate::json;
use crate::validate::{self, Consumer, Outcome, Rejects, Settings};

/// Arguments of `import`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
For example: catalogue import export.ndjson.gz
An export with errors changes nothing, and the exit status is 1.")]
pub struct ImportArgs {
    /// What to read and how to show what is found.
    #[command(flatten)]
    pub export: ExportArgs,
    /// Leave records with errors out, instead of importing nothing
    #[arg(long)]
    pub skip_invalid: bool,
    /// Write the records that have errors to this file, unchanged
    #[arg(long, value_name = "FILE")]
    pub rejects: Option<PathBuf>,
    /// Make the release, but go on serving the active one
    #[arg(long)]
    pub no_activate: bool,
}

/// Whether the new release is to be served.
#[derive(Clone, Copy, Debug)]
pub(super) enum Activation {
    /// Whatever is active now.
    Always,
    /// Not before somebody says so.
    Never,
    /// Only where no release is active yet.
    IfNoneIs,
}

/// What became of the export.
pub(super) struct Imported {
    /// The release that has the contents of the export, unless that has errors.
    pub(super) release: Option<ReleaseId>,
    /// Whether an earlier release had these contents already.
    existed: bool,
    /// The release that is served from now on, if any.
    pub(super) active: Option<ReleaseId>,
    duration: Duration,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a> {
    imported: bool,
    release: Option<&'a str>,
    existed: bool,
    active: Option<&'a str>,
    duration_seconds: f64,
    #[serde(flatten)]
    outcome: OutcomeDocument<'a>,
}

/// Imports.
pub fn run(args: &ImportArgs, data: &Path, context: &mut Context) -> anyhow::Result<ExitStatus> {
    let activation = if args.no_activate {
        Activation::Never
    } else {
        Activation::Always
    };
    let (imported, outcome) = import(args, activation, data, context)?;
    OutputClosed::forgiven(if args.export.json {
        json::print(&document(&imported, &outcome), context)
    } else {
        show(&imported, &outcome, args, context)
    })?;
    Ok(if outcome.is_usable {
        ExitStatus::Done
    } else {
        ExitStatus::InvalidData
    })
}

/// Imports, and shows what was found but not what became of it.
pub(super) fn import(
    args: &ImportArgs,
    activation: Activation,
    data: &Path,
    context: &mut Context,
) -> anyhow::Result<(Imported, Outcome)> {
    let started = context.clock.now().monotonic;
    let report = args.export.prepare(args.rejects.as_deref())?;
    let mut rejects = match &args.rejects {
        Some(path) => Rejects::create(path)?,
        None => Rejects::nowhere(),
    };
    let store = ReleaseStore::new(DataDir::new(data));
    let mut publishing = Publishing {
        writer: store.begin()?,
    };
    let outcome = read(args, data, &mut rejects, &mut publishing, context)?;
    rejects.publish()?;
    args.export.write_report(&outcome, report)?;
    args.export.show(&outcome, context)?;

    let finish = || finish(&store, publishing.writer, activation, context);
    let finished = outcome.is_usable.then(finish).transpose()?;
    let imported = Imported {
        existed: finished.as_ref().is_some_and(|finished| finished.existed),
        release: finished.map(|finished| finished.id),
        active: store.current()?,
        duration: context.clock.now().monotonic.saturating_sub(started),
    };
    Ok((imported, outcome))
}

fn read(
    args: &ImportArgs,
    data: &Path,
    rejects: &mut Rejects,
    publishing: &mut Publishing,
    context: &mut Context,
) -> anyhow::Result<Outcome> {
    let progress = args.export.progress(context);
    let settings = Settings {
        exports: &args.export.exports,
        temp_dir: data,
        listed_max: args.export.max_findings,
        skip_invalid: args.skip_invalid,
        progress: &progress,
    };
    let outcome = validate::run(&settings, &mut context.input, rejects, publishing);
    progress.finish();
    outcome
}

fn finish(
    store: &ReleaseStore,
    writer: ReleaseWriter,
    activation: Activation,
    context: &Context,
) -> anyhow::Result<Finished> {
    let now = Timestamp::from_unix_seconds(context.clock.now().unix_seconds());
    let finished = writer.finish(&now).context("could not write the release")?;
    let active = store.current()?;
    let is_wanted = match activation {
        Activation::Always => active.as_ref() != Some(&finished.id),
        Activation::Never => false,
        Activation::IfNoneIs => active.is_none(),
    };
    if is_wanted {
        let activated = store.activate(&finished.id, &finished.lock);
        activated.with_context(|| format!("could not activate the release {}", finished.id))?;
    }
    Ok(finished)
}

fn document<'a>(imported: &'a Imported, outcome: &'a Outcome) -> Document<'a> {
    Document {
        imported: imported.release.is_some(),
        release: imported.release.as_ref().map(ReleaseId::as_str),
        existed: imported.existed,
        active: imported.active.as_ref().map(ReleaseId::as_str),
        duration_seconds: imported.duration.as_secs_f64(),
        outcome: OutcomeDocument::new(outcome),
    }
}

fn show(
    imported: &Imported,
    outcome: &Outcome,
    args: &ImportArgs,
    context: &mut Context,
) -> anyhow::Result<()> {
    let out = &mut context.out;
    writeln!(out, "{}", tally_table(&outcome.tally))?;
    let active = imported.active.as_ref().map_or("none", ReleaseId::as_str);
    let Some(release) = &imported.release else {
        let errors = counted(outcome.findings.errors(), "error");
        writeln!(
            out,
            "Nothing was imported: {errors}. Active release: {active}."
        )?;
        if !args.skip_invalid && outcome.findings.blocking_errors() == 0 {
            writeln!(
                out,
                "Next: mend the export, or leave invalid records out: --skip-invalid"
            )?;
        }
        return Ok(());
    };
    let seconds = imported.duration.as_secs_f64();
    if imported.existed {
        writeln!(out, "Release {release} has exactly these contents already.")?;
    } else {
        writeln!(out, "Release {release} was made in {seconds:.1} s.")?;
    }
    let invalid = outcome.tally.invalid();
    if invalid != 0 {
        writeln!(out, "Left out: {}.", counted(invalid, "invalid record"))?;
    }
    writeln!(out, "Active release: {active}.")?;
    let next = match &imported.active {
        Some(active) if active == release => "serve".to_owned(),
        _ => format!("releases activate {release}"),
    };
    Ok(writeln!(out, "Next: catalogue {next}")?)
}

/// Puts records into a release as they come.
struct Publishing {
    writer: ReleaseWriter,
}

impl Consumer for Publishing {
    type Boat = RenderedBoat;

    fn render(
        summary: &BoatSummary<'_>,
        details: &BoatDetails<'_>,
    ) -> Result<RenderedBoat, BodyTooLarge> {
        RenderedBoat::new(summary, details)
    }

    fn size(boat: &RenderedBoat) -> usize {
        boat.body().bytes.len()
    }

    fn boat(&mut self, boat: RenderedBoat) -> anyhow::Result<()> {
        Ok(self.writer.push_boat(boat)?)
    }

    fn manufacturer(
        &mut self,
        summary: &ManufacturerSummary<'_>,
        details: &ManufacturerDetails<'_>,
    ) -> anyhow::Result<()> {
        // It shows nothing of other records, so a line holds all of it and is too short for this.
        let rendered = RenderedManufacturer::new(summary, details).with_context(|| {
            format!("could not render the manufacturer {}", summary.id.as_str())
        })?;
        Ok(self.writer.push_manufacturer(rendered)?)
    }
}
