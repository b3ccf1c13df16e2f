//! How commands use the log of releases: what they enter, and whether entries are missing.

use shared::release::log::{Attempt, Command, Entry, LogPart, LogQuery, Outcome};
use shared::release::{ReleaseError, ReleaseId, Releases};

use crate::process::context::Context;
use crate::terminal::counted;

/// Most refused imports that are shown.
const REFUSED_MAX: usize = 5;

/// A command that is about to change releases.
pub(super) fn attempt(command: Command, context: &Context) -> Attempt {
    let operator = context.operator.clone();
    Attempt::new(command, operator, context.clock.now().unix_seconds())
}

/// Why a release that could be served is not served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NotServed {
    /// The guards refused it when it was imported.
    Refused,
    /// A rollback replaced it.
    RolledBack,
}

/// Why a release is not served, if the log says so: the last entry about it counts.
pub(super) fn not_served(
    releases: &dyn Releases,
    id: &ReleaseId,
) -> Result<Option<NotServed>, ReleaseError> {
    let verdict = |entry: &Entry| match &entry.outcome {
        Outcome::Refused { release } if release == id => Some(Some(NotServed::Refused)),
        Outcome::Activated { release, .. } if release == id => Some(None),
        Outcome::Activated { before, .. } if before.as_ref() == Some(id) => {
            let is_rollback = entry.attempt.command == Command::Rollback;
            is_rollback.then_some(Some(NotServed::RolledBack))
        }
        _ => None,
    };
    let part = releases.read_log(LogQuery {
        last: 1,
        is_wanted: &|entry| verdict(entry).is_some(),
    })?;
    let last = part.entries.back();
    Ok(last.and_then(|logged| verdict(&logged.entry)).flatten())
}

/// The imports that were refused and still matter, the latest first, at most [`REFUSED_MAX`].
pub(super) fn refused(releases: &dyn Releases) -> Result<Vec<Entry>, ReleaseError> {
    let mut refused = Vec::new();
    releases.latest_entry(&mut |entry| {
        if entry.settles_refusals() {
            return true;
        }
        if entry.is_import() {
            refused.push(entry.clone());
        }
        refused.len() == REFUSED_MAX
    })?;
    Ok(refused)
}

/// Why an import was refused, in a few words.
pub(super) fn why_refused(entry: &Entry) -> String {
    match &entry.outcome {
        Outcome::Invalid { errors } => counted(*errors, "error"),
        Outcome::Overtaken { .. } => "what is active had changed".to_owned(),
        _ => {
            let objections = entry.attempt.objections.iter();
            let mut refused = objections.filter(|one| !one.is_allowed);
            // What follows the colon are names.
            let first = refused
                .next()
                .and_then(|one| one.message.split(": ").next());
            let first = first.unwrap_or("the guards refused it");
            match refused.count() {
                0 => first.to_owned(),
                more => format!("{first}, and {more} more"),
            }
        }
    }
}

/// The warning that the active release is not the last one that the log says was activated.
pub(super) fn gap(part: &LogPart, active: &ReleaseId) -> Option<String> {
    let activated = part.activated.as_ref()?;
    (activated != active).then(|| {
        format!(
            "release {active} is active, and the last activation in the log is that of \
             {activated}: the command was killed, or another version of it keeps no log"
        )
    })
}
