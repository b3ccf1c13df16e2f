//! `catalogue releases list` and `show`: which releases there are, and what is in one.

use std::io::Write;
use std::path::Path;

use anyhow::bail;
use shared::release::{Manifest, ReleaseId, ReleaseStore};

use super::document::{ListDocument, ReleaseDocument, ShownDocument};
use super::size::size;
use crate::commands::coverage::{self, CoverageDocument};
use crate::context::Context;
use crate::exit_status::ExitStatus;
use crate::{json, table};

/// Lists all releases.
pub(super) fn list(
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
    let number = |number: Option<u64>| known(number.map(|number| number.to_string()));
    // The id says when it was published.
    let rows = releases.iter().map(|release| {
        [
            release.id.to_string(),
            number(release.boats),
            number(release.manufacturers),
            known(release.bytes.map(size)),
            release.state(),
        ]
    });
    let heading = ["RELEASE", "BOATS", "MANUFACTURERS", "SIZE", "STATE"];
    context
        .out
        .write_all(table::list(heading, rows).as_bytes())?;
    Ok(ExitStatus::Done)
}

fn known(text: Option<String>) -> String {
    text.unwrap_or_else(|| "-".to_owned())
}

/// Shows the release of that id, or the active one.
pub(super) fn show(
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
        let shown = ShownDocument {
            release,
            coverage: CoverageDocument::new(&manifest),
            files: &manifest.files,
        };
        json::print(&shown, context)?;
    } else {
        context
            .out
            .write_all(text(&release, &manifest).as_bytes())?;
    }
    Ok(ExitStatus::Done)
}

fn text(release: &ReleaseDocument, manifest: &Manifest) -> String {
    let state = if release.active {
        "active"
    } else {
        "not active"
    };
    let details = table::details([
        ("Release", release.id.to_string()),
        ("State", state.to_owned()),
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
    let coverage = coverage::text(manifest);
    [details, coverage, files].join("\n")
}
