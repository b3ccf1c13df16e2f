//! A server's own counters and measurements, as Prometheus metric families.
//!
//! A request finds its counters in arrays, by the number of its route and outcome, and adds to
//! atomics of its thread: no allocation, no lock. Labels and states are read at a scrape.
//!
//! Labels are our own words, names of subscriptions and ids of releases: never a path, a query or a
//! key. Nothing outside this module names the library.

mod connections;
mod durations;
mod families;
mod minutes;
mod queries;
mod releases;
mod requests;

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use prometheus::{Result, TEXT_FORMAT};

pub(crate) use connections::Connections;
pub(crate) use families::{Families, float, seconds};
pub(crate) use minutes::RoundTrips;
pub(crate) use queries::Queries;
use releases::Releases;
pub(crate) use requests::{Outcome, Requests};

/// The media type of [`Families::text`].
pub(crate) const MEDIA_TYPE: &str = TEXT_FORMAT;

/// The counters of an app.
pub(crate) struct Metrics {
    pub(crate) requests: Requests,
    pub(crate) connections: Arc<Connections>,
    pub(crate) queries: Queries,
    pub(crate) releases: Releases,
    /// Counted where the log is written.
    pub(crate) log_lines_dropped: Arc<AtomicU64>,
}

impl Metrics {
    /// Nothing counted yet.
    pub(crate) fn new() -> Self {
        Self {
            requests: Requests::of_contract(),
            connections: Arc::new(Connections::new()),
            queries: Queries::new(),
            releases: Releases::default(),
            log_lines_dropped: Arc::default(),
        }
    }
}

/// Our own names, labels and texts are always valid for the library.
fn ours<T>(made: Result<T>) -> T {
    made.unwrap_or_else(|why| unreachable!("a metric of ours is not well-formed: {why}"))
}
