//! `catalogue diff`: what changes for consumers from one release to another.

pub(super) mod sentences;
mod text;

use std::io::Write;

use anyhow::Context as _;
use clap::{Args, value_parser};
use shared::release::{Release, ReleaseDiff, Releases};

use crate::commands::release_name::ReleaseName;
use crate::commands::show;
use crate::exit_status::ExitStatus;
use crate::process::context::Context;
use crate::serving::release_location::ReleaseLocation;

/// Most records or slugs of one kind that are listed, unless all are wanted.
pub const EXAMPLES_MAX: usize = 20;

/// Arguments of `diff`.
#[derive(Debug, Args)]
#[command(allow_missing_positional = true)]
#[command(after_help = "\
For example: catalogue diff current 20261121T101500Z-3f2a9c1b4d5e6f70
The exit status is 0 whether or not the releases differ.")]
pub struct DiffArgs {
    /// The release to compare with: an id or a beginning of it, `current`, `previous` or `latest`
    /// [default: current]
    #[arg(value_name = "FROM", value_parser = value_parser!(ReleaseName))]
    pub from: Option<ReleaseName>,
    /// The release that is compared, named in the same ways
    #[arg(value_name = "TO", value_parser = value_parser!(ReleaseName))]
    pub to: ReleaseName,
    /// List every record, not only the first 20 of each list
    #[arg(long)]
    pub full: bool,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

/// Compares.
pub fn run(
    args: &DiffArgs,
    location: ReleaseLocation<'_>,
    context: &mut Context,
) -> anyhow::Result<ExitStatus> {
    let releases = &*location.open(!args.json, context)?;
    let from = args.from.as_ref().unwrap_or(&ReleaseName::Current);
    let [old, new] = [open(from, releases)?, open(&args.to, releases)?];
    let examples_max = if args.full { usize::MAX } else { EXAMPLES_MAX };
    let diff = ReleaseDiff::between(&old, &new, examples_max);
    let diff = diff.context("could not compare the releases")?;
    if args.json {
        show::json(&diff, context)?;
    } else {
        // Which one is active matters to nothing but the heads.
        let active = releases.current().ok().flatten();
        context
            .out
            .write_all(text::text(&diff, active.as_ref(), context.terminal).as_bytes())?;
    }
    Ok(ExitStatus::Done)
}

fn open(named: &ReleaseName, releases: &dyn Releases) -> anyhow::Result<Release> {
    let failed = "could not compare the releases";
    releases.open(&named.id(releases, failed)?).context(failed)
}
