//! `catalogue releases`: which releases there are, which one is served, and changing that.

mod change;
mod document;
mod list;
mod prune;
mod verify;

use clap::{Args, Subcommand};
use shared::release::ReleaseId;

pub(super) use self::change::overtaken;
use self::prune::PruneArgs;
use crate::exit_status::ExitStatus;
use crate::process::context::Context;
use crate::serving::release_location::ReleaseLocation;

/// Arguments of `releases`.
#[derive(Debug, Args)]
pub struct ReleasesArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: ReleasesCommand,
    /// Print one JSON document
    #[arg(long, global = true)]
    pub json: bool,
}

/// What can be done with releases.
#[derive(Debug, Subcommand)]
pub enum ReleasesCommand {
    /// List all releases, the newest first
    List,
    /// Show one release, its fields and its files
    Show(OptionalIdArgs),
    /// Serve a release: running servers follow within a second
    Activate(IdArgs),
    /// Serve again the latest whole release that was served before the active one
    Rollback,
    /// Check every file of one release, or of all, against its checksum
    Verify(OptionalIdArgs),
    /// Remove the releases that are no longer needed
    Prune(PruneArgs),
}

/// The release that is meant.
#[derive(Debug, Args)]
pub struct IdArgs {
    /// Its id
    #[arg(value_name = "ID", value_parser = parse_id)]
    pub id: ReleaseId,
}

/// The release that is meant, if one is.
#[derive(Debug, Args)]
pub struct OptionalIdArgs {
    /// Its id
    #[arg(value_name = "ID", value_parser = parse_id)]
    pub id: Option<ReleaseId>,
}

/// Reads an id as it is typed.
pub(super) fn parse_id(text: &str) -> Result<ReleaseId, String> {
    ReleaseId::parse(text)
        .ok_or_else(|| "an id looks like 20261121T101500Z-3f2a9c1b4d5e6f70".to_owned())
}

/// Does what was typed.
pub fn run(
    args: &ReleasesArgs,
    location: ReleaseLocation<'_>,
    context: &mut Context,
) -> anyhow::Result<ExitStatus> {
    let releases = &*location.open(!args.json, context)?;
    match &args.command {
        ReleasesCommand::List => list::list(releases, args.json, context),
        ReleasesCommand::Show(show) => list::show(releases, show.id.as_ref(), args.json, context),
        ReleasesCommand::Activate(id) => change::activate(releases, &id.id, args.json, context),
        ReleasesCommand::Rollback => change::rollback(releases, args.json, context),
        ReleasesCommand::Verify(verify) => {
            verify::run(releases, verify.id.as_ref(), args.json, context)
        }
        ReleasesCommand::Prune(prune) => prune::run(prune, releases, location, args.json, context),
    }
}
