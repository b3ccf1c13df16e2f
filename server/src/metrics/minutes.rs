//! Minute limits: how long counting a request takes if several servers share a store.

use std::time::Duration;

use super::durations::Durations;
use super::families::Families;

/// Upper bounds of round trips in seconds: from one within a machine to the longest wait.
const ROUND_TRIPS: [f64; 9] = [
    0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.01, 0.05, 0.1, 0.25,
];

/// How long calls to a store of minute limits take.
pub(crate) struct RoundTrips {
    durations: Durations,
}

impl RoundTrips {
    pub(crate) fn new() -> Self {
        Self {
            durations: Durations::new(&ROUND_TRIPS),
        }
    }

    /// A request waited that long, counted or not.
    pub(crate) fn took(&self, duration: Duration) {
        self.durations.observe(duration);
    }

    /// Adds them to a scrape; nothing if windows are in memory.
    pub(crate) fn collect(round_trips: Option<&Self>, families: &mut Families) {
        let durations = round_trips.into_iter().map(|one| &one.durations);
        families.histograms(
            "catalogue_minute_limit_duration_seconds",
            "How long requests waited to be counted in minute windows that servers share, in vain or \
             not; none where windows are in memory.",
            [(None, Durations::metric(&ROUND_TRIPS, durations))],
        );
    }
}
