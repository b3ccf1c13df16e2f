//! What a server counts and measures of itself, in the families that Prometheus reads.
//!
//! A request finds its counters in arrays, by the number of its route and of its outcome, and adds
//! to atomics of its thread: it allocates nothing and takes no lock. Labels, and all that is a
//! state, are read at a scrape.
//!
//! Labels are words of ours, names of subscriptions and ids of releases: never a path, a query or
//! a key. Nothing outside of this module names the library.

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

/// What is counted while an app is in use.
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

/// Names, labels and texts of our own are as the library wants them.
fn ours<T>(made: Result<T>) -> T {
    made.unwrap_or_else(|why| unreachable!("a metric of ours is not well-formed: {why}"))
}
