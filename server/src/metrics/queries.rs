//! List queries: how long they take, and those refused before they started or finished.

use std::collections::BTreeMap;
use std::time::Duration;

use parking_lot::Mutex;

use super::durations::Durations;
use super::families::Families;
use crate::catalogue::QueueError;

/// Upper bounds of query times in seconds: from a prepared query of few rows to the longest wait
/// for a turn and the longest work together.
const QUERY_TIMES: [f64; 11] = [
    0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.05, 0.25, 0.5, 1.0, 3.5,
];

/// The queue that lists wait in.
const LISTS: &str = "list query";
/// Why a queue refuses a request, beside [`IDENTICAL`].
const REASONS: [&str; 4] = ["full", "no_turn", "took_too_long", "stopping"];
/// A request waited in vain for another's identical one.
const IDENTICAL: &str = "identical_took_too_long";

/// Counters of queries.
pub(crate) struct Queries {
    durations: Durations,
    /// By queue and reason; those that alerts look at are there from the start. No request waits
    /// for this lock: refusals are rare, and already answered.
    refusals: Mutex<BTreeMap<(&'static str, &'static str), u64>>,
}

impl Queries {
    pub(crate) fn new() -> Self {
        let queues = [LISTS, "read of a body"].into_iter();
        let refusals = queues.flat_map(|queue| REASONS.map(|reason| (queue, reason)));
        let refusals = refusals.chain([(LISTS, IDENTICAL)]);
        Self {
            durations: Durations::new(&QUERY_TIMES),
            refusals: Mutex::new(refusals.map(|labels| (labels, 0)).collect()),
        }
    }

    /// A query ran for that long.
    pub(crate) fn took(&self, duration: Duration) {
        self.durations.observe(duration);
    }

    /// A queue refused a request.
    pub(crate) fn refuse(&self, refused: &QueueError) {
        let [full, no_turn, took_too_long, stopping] = REASONS;
        let (queue, reason) = match refused {
            QueueError::Full { what, .. } => (what, full),
            QueueError::WaitedTooLong { what, .. } => (what, no_turn),
            QueueError::TookTooLong { what, .. } => (what, took_too_long),
            QueueError::Stopping { what } => (what, stopping),
        };
        *self.refusals.lock().entry((queue, reason)).or_default() += 1;
    }

    /// A request waited in vain for another's identical one.
    pub(crate) fn refuse_identical(&self) {
        *self.refusals.lock().entry((LISTS, IDENTICAL)).or_default() += 1;
    }

    pub(crate) fn collect(&self, families: &mut Families) {
        families.histograms(
            "catalogue_list_query_duration_seconds",
            "From when a list that is not remembered was asked for to its body, waiting for a \
             turn included.",
            [([], Durations::sum(&QUERY_TIMES, [&self.durations]))],
        );
        let refusals = self.refusals.lock().clone().into_iter();
        let refusals: Vec<_> = refusals
            .map(|((queue, reason), count)| (queue.replace(' ', "_"), reason, count))
            .collect();
        families.counters(
            "catalogue_queue_refusals_total",
            "Requests that a queue refused, by what they wanted and why they did not get it.",
            refusals
                .iter()
                .map(|(queue, reason, count)| ([("queue", &**queue), ("reason", *reason)], *count)),
        );
    }
}
