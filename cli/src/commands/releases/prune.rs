//! `catalogue releases prune`: removes what is no longer needed, and says why the rest is kept.

use anyhow::Context as _;
use clap::Args;
use serde::Serialize;
use shared::release::log::{self, Command};
use shared::release::prune::{Kept, Pruned};
use shared::release::{ReleaseId, Releases};

use super::document::damage;
use crate::commands::release_log;
use crate::commands::show;
use crate::exit_status::ExitStatus;
use crate::process::context::Context;
use crate::report::Report;
use crate::serving::release_location::ReleaseLocation;
use crate::terminal::counted;
use crate::terminal::size::file_size;
use crate::terminal::table::Column;

/// Arguments of `releases prune`.
#[derive(Debug, Args)]
#[command(after_help = "\
For example: catalogue releases prune --dry-run\n\
Keeps the active release, the last two complete releases that were active before it, those that \
were published or imported again in the last 24 hours, and those that a running server or command \
has open. Keeps all of them if it cannot tell which is active.")]
pub struct PruneArgs {
    /// Show what would be removed, and remove nothing
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
    /// Errors about files that could not be read or removed.
    failures: &'a [String],
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

/// What was attempted.
const FAILED: &str = "could not prune releases";

/// Prunes.
pub(super) fn run(
    args: &PruneArgs,
    releases: &dyn Releases,
    location: ReleaseLocation<'_>,
    as_json: bool,
    context: &mut Context,
) -> anyhow::Result<ExitStatus> {
    let mut pruned = prune(args, releases, location, context)?;
    let failures = std::mem::take(&mut pruned.failures).into_iter();
    let failures: Vec<String> = failures.map(damage).collect();
    let document = document(args, &pruned, &failures);
    show::result(
        as_json,
        &document,
        || report(args, &pruned, location),
        context,
    )?;
    if failures.is_empty() {
        return Ok(ExitStatus::Done);
    }
    for failure in &failures {
        show::aside(format!("error: {failure}"), context);
    }
    Ok(ExitStatus::Failure)
}

fn prune(
    args: &PruneArgs,
    releases: &dyn Releases,
    location: ReleaseLocation<'_>,
    context: &Context,
) -> anyhow::Result<Pruned> {
    // If nothing was ever imported, there is no directory to lock either.
    if location.address.is_none() && !location.data.exists() {
        return Ok(Pruned::default());
    }
    let now_seconds = context.clock.now().unix_seconds();
    let lock = releases.lock().context(FAILED)?;
    let planned = releases.prune_dry_run(now_seconds).context(FAILED)?;
    if args.dry_run {
        return Ok(planned);
    }
    let attempt = release_log::attempt(Command::Prune, context);
    let doomed = removed(&planned);
    // Logged before anything is removed, so that no removal lacks an entry. Leftovers were never
    // releases.
    if !doomed.is_empty() {
        let entry = attempt.entry(log::Outcome::removed(&doomed, planned.freed_bytes()));
        releases.log(&entry, &lock).context(FAILED)?;
    }
    let pruned = releases.prune(now_seconds, &lock).context(FAILED)?;
    let gone = removed(&pruned);
    let spared: Vec<_> = doomed.into_iter().filter(|id| !gone.contains(id)).collect();
    if !spared.is_empty() {
        let entry = attempt.entry(log::Outcome::not_removed(&spared));
        let logged = releases.log(&entry, &lock);
        logged.context("could not log which releases were not removed")?;
    }
    Ok(pruned)
}

/// The releases to remove.
fn removed(pruned: &Pruned) -> Vec<&ReleaseId> {
    let decisions = pruned.releases.iter();
    let removed = decisions.filter(|decision| decision.kept.is_none());
    removed.map(|decision| &decision.id).collect()
}

fn document<'a>(args: &PruneArgs, pruned: &'a Pruned, failures: &'a [String]) -> Document<'a> {
    let release = |decision: &'a shared::release::prune::PruneDecision| ReleaseDocument {
        id: &decision.id,
        bytes: decision.bytes,
        removed: decision.kept.is_none() && !args.dry_run,
        kept: decision.kept.map(word),
    };
    let leftover = |leftover: &shared::release::staging::Leftover| LeftoverDocument {
        path: leftover.path.display().to_string(),
        bytes: leftover.bytes,
    };
    Document {
        dry_run: args.dry_run,
        releases: pruned.releases.iter().map(release).collect(),
        leftovers: pruned.leftovers.iter().map(leftover).collect(),
        freed_bytes: pruned.freed_bytes(),
        failures,
    }
}

fn report(args: &PruneArgs, pruned: &Pruned, location: ReleaseLocation<'_>) -> Report<'static> {
    if pruned.releases.is_empty() && pruned.leftovers.is_empty() {
        return Report::of(format!("No releases in {location}."));
    }
    let (gone, done) = if args.dry_run {
        ("to be removed", "To be removed")
    } else {
        ("removed", "Removed")
    };
    let releases = pruned.releases.iter().map(|decision| {
        let outcome = match decision.kept {
            Some(kept) => format!("kept: {}", reason(kept)),
            None => gone.to_owned(),
        };
        [decision.id.to_string(), file_size(decision.bytes), outcome]
    });
    let mut report = Report::new();
    report.table("", columns("RELEASE"), releases);
    if !pruned.leftovers.is_empty() {
        let leftovers = pruned.leftovers.iter().map(|leftover| {
            let name = leftover.path.file_name().unwrap_or_default();
            let name = name.to_string_lossy().into_owned();
            [name, file_size(leftover.bytes), gone.to_owned()]
        });
        // Leftovers get a separate table, because their names may be longer than ids.
        report.table("", columns("NEVER FINISHED"), leftovers);
    }
    let removed = counted(removed(pruned).len() as u64, "release");
    let leftovers = counted(pruned.leftovers.len() as u64, "leftover");
    let freed = file_size(pruned.freed_bytes());
    report.note(format!("{done}: {removed} and {leftovers}, {freed}."));
    report
}

fn columns(subject: &'static str) -> [Column; 3] {
    [subject.into(), "SIZE".into(), Column::wrapped("OUTCOME")]
}

const fn word(kept: Kept) -> &'static str {
    match kept {
        Kept::NothingKnown => "nothingKnown",
        Kept::Active => "active",
        Kept::Previous => "previous",
        Kept::Young => "young",
        Kept::InUse => "inUse",
        Kept::Failed => "failed",
    }
}

const fn reason(kept: Kept) -> &'static str {
    match kept {
        Kept::NothingKnown => "what is active is not known",
        Kept::Active => "active",
        Kept::Previous => "active before, to roll back to",
        Kept::Young => "younger than 24 hours",
        Kept::InUse => "open in a server or a command",
        Kept::Failed => "could not be removed",
    }
}
