//! `catalogue releases activate` and `rollback`: change which release is served.
//!
//! Once the pointer is written, the command has succeeded, even if that cannot be shown.

use anyhow::{Context as _, anyhow, bail};
use shared::release::log::Command;
use shared::release::releases::PassedOver;
use shared::release::{ExpectedActive, ReleaseDiff, ReleaseError, ReleaseId, Releases};

use super::document::{ActiveDocument, VerifiedDocument, damage};
use crate::commands::diff::sentences;
use crate::commands::release_log::{self, NotServed};
use crate::commands::release_name::ReleaseName;
use crate::commands::show;
use crate::exit_status::ExitStatus;
use crate::hints::Hinted;
use crate::process::context::Context;
use crate::process::output::OutputClosed;
use crate::report::Report;

/// The warning about the effect of repairing the pointer.
const FIXED: &str = "warning: it was not known which release was active: what was active before \
                      is forgotten, so there is nothing to roll back to";

/// What was done.
struct Change<'a> {
    before: Option<&'a ReleaseId>,
    active: &'a ReleaseId,
    passed_over: Vec<PassedOver>,
    /// Whether the pointer was damaged before.
    is_mended: bool,
    /// Whether this is a rollback.
    is_rollback: bool,
}

/// Activates a release.
pub(super) fn activate(
    releases: &dyn Releases,
    named: &ReleaseName,
    as_json: bool,
    context: &mut Context,
) -> anyhow::Result<ExitStatus> {
    let failed = "could not activate the release";
    let id = &named.id(releases, failed)?;
    if *named == ReleaseName::Latest {
        check_latest(releases, id, context)?;
    }
    let lock = releases.lock().context(failed)?;
    let before = ExpectedActive::of(releases.pointer()).context(failed)?;
    let attempt = release_log::attempt(Command::Activate, context);
    let activated = releases.activate(id, &before, &attempt, &lock);
    activated.map_err(|error| overtaken(error, failed))?;
    let change = Change {
        before: before.release(),
        active: id,
        passed_over: Vec::new(),
        is_mended: before == ExpectedActive::Damaged,
        is_rollback: false,
    };
    Ok(report(releases, change, as_json, context))
}

/// Checks `latest`, which may be a release that was rejected. If the guards refused it, a note says
/// so; if it was rolled back, it has to be named by its id.
fn check_latest(
    releases: &dyn Releases,
    id: &ReleaseId,
    context: &mut Context,
) -> anyhow::Result<()> {
    match release_log::not_served(releases, id)? {
        None => Ok(()),
        Some(NotServed::Refused) => {
            let note =
                format!("note: `latest` is {id}, which the guards refused when it was imported");
            show::aside(note, context);
            Ok(())
        }
        Some(NotServed::RolledBack) => {
            let error = anyhow!("did not activate `latest`: it is {id}, which was rolled back");
            let hint = format!("if you mean it, name it: catalogue releases activate {id}");
            Err(Hinted::new(error, hint, ExitStatus::Refused).into())
        }
    }
}

/// Goes back to the latest intact release of those that were active before.
pub(super) fn rollback(
    releases: &dyn Releases,
    as_json: bool,
    context: &mut Context,
) -> anyhow::Result<ExitStatus> {
    let failed = "could not roll back";
    // If nothing was ever activated, there is no directory to lock either.
    let pointer = releases.pointer().context(failed)?;
    if pointer.is_none() {
        bail!("{failed}: no release is active");
    }
    let lock = releases.lock().context(failed)?;
    let attempt = release_log::attempt(Command::Rollback, context);
    let rolled_back = releases.roll_back(&attempt, &lock);
    let rolled_back = rolled_back.map_err(|error| overtaken(error, failed))?;
    let rolled_back = rolled_back.with_context(|| format!("{failed}: no release is active"))?;
    let Some(active) = &rolled_back.to else {
        if rolled_back.passed_over.is_empty() {
            return Err(nothing_before(&rolled_back.from));
        }
        report_passed_over(&rolled_back.passed_over, context);
        bail!("{failed}: no release that was active before is whole");
    };
    let change = Change {
        before: Some(&rolled_back.from),
        active,
        passed_over: rolled_back.passed_over,
        is_mended: false,
        is_rollback: true,
    };
    Ok(report(releases, change, as_json, context))
}

/// The error that there is no earlier release to go back to.
fn nothing_before(active: &ReleaseId) -> anyhow::Error {
    let error = anyhow!("could not roll back: no release was active before {active}");
    let hint = "name the release to serve: catalogue releases activate ID";
    Hinted::new(error, hint, ExitStatus::Failure).into()
}

/// Adds a hint if another operator was faster, which is not a failure.
pub(in crate::commands) fn overtaken(error: ReleaseError, failed: &'static str) -> anyhow::Error {
    match error.hint() {
        Some(hint) if matches!(error, ReleaseError::Overtaken { .. }) => {
            Hinted::new(error.into(), hint, ExitStatus::Refused).into()
        }
        _ => anyhow::Error::new(error).context(failed),
    }
}

/// Shows what is served from now on. The change stands even if it cannot be shown.
fn report(
    releases: &dyn Releases,
    change: Change<'_>,
    as_json: bool,
    context: &mut Context,
) -> ExitStatus {
    let active = change.active.clone();
    if change.is_mended {
        show::aside(FIXED, context);
    }
    report_passed_over(&change.passed_over, context);
    let shown = if as_json {
        show::json(&document(change), context)
    } else {
        show::report(&shown(releases, &change), context)
    };
    if let Err(error) = OutputClosed::ignore_closed(shown) {
        show::aside(
            format!("warning: release {active} is active, but that could not be shown: {error:#}"),
            context,
        );
    }
    ExitStatus::Done
}

fn document(change: Change<'_>) -> ActiveDocument<'_> {
    let passed_over = change.passed_over.into_iter().map(|passed| {
        let damage = Some(damage(passed.damage));
        VerifiedDocument {
            id: passed.id,
            damage,
        }
    });
    ActiveDocument {
        active: change.active,
        passed_over: passed_over.collect(),
    }
}

fn report_passed_over(passed_over: &[PassedOver], context: &mut Context) {
    for PassedOver { id, damage } in passed_over {
        let warning = match damage {
            ReleaseError::Unknown { .. } => format!("warning: passed over {id}: it is gone"),
            _ => format!("warning: passed over {id}: {damage}"),
        };
        show::aside(warning, context);
    }
}

/// What is active and, if the releases can be compared, what that changes.
fn shown(releases: &dyn Releases, change: &Change<'_>) -> Report<'static> {
    let (active, within) = (change.active, releases.followed_within());
    let mut report = Report::of(format!("Release {active} is active;"));
    report.line(format!("running servers follow {within}."));
    if let Some(before) = change.before.filter(|before| *before != active)
        && let Ok(old) = releases.open_here(before)
        && let Ok(new) = releases.open_here(active)
        // The previous release may be damaged, which may be why another one is active now.
        && let Ok(diff) = ReleaseDiff::between(&old, &new, 0)
    {
        for line in sentences::counts_of_all(&diff) {
            report.line(format!("  {line}"));
        }
    }
    if let Some(before) = change.before.filter(|_| change.is_rollback) {
        add_ways(&mut report, releases, before);
    }
    report
}

/// Adds the commands after a rollback: further back, or forward again, to releases that are there.
fn add_ways(report: &mut Report<'_>, releases: &dyn Releases, before: &ReleaseId) {
    let is_there = |id: &ReleaseId| releases.check_sizes(id).is_ok();
    if let Ok(Some(pointer)) = releases.pointer() {
        report.line(match &pointer.previous[..] {
            [] => "No release was active before it.",
            before if before.iter().any(is_there) => "Another rollback goes further back.",
            [..] => "Those that were active before it are gone.",
        });
    }
    if is_there(before) {
        report.verbatim(format!(
            "Go forward again: catalogue releases activate {before}"
        ));
    }
}
