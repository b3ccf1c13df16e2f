//! Memory, processor time and files of this process, under the names that all clients of Prometheus
//! give them. Where the system has no `/proc`, none is shown.

use std::fs;

use super::families::Families;

/// Linux tells times in this unit on every machine that servers run on.
const TICKS_PER_SECOND: u64 = 100;

/// Adds them to a scrape.
pub(crate) fn collect(families: &mut Families) {
    let read = |name: &str| fs::read_to_string(format!("/proc/{name}")).unwrap_or_default();
    let (status, limits) = (read("self/status"), read("self/limits"));
    let times = Times::parse(&read("self/stat"));
    let booted = number_after("btime", &read("stat"));
    let started = times.as_ref().zip(booted);
    let files = fs::read_dir("/proc/self/fd").map(|files| files.count() as u64);
    let kilobytes = |name| number_after(name, &status).map(|kilobytes| 1024 * kilobytes);
    for (name, help, value) in [
        (
            "process_open_fds",
            "Number of open file descriptors.",
            files.ok(),
        ),
        (
            "process_max_fds",
            "Maximum number of open file descriptors.",
            number_after("Max open files", &limits),
        ),
        (
            "process_virtual_memory_bytes",
            "Virtual memory size in bytes.",
            kilobytes("VmSize:"),
        ),
        (
            "process_resident_memory_bytes",
            "Resident memory size in bytes.",
            kilobytes("VmRSS:"),
        ),
        (
            "process_start_time_seconds",
            "Start time of the process since unix epoch in seconds.",
            started.map(|(times, booted)| booted + times.started),
        ),
        (
            "process_threads",
            "Number of OS threads in the process.",
            number_after("Threads:", &status),
        ),
    ] {
        families.gauges(name, help, value.map(|value| ([], value)));
    }
    families.counters(
        "process_cpu_seconds_total",
        "Total user and system CPU time spent in seconds.",
        times.map(|times| ([], times.used)),
    );
}

/// What `/proc/self/stat` says, in seconds.
#[derive(Debug, PartialEq, Eq)]
struct Times {
    /// Processor time, of users and of the system.
    used: u64,
    /// From the boot of the machine to the start of the process.
    started: u64,
}

impl Times {
    fn parse(stat: &str) -> Option<Self> {
        // The name before the last bracket may hold anything. The state of the process is field 3.
        let (_name, fields) = stat.rsplit_once(") ")?;
        let ticks = |number: usize| fields.split(' ').nth(number - 3)?.parse::<u64>().ok();
        Some(Self {
            used: (ticks(14)? + ticks(15)?) / TICKS_PER_SECOND,
            started: ticks(22)? / TICKS_PER_SECOND,
        })
    }
}

/// The number that follows `name` at the beginning of a line.
fn number_after(name: &str, text: &str) -> Option<u64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
    rest.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_whatever_the_name_of_the_process() {
        let stat = "7 (a) b) S 1 7 7 0 -1 4194560 5 0 0 0 1234 567 0 0 20 0 9 0 4321 99 8";
        let times = Times {
            used: 18,
            started: 43,
        };
        assert_eq!(Times::parse(stat), Some(times));
        assert_eq!(Times::parse("7 (a) S 1"), None);
    }

    #[test]
    fn a_limit_that_is_no_number_is_not_shown() {
        let limits = "Max open files            unlimited            1048576              files";
        assert_eq!(number_after("Max open files", limits), None);
        assert_eq!(
            number_after("Threads:", "Name:\tx\nThreads:\t19\n"),
            Some(19)
        );
    }
}
