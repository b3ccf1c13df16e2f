//! How commands use the log of releases: what they enter, and whether entries are missing.

use shared::release::log::{Attempt, Command, Entry, LogPart, LogQuery, Outcome};
use shared::release::{ReleaseError, ReleaseId, Releases};

use crate::process::context::Context;

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
