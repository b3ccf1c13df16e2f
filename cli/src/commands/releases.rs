//! `catalogue releases`: lists releases, and shows and changes which one is served.

mod change;
mod document;
mod list;
mod log;
mod prune;
mod verify;

use clap::{Args, Subcommand, value_parser};
use shared::release::{ReleaseId, Releases};

pub(super) use self::change::overtaken;
use self::log::LogArgs;
use self::prune::PruneArgs;
use crate::commands::release_name::ReleaseName;
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
    #[command(after_help = "For example: catalogue releases list --json")]
    List,
    /// Show one release, its fields and its files
    #[command(after_help = "For example: catalogue releases show previous")]
    Show(OptionalIdArgs),
    /// Serve a release: running servers follow within a second
    #[command(after_help = "For example: catalogue releases activate 20261121T1015")]
    Activate(IdArgs),
    /// Serve the previous release again; each further rollback goes one further back
    #[command(after_help = "For example: catalogue releases rollback")]
    Rollback,
    /// Check every file of one release, or of all, against its checksum
    #[command(after_help = "For example: catalogue releases verify current")]
    Verify(OptionalIdArgs),
    /// Remove the releases that are no longer needed
    Prune(PruneArgs),
    /// Show who changed what is served, or tried to, the latest first
    Log(LogArgs),
}

/// The release that is meant.
#[derive(Debug, Args)]
pub struct IdArgs {
    /// Its id, or a beginning of it; or `current`, `previous` or `latest`
    #[arg(value_name = "ID", value_parser = value_parser!(ReleaseName))]
    pub id: ReleaseName,
}

/// The release that is meant, if one is.
#[derive(Debug, Args)]
pub struct OptionalIdArgs {
    /// Its id, or a beginning of it; or `current`, `previous` or `latest`
    #[arg(value_name = "ID", value_parser = value_parser!(ReleaseName))]
    pub id: Option<ReleaseName>,
}

impl OptionalIdArgs {
    /// The id of the release, if one was named; `failed` says what it is for, in errors.
    fn id(&self, releases: &dyn Releases, failed: &str) -> anyhow::Result<Option<ReleaseId>> {
        let id = self.id.as_ref().map(|named| named.id(releases, failed));
        id.transpose()
    }
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
        ReleasesCommand::Show(show) => {
            let id = show.id(releases, "could not show the release")?;
            list::show(releases, id.as_ref(), args.json, context)
        }
        ReleasesCommand::Activate(named) => {
            change::activate(releases, &named.id, args.json, context)
        }
        ReleasesCommand::Rollback => change::rollback(releases, args.json, context),
        ReleasesCommand::Verify(verify) => {
            let id = verify.id(releases, "could not verify the release")?;
            verify::run(releases, id.as_ref(), args.json, context)
        }
        ReleasesCommand::Prune(prune) => prune::run(prune, releases, location, args.json, context),
        ReleasesCommand::Log(log) => log::run(log, releases, args.json, context),
    }
}
