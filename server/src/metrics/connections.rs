//! Connections of the public address, open and refused.

use prometheus::{IntCounter, IntGauge};

use super::families::{Families, float};
use super::{Metrics, ours};

/// Counters of connections.
#[derive(Debug)]
pub(crate) struct Connections {
    open: IntGauge,
    max: IntGauge,
    refused_of_total: IntCounter,
    refused_of_address: IntCounter,
}

impl Connections {
    pub(crate) fn new() -> Self {
        let counter = || ours(IntCounter::new("refused", "shown with the other limits"));
        Self {
            open: ours(IntGauge::new("open", "shown by what they do")),
            max: ours(IntGauge::new(
                "catalogue_connections_max",
                "Most connections at a time; one more is refused.",
            )),
            refused_of_total: counter(),
            refused_of_address: counter(),
        }
    }

    /// Sets the most at a time.
    pub(crate) fn allow(&self, max: usize) {
        self.max.set(i64::try_from(max).unwrap_or(i64::MAX));
    }

    /// One was accepted.
    pub(crate) fn open(&self) {
        self.open.inc();
    }

    /// One that was accepted has ended.
    pub(crate) fn close(&self) {
        self.open.dec();
    }

    /// One was refused because the total is at its limit.
    pub(crate) fn refuse_of_total(&self) {
        self.refused_of_total.inc();
    }

    /// One was refused because its address is at its limit.
    pub(crate) fn refuse_of_address(&self) {
        self.refused_of_address.inc();
    }

    pub(crate) fn collect(&self, metrics: &Metrics, families: &mut Families) {
        families.add(&self.max);
        let open = u64::try_from(self.open.get()).unwrap_or(0);
        let answering = metrics.requests.under_way().min(open);
        families.gauges(
            "catalogue_connections",
            "Open connections: those whose request is being answered, and those that wait for one.",
            "state",
            [
                ("answering", float(answering)),
                ("waiting", float(open - answering)),
            ],
        );
        families.counters(
            "catalogue_limit_refusals_total",
            "Requests and connections that were refused, by the limit that they met.",
            &["limit"],
            [
                (["minute"], metrics.requests.with_code("RATE_LIMITED")),
                (["quota"], metrics.requests.with_code("QUOTA_EXCEEDED")),
                (["connections"], self.refused_of_total.get()),
                (["connections_of_address"], self.refused_of_address.get()),
            ],
        );
    }
}
