//! A server's own counters and measurements, as Prometheus metric families.
//!
//! A request finds its counters in arrays, by the number of its route and outcome, and adds to
//! atomics of its thread: no allocation, no lock. Labels and states are read at a scrape.
//!
//! Labels are our own words, names of subscriptions and ids of releases: never a path, a query or a
//! key.

mod connections;
mod durations;
mod families;
mod imports;
pub(crate) mod process;
mod queries;
mod releases;
mod requests;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

pub(crate) use connections::Connections;
pub(crate) use durations::Durations;
pub(crate) use families::{Families, MEDIA_TYPE};
use imports::Imports;
pub(crate) use queries::Queries;
use releases::Releases;
pub(crate) use requests::{Outcome, Requests};

/// The counters of an app.
pub(crate) struct Metrics {
    pub(crate) requests: Requests,
    pub(crate) connections: Arc<Connections>,
    pub(crate) queries: Queries,
    pub(crate) releases: Releases,
    /// Read from the log of releases; a scrape knows what is served.
    pub(crate) imports: Imports,
    /// Counted where the log is written.
    pub(crate) log_lines_dropped: Arc<AtomicU64>,
}

impl Metrics {
    /// Nothing counted yet.
    pub(crate) fn new() -> Self {
        Self {
            requests: Requests::of_contract(),
            connections: Arc::default(),
            queries: Queries::new(),
            releases: Releases::default(),
            imports: Imports::default(),
            log_lines_dropped: Arc::default(),
        }
    }

    /// Adds all of them.
    pub(crate) fn collect(&self, families: &mut Families) {
        self.requests.collect(families);
        self.connections.collect(&self.requests, families);
        self.queries.collect(families);
        self.releases.collect(families);
        families.counter(
            "catalogue_log_lines_dropped_total",
            "Lines of the log that were not written: nobody read them in time, or the disk was full.",
            self.log_lines_dropped.load(Ordering::Relaxed),
        );
    }
}
