//! `catalogue releases prune`: removing what nobody needs, and saying why the rest stays.

use std::io::Write;
use std::path::Path;

use anyhow::Context as _;
use clap::Args;
use serde::Serialize;
use shared::release::prune::{Kept, Pruned};
use shared::release::{ReleaseId, ReleaseStore};

use super::size::size;
use crate::commands::export_args::counted;
use crate::context::Context;
use crate::exit_status::ExitStatus;
use crate::{json, table};

/// Arguments of `releases prune`.
#[derive(Debug, Args)]
#[command(after_help = "\
Kept are the active release, the two that were active before it, those younger than 24 hours, and
those that a running server has open.")]
pub struct PruneArgs {
    /// Say what would be removed, and remove nothing
    #[arg(long)]
    pub dry_run: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a> {
    dry_run: bool,
    releases: Vec<ReleaseDocument<'a>>,
    leftovers: Vec<LeftoverDocument>,
    freed_bytes: u64,
}

#[derive(Serialize)]
struct ReleaseDocument<'a> {
    id: &'a ReleaseId,
    bytes: u64,
    removed: bool,
    /// Why it is kept, or null.
    kept: Option<&'static str>,
}

#[derive(Serialize)]
struct LeftoverDocument {
    path: String,
    bytes: u64,
}

/// Prunes.
pub(super) fn run(
    args: &PruneArgs,
    store: &ReleaseStore,
    data: &Path,
    as_json: bool,
    context: &mut Context,
) -> anyhow::Result<ExitStatus> {
    let pruned = prune(args, store, data, context).context("could not prune releases")?;
    if as_json {
        json::print(&document(args, &pruned), context)?;
    } else {
        context
            .out
            .write_all(text(args, &pruned, data).as_bytes())?;
    }
    Ok(ExitStatus::Done)
}

fn prune(
    args: &PruneArgs,
    store: &ReleaseStore,
    data: &Path,
    context: &Context,
) -> anyhow::Result<Pruned> {
    // Where nothing was ever imported there is no directory to lock either.
    if !data.exists() {
        return Ok(Pruned::default());
    }
    let now_seconds = context.clock.now().unix_seconds();
    let lock = store.lock()?;
    Ok(if args.dry_run {
        store.plan_prune(now_seconds, &lock)?
    } else {
        store.prune(now_seconds, &lock)?
    })
}

fn document<'a>(args: &PruneArgs, pruned: &'a Pruned) -> Document<'a> {
    let release = |verdict: &'a shared::release::prune::Verdict| ReleaseDocument {
        id: &verdict.id,
        bytes: verdict.bytes,
        removed: verdict.kept.is_none() && !args.dry_run,
        kept: verdict.kept.map(word),
    };
    let leftover = |leftover: &shared::release::leftovers::Leftover| LeftoverDocument {
        path: leftover.path.display().to_string(),
        bytes: leftover.bytes,
    };
    Document {
        dry_run: args.dry_run,
        releases: pruned.releases.iter().map(release).collect(),
        leftovers: pruned.leftovers.iter().map(leftover).collect(),
        freed_bytes: pruned.freed_bytes(),
    }
}

fn text(args: &PruneArgs, pruned: &Pruned, data: &Path) -> String {
    if pruned.releases.is_empty() && pruned.leftovers.is_empty() {
        return format!("No releases in {}.\n", data.display());
    }
    let gone = if args.dry_run {
        "to be removed"
    } else {
        "removed"
    };
    let releases = pruned.releases.iter().map(|verdict| {
        let outcome = match verdict.kept {
            Some(kept) => format!("kept: {}", reason(kept)),
            None => gone.to_owned(),
        };
        [verdict.id.to_string(), size(verdict.bytes), outcome]
    });
    let leftovers = pruned.leftovers.iter().map(|leftover| {
        let name = leftover.path.file_name().unwrap_or_default();
        let outcome = format!("{gone}: was never finished");
        [
            name.to_string_lossy().into_owned(),
            size(leftover.bytes),
            outcome,
        ]
    });
    let rows = table::list(["RELEASE", "SIZE", "OUTCOME"], releases.chain(leftovers));
    let removed = pruned
        .releases
        .iter()
        .filter(|one| one.kept.is_none())
        .count();
    let removed = counted(removed as u64, "release");
    let leftovers = counted(pruned.leftovers.len() as u64, "leftover");
    let freed = size(pruned.freed_bytes());
    let done = if args.dry_run {
        "To be removed"
    } else {
        "Removed"
    };
    format!("{rows}\n{done}: {removed} and {leftovers}, {freed}.\n")
}

const fn word(kept: Kept) -> &'static str {
    match kept {
        Kept::Active => "active",
        Kept::Previous => "previous",
        Kept::Young => "young",
        Kept::InUse => "inUse",
    }
}

const fn reason(kept: Kept) -> &'static str {
    match kept {
        Kept::Active => "active",
        Kept::Previous => "active before, to roll back to",
        Kept::Young => "younger than 24 hours",
        Kept::InUse => "open in a running server",
    }
}
