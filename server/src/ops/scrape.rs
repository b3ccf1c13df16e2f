//! Every metric of an app and of this process, for Prometheus: counters, and states at the moment
//! of the scrape.
//!
//! Labels are words of ours, names of subscriptions and ids of releases: never a path, a query or
//! a key.

mod quotas;
mod state;

use crate::app::App;
use crate::metrics::{Families, RoundTrips};

/// Every metric of `app` and of this process, in the text format of Prometheus, by name.
pub(crate) async fn text(app: &App) -> String {
    let now = app.clock.now();
    let mut families = Families::default();
    app.metrics.requests.collect(&mut families);
    app.metrics.connections.collect(&app.metrics, &mut families);
    app.metrics.queries.collect(&mut families);
    app.metrics.releases.collect(&mut families);
    RoundTrips::collect(app.minutes.round_trips(), &mut families);
    state::collect(app, now, &mut families);
    quotas::collect(app, now, &mut families).await;
    families.add_process();
    families.text()
}
