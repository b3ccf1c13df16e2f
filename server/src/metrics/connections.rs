//! Connections of the public address, open and refused.

use std::sync::atomic::{AtomicU64, Ordering};

use super::families::Families;
use super::requests::Requests;

/// Counters of connections.
#[derive(Debug, Default)]
pub(crate) struct Connections {
    open: AtomicU64,
    max: AtomicU64,
    refused_of_total: AtomicU64,
    refused_of_address: AtomicU64,
}

impl Connections {
    /// Sets the most at a time.
    pub(crate) fn allow(&self, max: usize) {
        self.max.store(max as u64, Ordering::Relaxed);
    }

    /// One was accepted.
    pub(crate) fn open(&self) {
        self.open.fetch_add(1, Ordering::Relaxed);
    }

    /// One that was accepted has ended.
    pub(crate) fn close(&self) {
        self.open.fetch_sub(1, Ordering::Relaxed);
    }

    /// One was refused because the total is at its limit.
    pub(crate) fn refuse_of_total(&self) {
        self.refused_of_total.fetch_add(1, Ordering::Relaxed);
    }

    /// One was refused because its address is at its limit.
    pub(crate) fn refuse_of_address(&self) {
        self.refused_of_address.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn collect(&self, requests: &Requests, families: &mut Families) {
        let [open, max, of_total, of_address] = [
            &self.open,
            &self.max,
            &self.refused_of_total,
            &self.refused_of_address,
        ]
        .map(|count| count.load(Ordering::Relaxed));
        families.gauge(
            "catalogue_connections_max",
            "Most connections at a time; one more is refused.",
            max,
        );
        let answering = requests.under_way().min(open);
        families.gauges(
            "catalogue_connections",
            "Open connections: those whose request is being answered, and those that wait for one.",
            [("answering", answering), ("waiting", open - answering)]
                .map(|(state, count)| ([("state", state)], count)),
        );
        families.counters(
            "catalogue_limit_refusals_total",
            "Requests and connections that were refused, by the limit that they met.",
            [
                ("minute", requests.with_code("RATE_LIMITED")),
                ("quota", requests.with_code("QUOTA_EXCEEDED")),
                ("connections", of_total),
                ("connections_of_address", of_address),
            ]
            .map(|(limit, count)| ([("limit", limit)], count)),
        );
    }
}
