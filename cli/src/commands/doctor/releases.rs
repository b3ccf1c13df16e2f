//! Releases: which one is active, whether they are whole, and what need not be there.

use shared::release::{ReleaseError, ReleaseId, Releases};

use super::check::Check;
use crate::commands::export_args::counted;
use crate::terminal::file_size::file_size;

/// Most bytes of releases that are not active that are read through.
const OTHERS_BYTES_MAX: u64 = 4_000_000_000;

const POINTER: &str = "pointer";
const ACTIVE: &str = "active release";
const OTHERS: &str = "other releases";
const LEFTOVERS: &str = "leftovers";
const SIZE: &str = "size";

/// What was found, and what other checks want to know.
pub(super) struct Looked {
    pub(super) checks: Vec<Check>,
    /// Size of the active release.
    pub(super) active_bytes: u64,
    /// When the latest release was published, Unix seconds.
    pub(super) latest: Option<i64>,
}

/// Looks at all releases.
pub(super) fn check(releases: &dyn Releases, now: i64) -> Looked {
    let mut looked = Looked {
        checks: Vec::new(),
        active_bytes: 0,
        latest: None,
    };
    let ids = match releases.list() {
        Ok(ids) => ids,
        Err(error) => {
            looked.checks.push(Check::failed(OTHERS, error));
            Vec::new()
        }
    };
    looked.latest = ids.iter().map(ReleaseId::unix_seconds).max();
    let active = match releases.current() {
        Ok(active) => {
            looked.checks.push(pointer(active.as_ref(), &ids));
            active
        }
        Err(error) => {
            looked.checks.push(unreadable_pointer(error, &ids));
            None
        }
    };
    if let Some(active) = &active {
        looked.active_bytes = releases.size(active).unwrap_or(0);
        let has_others = ids.iter().any(|id| id != active);
        let checked = whole(active, looked.active_bytes, has_others, releases);
        looked.checks.push(checked);
    }
    // A command that changes releases may be removing what is looked at.
    match releases.is_busy() {
        Ok(true) => {
            let said = "not looked at: an import, activation or prune is running";
            looked.checks.push(Check::ok(OTHERS, said));
        }
        Ok(false) => {
            let others: Vec<_> = ids
                .iter()
                .filter(|id| Some(*id) != active.as_ref())
                .collect();
            looked.checks.push(whole_others(&others, releases));
            looked.checks.extend(unneeded(releases, now));
        }
        Err(error) => looked.checks.push(Check::failed(OTHERS, error)),
    }
    looked
}

fn pointer(active: Option<&ReleaseId>, ids: &[ReleaseId]) -> Check {
    match (active, ids.first()) {
        (Some(active), _) => Check::ok(POINTER, format!("{active} is active")),
        (None, Some(newest)) => Check::problem(POINTER, "no release is active, so none is served")
            .run(format!("catalogue releases activate {newest}")),
        (None, None) => Check::problem(POINTER, "there is no release, so nothing can be served")
            .run("catalogue import EXPORT"),
    }
}

fn unreadable_pointer(error: ReleaseError, ids: &[ReleaseId]) -> Check {
    let is_damaged = matches!(error, ReleaseError::DamagedPointer { .. });
    let check = Check::failed(POINTER, error);
    match ids.first() {
        Some(newest) if is_damaged => check.run(format!("catalogue releases activate {newest}")),
        _ => check,
    }
}

/// Every file of the active release, as a server verifies them when it opens it.
fn whole(id: &ReleaseId, bytes: u64, has_others: bool, releases: &dyn Releases) -> Check {
    match releases.verify(id) {
        Ok(()) => Check::ok(
            ACTIVE,
            format!("every file of it is whole, {}", file_size(bytes)),
        ),
        Err(error) if error.is_damage() => Check::failed(ACTIVE, error).run(if has_others {
            "catalogue releases rollback"
        } else {
            "catalogue import EXPORT"
        }),
        Err(error) => Check::failed(ACTIVE, error),
    }
}

/// A rollback goes to one of these, so each of them is worth knowing about.
fn whole_others(ids: &[&ReleaseId], releases: &dyn Releases) -> Check {
    let (mut left, mut unread, mut damaged) = (OTHERS_BYTES_MAX, 0, Vec::new());
    for id in ids {
        let bytes = releases.size(id).unwrap_or(0);
        let is_read = bytes <= left;
        let looked = if is_read {
            releases.verify(id)
        } else {
            releases.check_sizes(id)
        };
        if is_read {
            left -= bytes;
        } else {
            unread += 1;
        }
        match looked {
            // An unknown one was pruned since.
            Ok(()) | Err(ReleaseError::Unknown { .. }) => {}
            Err(error) => damaged.push((*id, error)),
        }
    }
    let count = ids.len() as u64;
    if let Some((first, error)) = damaged.into_iter().next_back() {
        let error = anyhow::Error::new(error);
        let said = format!("a release that is not active is not whole: {first}: {error:#}");
        return Check::warning(OTHERS, said).run("catalogue releases verify");
    }
    let unread = match unread {
        0 => String::new(),
        unread => format!(", {unread} of them by the sizes of their files only"),
    };
    match count {
        0 => Check::ok(OTHERS, "there are none, so nothing to roll back to"),
        _ => Check::ok(
            OTHERS,
            format!("{count} looked at, all of them whole{unread}"),
        ),
    }
}

/// What killed commands left, and how much of all would be freed.
fn unneeded(releases: &dyn Releases, now: i64) -> Vec<Check> {
    let pruned = match releases.prune_dry_run(now) {
        Ok(pruned) => pruned,
        Err(error) => return vec![Check::failed(LEFTOVERS, error)],
    };
    let prune = "catalogue releases prune";
    let left: u64 = pruned.leftovers.iter().map(|leftover| leftover.bytes).sum();
    let leftovers = match pruned.leftovers.len() as u64 {
        0 => Check::ok(LEFTOVERS, "no killed command left anything behind"),
        count => {
            let (count, left) = (counted(count, "leftover"), file_size(left));
            Check::warning(LEFTOVERS, format!("{count} of killed commands, {left}")).run(prune)
        }
    };
    let all: u64 = pruned.releases.iter().map(|release| release.bytes).sum();
    let (count, all) = (
        counted(pruned.releases.len() as u64, "release"),
        file_size(all),
    );
    let shown = releases.location();
    let taken = match pruned.freed_bytes() {
        0 => Check::ok(
            SIZE,
            format!("{count} of {all} in {shown}; none could be pruned"),
        ),
        freed => {
            let freed = file_size(freed);
            Check::ok(
                SIZE,
                format!("{count} of {all}; pruning would free {freed}"),
            )
            .run(prune)
        }
    };
    let failures = pruned.failures.into_iter();
    let failures = failures.map(|error| Check::failed(LEFTOVERS, error));
    failures.chain([leftovers, taken]).collect()
}
