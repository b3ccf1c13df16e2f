//! Checks releases: which one is active, whether they are intact, and which files are not needed.

use anyhow::Result;
use shared::release::log::LogQuery;
use shared::release::{ReleaseError, ReleaseId};

use super::inputs::Inputs;
use super::observation::Observation;
use crate::commands::release_log;
use crate::terminal::counted;
use crate::terminal::relative_time::exact;
use crate::terminal::size::file_size;

/// Most bytes that are read of releases other than the active one.
const OTHERS_BYTES_MAX: u64 = 4_000_000_000;

/// Whether releases could be listed; reports nothing if so.
pub(super) fn listed(inputs: &Inputs<'_>) -> Result<Vec<Observation>> {
    let failure = inputs.listed.as_ref().err();
    let failure = failure.map(|error| Observation::failed(error));
    Ok(failure.into_iter().collect())
}

/// Whether a release is active.
pub(super) fn pointer(inputs: &Inputs<'_>) -> Result<Vec<Observation>> {
    let newest = inputs.ids().first();
    let activate = newest.map(|newest| format!("catalogue releases activate {newest}"));
    Ok(vec![match (&inputs.active, activate) {
        (Ok(Some(active)), _) => Observation::ok(format!("{active} is active")),
        (Ok(None), Some(activate)) => {
            Observation::problem("no release is active, so none is served").run(activate)
        }
        (Ok(None), None) => Observation::problem("there is no release, so nothing can be served")
            .run("catalogue import EXPORT"),
        (Err(error @ ReleaseError::DamagedPointer { .. }), Some(activate)) => {
            Observation::failed(error).run(activate)
        }
        (Err(error), _) => Observation::failed(error),
    }])
}

/// Verifies every file of the active release, as a server does when it opens it.
pub(super) fn active(inputs: &Inputs<'_>) -> Result<Vec<Observation>> {
    let Ok(Some(active)) = &inputs.active else {
        return Ok(Vec::new());
    };
    let pointer = inputs.releases.pointer().ok().flatten();
    let before = pointer.map_or_else(Vec::new, |pointer| pointer.previous);
    let rollback_or_import = if before.iter().any(|id| inputs.ids().contains(id)) {
        "catalogue releases rollback"
    } else {
        "catalogue import EXPORT"
    };
    let size = file_size(inputs.active_bytes);
    Ok(vec![match inputs.releases.verify(active) {
        Ok(()) => Observation::ok(format!("every file of it is whole, {size}")),
        Err(error) if error.is_damage() => Observation::failed(&error).run(rollback_or_import),
        Err(error) => Observation::failed(&error),
    }])
}

/// Verifies the other releases, since a rollback activates one of them.
pub(super) fn others(inputs: &Inputs<'_>) -> Result<Vec<Observation>> {
    // A command that changes releases may be removing one of these.
    match &inputs.is_busy {
        Ok(false) => {}
        Ok(true) => {
            let message = "not looked at: an import, activation or prune is running";
            return Ok(vec![Observation::ok(message)]);
        }
        Err(error) => return Ok(vec![Observation::failed(error)]),
    }
    if inputs.listed.is_err() {
        return Ok(Vec::new());
    }
    let active = inputs.active.as_ref().ok().and_then(Option::as_ref);
    let ids = inputs.ids().iter().filter(|id| Some(*id) != active);
    let ids: Vec<&ReleaseId> = ids.collect();
    let (mut bytes_left, mut unread, mut oldest_damaged) = (OTHERS_BYTES_MAX, 0, None);
    for id in &ids {
        let bytes = inputs.releases.size(id).unwrap_or(0);
        let verified = if bytes <= bytes_left {
            bytes_left -= bytes;
            inputs.releases.verify(id)
        } else {
            unread += 1;
            inputs.releases.check_sizes(id)
        };
        match verified {
            // An unknown release was pruned meanwhile.
            Ok(()) | Err(ReleaseError::Unknown { .. }) => {}
            Err(error) => oldest_damaged = Some((id, anyhow::Error::new(error))),
        }
    }
    if let Some((id, error)) = oldest_damaged {
        let message = format!("a release that is not active is not whole: {id}: {error:#}");
        return Ok(vec![
            Observation::warning(message).run("catalogue releases verify"),
        ]);
    }
    let unread = match unread {
        0 => String::new(),
        unread => format!(", {unread} of them by the sizes of their files only"),
    };
    Ok(vec![Observation::ok(match ids.len() {
        0 => "there are none, so nothing to roll back to".to_owned(),
        count => format!("{count} looked at, all of them whole{unread}"),
    })])
}

/// Whether the log can be read, and has the active release.
pub(super) fn log(inputs: &Inputs<'_>) -> Result<Vec<Observation>> {
    let part = inputs.releases.read_log(LogQuery {
        last: 1,
        is_wanted: &|_any| true,
    })?;
    let unreadable = part.unreadable_last.iter();
    let unreadable =
        unreadable.map(|line| Observation::warning(line.clone()).run("catalogue releases log"));
    let active = inputs.active.as_ref().ok().and_then(Option::as_ref);
    let gap = active.and_then(|active| release_log::gap(&part, active));
    let gap = gap.map(|gap| Observation::warning(gap).run("catalogue releases log"));
    let found: Vec<_> = unreadable.chain(gap).collect();
    if !found.is_empty() {
        return Ok(found);
    }
    let latest = part.entries.back().map(|logged| logged.entry.attempt.at);
    Ok(vec![Observation::ok(match latest {
        None => "it has no entry yet".to_owned(),
        Some(at) => format!("every entry is whole, the last of {}", exact(at)),
    })])
}

/// Files that killed commands left behind.
pub(super) fn leftovers(inputs: &Inputs<'_>) -> Result<Vec<Observation>> {
    let unneeded = match &inputs.unneeded {
        None => return Ok(Vec::new()),
        Some(Err(error)) => return Ok(vec![Observation::failed(error)]),
        Some(Ok(unneeded)) => unneeded,
    };
    let bytes = unneeded.leftovers.iter().map(|leftover| leftover.bytes);
    let size = file_size(bytes.sum());
    let left = match unneeded.leftovers.len() as u64 {
        0 => Observation::ok("no killed command left anything behind"),
        count => {
            let count = counted(count, "leftover");
            Observation::warning(format!("{count} of killed commands, {size}"))
                .run("catalogue releases prune")
        }
    };
    let failures = unneeded.failures.iter();
    let failures = failures.map(|error| Observation::failed(error));
    Ok(failures.chain([left]).collect())
}

/// How much releases take, and how much of it a prune would free.
pub(super) fn size(inputs: &Inputs<'_>) -> Result<Vec<Observation>> {
    let Some(Ok(unneeded)) = &inputs.unneeded else {
        return Ok(Vec::new());
    };
    let count = counted(unneeded.releases.len() as u64, "release");
    let bytes = unneeded.releases.iter().map(|release| release.bytes);
    let (size, location) = (file_size(bytes.sum()), inputs.releases.location());
    Ok(vec![match unneeded.freed_bytes() {
        0 => Observation::ok(format!(
            "{count} of {size} in {location}; none could be pruned"
        )),
        freed => {
            let freed = file_size(freed);
            Observation::ok(format!("{count} of {size}; pruning would free {freed}"))
                .run("catalogue releases prune")
        }
    }])
}
