//! What a server counts and measures of itself, and how Prometheus reads it.
//!
//! A request finds its counters in arrays, by the number of its route and of its outcome, and adds
//! to atomics of its thread: it allocates nothing and takes no lock. Labels, and all that is a
//! state, come in when somebody asks.
//!
//! Labels are words of ours, names of subscriptions and ids of releases: never a path, a query or
//! a key. Nothing outside of this module names the library.

mod connections;
mod durations;
mod families;
mod minutes;
mod queries;
mod quotas;
mod releases;
mod requests;
mod state;

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use prometheus::{Result, TEXT_FORMAT, TextEncoder};

pub(crate) use connections::Connections;
use families::Families;
pub(crate) use minutes::RoundTrips;
pub(crate) use queries::Queries;
use releases::Releases;
pub(crate) use requests::{Outcome, Requests};

use crate::app::App;

/// The media type of [`text`].
pub(crate) const MEDIA_TYPE: &str = TEXT_FORMAT;

/// What is counted while an app is in use.
pub(crate) struct Metrics {
    pub(crate) requests: Requests,
    pub(crate) connections: Arc<Connections>,
    pub(crate) queries: Queries,
    pub(crate) releases: Releases,
    /// Counted by whoever writes the log.
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

/// Every metric of an app and of this process, in the text format of Prometheus, by name.
pub(crate) async fn text(app: &App) -> String {
    let now = app.clock.now();
    let mut families = Families::default();
    app.metrics.requests.tell(&mut families);
    app.metrics.connections.tell(&app.metrics, &mut families);
    app.metrics.queries.tell(&mut families);
    minutes::tell(app, &mut families);
    app.metrics.releases.tell(app, &mut families);
    state::tell(app, now, &mut families);
    quotas::tell(app, now, &mut families).await;
    families.add_process();
    ours(TextEncoder::new().encode_to_string(&families.by_name()))
}

/// Names, labels and texts of our own are as the library wants them.
fn ours<T>(made: Result<T>) -> T {
    made.unwrap_or_else(|why| unreachable!("a metric of ours is not well-formed: {why}"))
}
