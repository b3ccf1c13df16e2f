//! What the machine gives: disk, open files, the clock, DuckDB's library.

use std::path::Path;

use anyhow::Context as _;
use server::catalogue::duckdb_version;
use server::http::ConnectionLimits;

use super::check::Check;
use crate::process::machine::Machine;
use crate::terminal::file_size::file_size;
use crate::terminal::relative_time;

/// What should be left on the disk beside another release: usage and the audit log are written
/// all the time.
const FREE_BYTES_MIN: u64 = 100_000_000;
/// How far another clock may be ahead of this one.
const AHEAD_SECONDS_MAX: i64 = 60;

const DISK: &str = "disk";
const FILES: &str = "open files";
const DUCKDB: &str = "DuckDB";
const CLOCK: &str = "clock";

/// Whether another release like the active one has a place.
pub(super) fn disk(machine: Machine, data: &Path, release_bytes: u64) -> Check {
    let free = (machine.free_bytes)(data);
    match free.with_context(|| format!("could not measure {}", data.display())) {
        Ok(free) => judged(free, release_bytes),
        Err(error) => Check::failed(DISK, error),
    }
}

fn judged(free: u64, release_bytes: u64) -> Check {
    let (shown, release) = (file_size(free), file_size(release_bytes));
    let prune = "catalogue releases prune";
    if free < FREE_BYTES_MIN {
        let said = format!("{shown} are free: soon nothing can be imported, issued or counted");
        return Check::problem(DISK, said).run(prune);
    }
    if free < release_bytes.saturating_add(FREE_BYTES_MIN) {
        let said = format!("{shown} are free, too little for another release of {release}");
        return Check::warning(DISK, said).run(prune);
    }
    Check::ok(DISK, format!("{shown} are free"))
}

/// How many connections a server that is started from here may have.
pub(super) fn open_files(machine: Machine) -> Check {
    match (machine.open_files_max)() {
        Some(limit) => judged_files(limit),
        None => Check::warning(FILES, "their limit could not be read"),
    }
}

fn judged_files(limit: usize) -> Check {
    let all = ConnectionLimits::default().total;
    let possible = ConnectionLimits::within_open_files(limit).total;
    if possible < all {
        let said = format!(
            "a server that is started from here may have {possible} connections at a time instead \
             of {all}, because {limit} files may be open"
        );
        return Check::warning(FILES, said)
            .run("ulimit -Hn 16384, or LimitNOFILE=16384 in its unit");
    }
    Check::ok(FILES, format!("enough for {all} connections"))
}

/// Whether DuckDB's library works.
pub(super) fn duckdb() -> Check {
    match duckdb_version() {
        Ok(version) => Check::ok(DUCKDB, format!("{version} is linked")),
        Err(error) => Check::failed(DUCKDB, error),
    }
}

/// Whether anything was done in what is the future to the clock, or charged to a quota there:
/// `charged` is when the latest period began of which anything is.
pub(super) fn clock(latest: Option<i64>, charged: Option<i64>, now: i64) -> Check {
    let is_ahead = |at: &i64| now.saturating_add(AHEAD_SECONDS_MAX) < *at;
    match (latest.filter(is_ahead), charged.filter(is_ahead)) {
        (Some(latest), _) => {
            let (latest, shown) = (
                relative_time::relative(latest, now),
                relative_time::exact(now),
            );
            let said = format!(
                "it says {shown}, but something here is dated {latest}: it is wrong now, or was \
                 then"
            );
            Check::problem(CLOCK, said).run("timedatectl")
        }
        (None, Some(charged)) => {
            let (begins, shown) = (
                relative_time::relative(charged, now),
                relative_time::exact(now),
            );
            let said = format!(
                "it says {shown}, but requests were charged to a month that begins {begins}: it was \
                 ahead then, or is behind now; they count against that month's quota"
            );
            Check::warning(CLOCK, said).run("timedatectl")
        }
        (None, None) => Check::ok(CLOCK, "nothing here was done in its future"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::doctor::check::Outcome::{Ok, Problem, Warning};

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
            assert_eq!(judged(free, release).outcome, outcome, "{free}");
        }
        assert_eq!(judged(u64::MAX, u64::MAX).outcome, Ok);
    }

    #[test]
    fn few_open_files_are_a_warning_with_the_connections_that_are_left() {
        let few = judged_files(1024);
        assert_eq!(few.outcome, Warning);
        assert!(few.said.contains("768 connections"), "{}", few.said);
        assert_eq!(judged_files(1_048_576).outcome, Ok);
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
            assert_eq!(clock(latest, None, 1000).outcome, outcome, "{latest:?}");
        }
        for (charged, outcome) in [(1060, Ok), (1061, Warning)] {
            assert_eq!(clock(None, Some(charged), 1000).outcome, outcome);
        }
    }
}
