//! Checks the machine: disk, open files, the clock, DuckDB's library.

use anyhow::Context as _;
use server::ConnectionLimits;
use server::catalogue::duckdb_version;
use shared::release::ReleaseId;
use shared::release::prune::Pruned;

use super::inputs::{Inputs, StoreContents};
use super::observation::{Observation, Outcome};
use crate::terminal::relative_time;
use crate::terminal::size::file_size;

/// Space that should remain on the disk beside another release, since usage and the audit log keep
/// growing.
const FREE_BYTES_MIN: u64 = 100_000_000;
/// How far another clock may be ahead of this one.
const AHEAD_SECONDS_MAX: i64 = 60;

/// Whether there is room for another release like the active one.
pub(super) fn disk(inputs: &Inputs<'_>) -> anyhow::Result<Vec<Observation>> {
    let path = inputs.data.path();
    let free = (inputs.machine.free_bytes)(path);
    let free = free.with_context(|| format!("could not measure {}", path.display()))?;
    let judged = judge_disk(free, inputs.active_bytes);
    if judged.outcome == Outcome::Ok {
        return Ok(vec![judged]);
    }
    let unneeded = inputs.unneeded.as_ref().and_then(|it| it.as_ref().ok());
    Ok(vec![match unneeded.map(Pruned::freed_bytes) {
        None => judged,
        Some(0) => {
            let message = format!("{}; no release can be pruned", judged.message);
            Observation { message, ..judged }
        }
        Some(_) => judged.run("catalogue releases prune"),
    }])
}

fn judge_disk(free: u64, release_bytes: u64) -> Observation {
    let (shown, release) = (file_size(free), file_size(release_bytes));
    if free < FREE_BYTES_MIN {
        let message = format!("{shown} are free: soon nothing can be imported, issued or counted");
        return Observation::problem(message);
    }
    if free < release_bytes.saturating_add(FREE_BYTES_MIN) {
        let message = format!("{shown} are free, too little for another release of {release}");
        return Observation::warning(message);
    }
    Observation::ok(format!("{shown} are free"))
}

/// How many connections a server started from here could have.
pub(super) fn open_files(inputs: &Inputs<'_>) -> anyhow::Result<Vec<Observation>> {
    Ok(vec![match (inputs.machine.open_files_max)() {
        Some(limit) => judge_files(limit),
        None => Observation::warning("their limit could not be read"),
    }])
}

fn judge_files(limit: usize) -> Observation {
    let all = ConnectionLimits::default().total;
    let possible = ConnectionLimits::within_open_files(limit).total;
    if possible < all {
        let message = format!(
            "a server that is started from here may have {possible} connections at a time instead \
             of {all}, because {limit} files may be open"
        );
        return Observation::warning(message)
            .run("ulimit -Hn 16384, or LimitNOFILE=16384 in its unit");
    }
    Observation::ok(format!("enough for {all} connections"))
}

/// Whether DuckDB's library works.
pub(super) fn duckdb(_inputs: &Inputs<'_>) -> anyhow::Result<Vec<Observation>> {
    let version = duckdb_version()?;
    Ok(vec![Observation::ok(format!("{version} is linked"))])
}

/// Whether anything was done, or charged to a quota, at a time that is still in the future by this
/// clock.
pub(super) fn clock(inputs: &Inputs<'_>) -> anyhow::Result<Vec<Observation>> {
    let keys = inputs.keys.as_ref().ok();
    let published = inputs.ids().iter().map(ReleaseId::unix_seconds).max();
    let latest = published.max(keys.and_then(StoreContents::latest));
    let charged = keys.and_then(|keys| keys.overview.latest_charged);
    Ok(vec![judge_clock(latest, charged, inputs.now)])
}

/// `charged` is the start of the latest period in which anything was charged.
fn judge_clock(latest: Option<i64>, charged: Option<i64>, now: i64) -> Observation {
    let is_ahead = |at: &i64| now.saturating_add(AHEAD_SECONDS_MAX) < *at;
    let shown = relative_time::exact(now);
    if let Some(latest) = latest.filter(is_ahead) {
        let latest = relative_time::relative(latest, now);
        let message = format!(
            "it says {shown}, but something here is dated {latest}: it is wrong now, or was then"
        );
        return Observation::problem(message).run("timedatectl");
    }
    if let Some(charged) = charged.filter(is_ahead) {
        let begins = relative_time::relative(charged, now);
        let message = format!(
            "it says {shown}, but requests were charged to a month that begins {begins}: it was \
             ahead then, or is behind now; they count against that month's quota"
        );
        return Observation::warning(message).run("timedatectl");
    }
    Observation::ok("nothing here was done in its future")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::doctor::observation::Outcome::{Ok, Problem, Warning};

    #[test]
    fn a_disk_must_have_a_place_for_another_release() {
        let release = 1_000_000_000;
        let table = [
            (FREE_BYTES_MIN - 1, Problem),
            (FREE_BYTES_MIN, Warning),
            (release + FREE_BYTES_MIN - 1, Warning),
            (release + FREE_BYTES_MIN, Ok),
        ];
        for (free, outcome) in table {
            assert_eq!(judge_disk(free, release).outcome, outcome, "{free}");
        }
        assert_eq!(judge_disk(u64::MAX, u64::MAX).outcome, Ok);
    }

    #[test]
    fn few_open_files_are_a_warning_with_the_connections_that_are_left() {
        let few = judge_files(1024);
        assert_eq!(few.outcome, Warning);
        assert!(few.message.contains("768 connections"), "{}", few.message);
        assert_eq!(judge_files(1_048_576).outcome, Ok);
    }

    #[test]
    fn a_clock_behind_what_was_done_is_wrong() {
        let table = [
            (None, Ok),
            (Some(1000), Ok),
            (Some(1060), Ok),
            (Some(1061), Problem),
        ];
        for (latest, outcome) in table {
            assert_eq!(
                judge_clock(latest, None, 1000).outcome,
                outcome,
                "{latest:?}"
            );
        }
        for (charged, outcome) in [(1060, Ok), (1061, Warning)] {
            assert_eq!(judge_clock(None, Some(charged), 1000).outcome, outcome);
        }
    }
}
