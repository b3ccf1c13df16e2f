//! Since when a release is served, and how often another one was opened or failed to open.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use super::families::Families;

/// Counters of releases.
#[derive(Default)]
pub(crate) struct Releases {
    switches: AtomicU64,
    failures: AtomicU64,
    /// Unix time in seconds.
    served_since: AtomicI64,
}

impl Releases {
    /// A release is served since that Unix time, in seconds.
    pub(crate) fn serve(&self, since: i64) {
        self.served_since.store(since, Ordering::Relaxed);
    }

    /// Another release replaced the one before.
    pub(crate) fn switch(&self) {
        self.switches.fetch_add(1, Ordering::Relaxed);
    }

    /// An activated release could not be opened, or the pointer could not be read.
    pub(crate) fn fail(&self) {
        self.failures.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn collect(&self, families: &mut Families) {
        families.gauge(
            "catalogue_release_opened_timestamp_seconds",
            "Since when the release is served, having been opened and verified, Unix time.",
            self.served_since.load(Ordering::Relaxed),
        );
        families.counter(
            "catalogue_release_switches_total",
            "Times that another release took the place of the one served before.",
            self.switches.load(Ordering::Relaxed),
        );
        families.counter(
            "catalogue_release_open_failures_total",
            "Attempts to follow the active release that failed; the one before is served on.",
            self.failures.load(Ordering::Relaxed),
        );
    }
}
