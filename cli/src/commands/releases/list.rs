//! `catalogue releases list` and `show`: which releases there are, and what is in one.

use anyhow::bail;
use shared::base::timestamp::Timestamp;
use shared::release::{Manifest, ReleaseError, ReleaseId, Releases};

use super::document::{ListDocument, RefusedDocument, ReleaseDocument, ShownDocument, damage};
use crate::commands::coverage::{self, CoverageDocument};
use crate::commands::release_log;
use crate::commands::show;
use crate::exit_status::ExitStatus;
use crate::process::context::Context;
use crate::report::Report;
use crate::terminal::Terminal;
use crate::terminal::relative_time;
use crate::terminal::size::file_size;
use crate::terminal::table::{Cell, Column};

/// The releases to list, including a missing active one.
pub(super) struct Listing {
    /// The newest first, then the active one if it is missing.
    pub(super) ids: Vec<ReleaseId>,
    active: Option<ReleaseId>,
    is_asked_for: bool,
    /// Why it is not known which one is active.
    pub(super) pointer_damage: Option<String>,
}

impl Listing {
    /// One release that was named.
    pub(super) fn of_one(id: &ReleaseId) -> Self {
        Self {
            ids: vec![id.clone()],
            active: None,
            is_asked_for: true,
            pointer_damage: None,
        }
    }

    /// All releases.
    pub(super) fn read(releases: &dyn Releases) -> Result<Self, ReleaseError> {
        let (active, pointer_damage) = match releases.current() {
            Err(error @ ReleaseError::DamagedPointer { .. }) => (None, Some(damage(error))),
            read => (read?, None),
        };
        let mut ids = releases.list()?;
        ids.extend(active.clone().filter(|active| !ids.contains(active)));
        Ok(Self {
            ids,
            active,
            is_asked_for: false,
            pointer_damage,
        })
    }

    /// Whether it is fine if this release is gone: a prune may have removed it meanwhile.
    pub(super) fn may_vanish(&self, id: &ReleaseId) -> bool {
        !self.is_asked_for && self.active.as_ref() != Some(id)
    }

    /// Reports that it is not known which release is active.
    pub(super) fn report_pointer_damage(&self, context: &mut Context) {
        if let Some(damage) = &self.pointer_damage {
            show::aside(format!("error: {damage}"), context);
        }
    }

    fn document(&self, id: &ReleaseId, releases: &dyn Releases) -> Option<ReleaseDocument> {
        let (active, bytes) = (self.active.as_ref(), releases.size(id).ok());
        match releases.manifest(id) {
            Ok(manifest) => Some(ReleaseDocument::new(id, &manifest, bytes, active)),
            Err(ReleaseError::Unknown { .. }) if self.may_vanish(id) => None,
            Err(error) => Some(ReleaseDocument::damaged(id, error, bytes, active)),
        }
    }
}

/// Lists all releases.
pub(super) fn list(
    releases: &dyn Releases,
    as_json: bool,
    context: &mut Context,
) -> anyhow::Result<ExitStatus> {
    let listing = Listing::read(releases)?;
    let ids = listing.ids.iter();
    let documents: Vec<_> = ids
        .filter_map(|id| listing.document(id, releases))
        .collect();
    let is_active_known = listing.pointer_damage.is_none();
    let status = if is_active_known && !documents.iter().any(ReleaseDocument::is_missing) {
        ExitStatus::Done
    } else {
        ExitStatus::Failure
    };
    listing.report_pointer_damage(context);
    let refused = release_log::refused(releases).unwrap_or_else(|error| {
        show::aside(format!("warning: {error:#}"), context);
        Vec::new()
    });
    let refused = refused.into_iter().map(|entry| RefusedDocument {
        at: Timestamp::from_unix_seconds(entry.attempt.at),
        reason: release_log::why_refused(&entry),
    });
    let document = ListDocument {
        releases: documents,
        pointer_damage: listing.pointer_damage,
        refused_imports: refused.collect(),
    };
    let (now, terminal) = (context.clock.now().unix_seconds(), context.terminal);
    let report = || {
        let mut report = match &document.releases[..] {
            [] => no_releases(releases),
            all => listed(all),
        };
        add_refused(&mut report, &document.refused_imports, now, terminal);
        report
    };
    show::result(as_json, &document, report, context)?;
    Ok(status)
}

/// Says that there are no releases, and how to create one.
pub(super) fn no_releases(releases: &dyn Releases) -> Report<'static> {
    let mut report = Report::of(format!("No releases in {}.", releases.location()));
    report.line("Import one: catalogue import EXPORT");
    report
}

fn listed(releases: &[ReleaseDocument]) -> Report<'static> {
    let number = |number: Option<u64>| known(number.map(|number| number.to_string()));
    let columns = [
        "RELEASE".into(),
        "BOATS".into(),
        Column::spare(1, "MANUFACTURERS"),
        "SIZE".into(),
        "STATE".into(),
    ];
    let rows = releases.iter().map(|release| {
        [
            release.id.to_string().into(),
            number(release.boats).into(),
            number(release.manufacturers).into(),
            known(release.bytes.map(file_size)).into(),
            Cell::new(release.state(), release.style()),
        ]
    });
    let mut report = Report::new();
    report.table("", columns, rows);
    report
}

/// Adds the refused imports; the log says more about each.
fn add_refused(report: &mut Report<'_>, refused: &[RefusedDocument], now: i64, terminal: Terminal) {
    let rows = refused.iter().map(|import| {
        let at = relative_time::short(import.at.unix_seconds(), now, terminal);
        [at, import.reason.clone()]
    });
    report.list("Refused imports, the latest first:", rows, 0);
    if !refused.is_empty() {
        report.line("More about each: catalogue releases log");
    }
}

fn known(text: Option<String>) -> String {
    text.unwrap_or_else(|| "-".to_owned())
}

/// Shows the release with that id, or the active one.
pub(super) fn show(
    releases: &dyn Releases,
    id: Option<&ReleaseId>,
    as_json: bool,
    context: &mut Context,
) -> anyhow::Result<ExitStatus> {
    let active = match (releases.current(), id) {
        // A named release can be shown even if the pointer is damaged.
        (Err(ReleaseError::DamagedPointer { .. }), Some(_)) => None,
        (read, _) => read?,
    };
    let Some(id) = id.or(active.as_ref()) else {
        bail!("no release is active; `catalogue releases list` shows those there are")
    };
    let manifest = releases.manifest(id)?;
    let bytes = releases.size(id)?;
    let release = ReleaseDocument::new(id, &manifest, Some(bytes), active.as_ref());
    let document = ShownDocument {
        release,
        coverage: CoverageDocument::new(&manifest),
        files: &manifest.files,
    };
    let (now, terminal) = (context.clock.now().unix_seconds(), context.terminal);
    let report = || shown(&document.release, bytes, &manifest, now, terminal);
    show::result(as_json, &document, report, context)?;
    Ok(ExitStatus::Done)
}

fn shown<'a>(
    release: &ReleaseDocument,
    bytes: u64,
    manifest: &'a Manifest,
    now: i64,
    terminal: Terminal,
) -> Report<'a> {
    let state = if release.active {
        "active"
    } else {
        "not active"
    };
    let published = if terminal.out {
        let age = relative_time::relative(release.id.unix_seconds(), now);
        format!("{}, {age}", manifest.published_at)
    } else {
        manifest.published_at.clone()
    };
    let lines = [
        ("Release", release.id.to_string().into()),
        ("State", Cell::new(state, release.style())),
        ("Published", published.into()),
        ("Boats", manifest.boats.to_string().into()),
        ("Manufacturers", manifest.manufacturers.to_string().into()),
        ("Bytes", bytes.to_string().into()),
    ];
    let rows = manifest.files.iter().map(|file| {
        [
            file.name.to_string(),
            file.bytes.to_string(),
            file.sha256.clone(),
        ]
    });
    let columns = ["FILE".into(), "BYTES".into(), Column::spare(1, "SHA-256")];
    let mut report = Report::new();
    report
        .facts(lines)
        .coverage(coverage::of(manifest, None))
        .table("", columns, rows);
    report
}
