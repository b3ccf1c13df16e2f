//! List queries: how long they take, and those refused before they started or finished.

use std::time::Duration;

use prometheus::{IntCounterVec, Opts};

use super::durations::Durations;
use super::families::Families;
use super::ours;
use crate::catalogue::QueueError;

/// Upper bounds of query times in seconds: from a prepared query of few rows to the longest wait
/// for a turn and the longest work together.
const QUERY_TIMES: [f64; 11] = [
    0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.05, 0.25, 0.5, 1.0, 3.5,
];

/// Counters of queries.
pub(crate) struct Queries {
    durations: Durations,
    refusals: IntCounterVec,
}

impl Queries {
    pub(crate) fn new() -> Self {
        let refusals = Opts::new(
            "catalogue_queue_refusals_total",
            "Requests that a queue refused, by what they wanted and why they did not get it.",
        );
        let refusals = ours(IntCounterVec::new(refusals, &["queue", "reason"]));
        for queue in ["list_query", "read_of_a_body"] {
            for reason in ["full", "no_turn", "took_too_long", "stopping"] {
                refusals.with_label_values(&[queue, reason]);
            }
        }
        refusals.with_label_values(&["list_query", "identical_took_too_long"]);
        Self {
            durations: Durations::new(&QUERY_TIMES),
            refusals,
        }
    }

    /// A query ran for that long.
    pub(crate) fn took(&self, duration: Duration) {
        self.durations.observe(duration);
    }

    /// No request waits for these locks: refusals are rare, and already answered.
    pub(crate) fn refuse(&self, refused: &QueueError) {
        let (what, reason) = match refused {
            QueueError::Full { what, .. } => (what, "full"),
            QueueError::WaitedTooLong { what, .. } => (what, "no_turn"),
            QueueError::TookTooLong { what, .. } => (what, "took_too_long"),
            QueueError::Stopping { what } => (what, "stopping"),
        };
        let queue = what.replace(' ', "_");
        self.refusals.with_label_values(&[&*queue, reason]).inc();
    }

    /// A request waited in vain for another's identical one.
    pub(crate) fn refuse_identical(&self) {
        let labels = ["list_query", "identical_took_too_long"];
        self.refusals.with_label_values(&labels).inc();
    }

    pub(crate) fn collect(&self, families: &mut Families) {
        families.histograms(
            "catalogue_list_query_duration_seconds",
            "From when a list that is not remembered was asked for to its body, waiting for a \
             turn included.",
            [(
                None,
                Durations::metric(&QUERY_TIMES, [&self.durations].into_iter()),
            )],
        );
        families.add(&self.refusals);
    }
}
