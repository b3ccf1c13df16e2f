//! `catalogue releases`: which releases there are, which one is served, and changing that.

mod document;
mod list;
mod prune;
mod size;

use std::io::Write;
use std::path::Path;

use anyhow::Context as _;
use clap::{Args, Subcommand};
use shared::data_dir::DataDir;
use shared::release::{ReleaseDiff, ReleaseId, ReleaseStore};

use self::document::{ActiveDocument, VerifiedDocument, VerifiedListDocument, damage};
use self::prune::PruneArgs;
use super::diff::sentences;
use crate::context::Context;
use crate::exit_status::ExitStatus;
use crate::json;

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
    /// Serve again what was served before the active release
    Rollback,
    /// Check every file of one release, or of all, against its checksum
    Verify(OptionalIdArgs),
    /// Remove the releases that nobody needs any more
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
pub fn run(args: &ReleasesArgs, data: &Path, context: &mut Context) -> anyhow::Result<ExitStatus> {
    let store = ReleaseStore::new(DataDir::new(data));
    match &args.command {
        ReleasesCommand::List => list::list(&store, data, args.json, context),
        ReleasesCommand::Show(show) => list::show(&store, show.id.as_ref(), args.json, context),
        ReleasesCommand::Activate(id) => activate(&store, &id.id, args.json, context),
        ReleasesCommand::Rollback => rollback(&store, args.json, context),
        ReleasesCommand::Verify(verify) => {
            verify_releases(&store, verify.id.as_ref(), args.json, context)
        }
        ReleasesCommand::Prune(prune) => prune::run(prune, &store, data, args.json, context),
    }
}

fn activate(
    store: &ReleaseStore,
    id: &ReleaseId,
    as_json: bool,
    context: &mut Context,
) -> anyhow::Result<ExitStatus> {
    let failed = "could not activate the release";
    let lock = store.lock().context(failed)?;
    let before = store.current().context(failed)?;
    store.activate(id, &lock).context(failed)?;
    say_active(store, before.as_ref(), id, as_json, context)
}

fn rollback(
    store: &ReleaseStore,
    as_json: bool,
    context: &mut Context,
) -> anyhow::Result<ExitStatus> {
    let never = "could not roll back: no other release was active before";
    // Where nothing was ever activated there is no directory to lock either.
    store.pointer()?.context(never)?;
    let lock = store.lock().context("could not roll back")?;
    let pointer = store.pointer()?.context(never)?;
    let before = pointer.previous.first().context(never)?;
    let activated = store.activate(before, &lock);
    activated.context("could not roll back")?;
    say_active(store, Some(&pointer.release), before, as_json, context)
}

/// Says what is served from now on and, if it can be seen, what that changes.
fn say_active(
    store: &ReleaseStore,
    before: Option<&ReleaseId>,
    id: &ReleaseId,
    as_json: bool,
    context: &mut Context,
) -> anyhow::Result<ExitStatus> {
    if as_json {
        json::print(&ActiveDocument { active: id }, context)?;
        return Ok(ExitStatus::Done);
    }
    writeln!(
        context.out,
        "Release {id} is active; running servers follow within a second."
    )?;
    if let Some(before) = before.filter(|before| *before != id)
        && let Ok(old) = store.open(before)
        // What was active before may be damaged, which is why another one is active now.
        && let Ok(diff) = ReleaseDiff::between(&old, &store.open(id)?, 0)
    {
        for line in sentences::counts_of_all(&diff) {
            writeln!(context.out, "  {line}")?;
        }
    }
    Ok(ExitStatus::Done)
}

/// Damage is reported for every release, not for the first one only.
fn verify_releases(
    store: &ReleaseStore,
    id: Option<&ReleaseId>,
    as_json: bool,
    context: &mut Context,
) -> anyhow::Result<ExitStatus> {
    let ids = match id {
        Some(id) => vec![id.clone()],
        None => store.list()?,
    };
    let mut verified = Vec::new();
    for id in ids {
        let checked = store.open(&id).and_then(|release| release.verify());
        let damage = checked.err().map(damage);
        if !as_json {
            let outcome = damage.as_deref().unwrap_or("whole");
            writeln!(context.out, "{id}  {outcome}")?;
        }
        verified.push(VerifiedDocument { id, damage });
    }
    let is_whole = verified.iter().all(|release| release.damage.is_none());
    if as_json {
        json::print(&VerifiedListDocument { releases: verified }, context)?;
    }
    Ok(if is_whole {
        ExitStatus::Done
    } else {
        ExitStatus::Failure
    })
}
