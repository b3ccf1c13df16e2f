//! `catalogue export`: what a release publishes, in files for whoever is not to ask the API.
//!
//! Bodies are read one after the other, so memory does not grow with boats. A file has its name only
//! once it is whole, and whatever was read of the release has proved whole by then.

mod format;
mod lines;
mod place;

use std::io::Write;
use std::path::PathBuf;

use anyhow::Context as _;
use clap::{Args, value_parser};
use shared::release::Release;

use self::format::Format;
use self::place::Place;
use crate::commands::completions::Values;
use crate::commands::one_of;
use crate::commands::release_name::ReleaseName;
use crate::exit_status::ExitStatus;
use crate::process::context::Context;
use crate::process::output_file::Permit;
use crate::serving::release_location::ReleaseLocation;
use crate::terminal::counted;
use crate::terminal::progress::Progress;

/// What was attempted, in errors.
const FAILED: &str = "could not export the release";

/// Arguments of `export`.
#[derive(Debug, Args)]
#[command(after_help = "\
For example:
  catalogue export --to catalogue.ndjson.zst
  catalogue export previous --to partner/ --format ndjson
  catalogue export latest --to - --format ndjson > latest.ndjson
An import of the NDJSON publishes the same records with the same ETags. Only what is published is \
written: no drafts, and no terms or designers that no boat has.")]
pub struct ExportArgs {
    /// The release: an id or a beginning of it, `current`, `previous` or `latest`
    #[arg(value_name = "RELEASE", default_value = "current")]
    #[arg(value_parser = value_parser!(ReleaseName), add = Values::Releases)]
    pub release: ReleaseName,
    /// The file to write, whose ending is its format; a folder, which gets a file for each kind of
    /// record; or `-` for standard output
    #[arg(long, value_name = "FILE|FOLDER")]
    pub to: PathBuf,
    /// The format for a folder or standard output
    #[arg(long, value_name = "FORMAT", value_parser = one_of(Format::ALL, Format::ending))]
    pub format: Option<Format>,
    /// Replace any existing file
    #[arg(long)]
    pub overwrite: bool,
}

/// Exports.
pub fn run(
    args: &ExportArgs,
    location: ReleaseLocation<'_>,
    context: &mut Context,
) -> anyhow::Result<ExitStatus> {
    let permit = Permit::outside(location.data).overwriting(args.overwrite);
    let place = Place::of(&args.to);
    let format = place.format(args.format, context.terminal.out)?;
    let is_output = place == Place::Output;
    let releases = location.open(true, context)?;
    let id = args.release.id(&*releases, FAILED)?;
    let _folder = place.make_folder(&permit)?;
    let sinks = place.begin(&lines::KINDS, format, &permit, &mut context.out)?;
    let release = releases.open(&id).context(FAILED)?;
    let progress = Progress::new(context.terminal.err && !is_output);
    match format {
        Format::Ndjson(packing) => lines::write(&release, sinks, packing, &progress)?,
    }
    if !is_output {
        writeln!(context.out, "{}", summary(&release, args))?;
    }
    Ok(ExitStatus::Done)
}

/// What was written, and where.
fn summary(release: &Release, args: &ExportArgs) -> String {
    let manifest = release.manifest();
    let boats = counted(manifest.boats, "boat");
    let manufacturers = counted(manifest.manufacturers, "manufacturer");
    let (id, to) = (release.id(), args.to.display());
    format!("Exported release {id}: {boats} and {manufacturers} to {to}")
}
