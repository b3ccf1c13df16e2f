//! `catalogue releases`: which releases there are, which one is served, and changing that.

mod document;

use std::io::Write;
use std::path::Path;

use anyhow::{Context as _, bail};
use clap::{Args, Subcommand};
use shared::data_dir::DataDir;
use shared::release::{ReleaseId, ReleaseStore};

use self::document::{
    ActiveDocument, ListDocument, ReleaseDocument, ShownDocument, VerifiedDocument,
    VerifiedListDocument, damage,
};
use crate::context::Context;
use crate::exit_status::ExitStatus;
use crate::{json, table};

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
    /// Show one release and its files
    Show(OptionalIdArgs),
    /// Serve a release: running servers follow within a second
    Activate(IdArgs),
    /// Serve again what was served before the active release
    Rollback,
    /// Check every file of one release, or of all, against its checksum
    Verify(OptionalIdArgs),
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

fn parse_id(text: &str) -> Result<ReleaseId, String> {
    ReleaseId::parse(text)
        .ok_or_else(|| "an id looks like 20261121T101500Z-3f2a9c1b4d5e6f70".to_owned())
}

/// Does what was typed.
pub fn run(args: &ReleasesArgs, data: &Path, context: &mut Context) -> anyhow::Result<ExitStatus> {
    let store = ReleaseStore::new(DataDir::new(data));
    match &args.command {
        ReleasesCommand::List => list(&store, data, args.json, context),
        ReleasesCommand::Show(show) => show_release(&store, show.id.as_ref(), args.json, context),
        ReleasesCommand::Activate(activate) => {
            let lock = store.lock().context("could not activate the release")?;
            store
                .activate(&activate.id, &lock)
                .context("could not activate the release")?;
            say_active(&activate.id, args.json, context)
        }
        ReleasesCommand::Rollback => rollback(&store, args.json, context),
        ReleasesCommand::Verify(verify) => {
            verify_releases(&store, verify.id.as_ref(), args.json, context)
        }
    }
}

fn list(
    store: &ReleaseStore,
    data: &Path,
    as_json: bool,
    context: &mut Context,
) -> anyhow::Result<ExitStatus> {
    let active = store.current()?;
    let document = |id: ReleaseId| match store.open(&id) {
        Ok(release) => ReleaseDocument::new(&id, release.manifest(), active.as_ref()),
        Err(error) => ReleaseDocument::damaged(&id, error, active.as_ref()),
    };
    let releases: Vec<_> = store.list()?.into_iter().map(document).collect();
    if as_json {
        json::print(&ListDocument { releases }, context)?;
        return Ok(ExitStatus::Done);
    }
    if releases.is_empty() {
        writeln!(context.out, "No releases in {}.", data.display())?;
        writeln!(context.out, "Import one: catalogue import EXPORT")?;
        return Ok(ExitStatus::Done);
    }
    let unknown = || "-".to_owned();
    let number = |number: Option<u64>| number.map_or_else(unknown, |number| number.to_string());
    let rows = releases.iter().map(|release| {
        [
            release.id.to_string(),
            release.state(),
            number(release.boats),
            number(release.manufacturers),
            number(release.bytes),
            release.published_at.clone().unwrap_or_else(unknown),
        ]
    });
    let heading = [
        "RELEASE",
        "STATE",
        "BOATS",
        "MANUFACTURERS",
        "BYTES",
        "PUBLISHED",
    ];
    context
        .out
        .write_all(table::list(heading, rows).as_bytes())?;
    Ok(ExitStatus::Done)
}

fn show_release(
    store: &ReleaseStore,
    id: Option<&ReleaseId>,
    as_json: bool,
    context: &mut Context,
) -> anyhow::Result<ExitStatus> {
    let active = store.current()?;
    let Some(id) = id.or(active.as_ref()) else {
        bail!("no release is active; `catalogue releases list` shows those there are")
    };
    let manifest = store.open(id)?.manifest().clone();
    let release = ReleaseDocument::new(id, &manifest, active.as_ref());
    if as_json {
        json::print(
            &ShownDocument {
                release,
                files: &manifest.files,
            },
            context,
        )?;
        return Ok(ExitStatus::Done);
    }
    let details = table::details([
        ("Release", release.id.to_string()),
        (
            "State",
            if release.active {
                "active"
            } else {
                "not active"
            }
            .to_owned(),
        ),
        ("Published", manifest.published_at.clone()),
        ("Boats", manifest.boats.to_string()),
        ("Manufacturers", manifest.manufacturers.to_string()),
        ("Bytes", manifest.total_bytes().to_string()),
    ]);
    let rows = manifest.files.iter().map(|file| {
        [
            file.name.to_string(),
            file.bytes.to_string(),
            file.sha256.clone(),
        ]
    });
    let files = table::list(["FILE", "BYTES", "SHA-256"], rows);
    write!(context.out, "{details}\n{files}")?;
    Ok(ExitStatus::Done)
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
    say_active(before, as_json, context)
}

fn say_active(id: &ReleaseId, as_json: bool, context: &mut Context) -> anyhow::Result<ExitStatus> {
    if as_json {
        json::print(&ActiveDocument { active: id }, context)?;
    } else {
        writeln!(
            context.out,
            "Release {id} is active; running servers follow within a second."
        )?;
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
