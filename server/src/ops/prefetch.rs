//! Maintaining the copies of releases on this machine: what may be activated next is fetched ahead,
//! the served release is marked as in use, and unneeded copies are removed.
//!
//! It has its own threads, so that a long fetch delays neither a poll of the pointer nor a mark,
//! which counts only for some minutes. Whatever fails is tried again; the current release is still
//! served.

use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use shared::base::error_chain::chain;
use shared::release::releases::Prefetched;
use shared::release::{ReleaseId, Releases};

use crate::app::App;
use crate::base::periodic_task::{PeriodicTask, repeat};

/// Pause between two times.
const INTERVAL: Duration = Duration::from_secs(3);

/// Starts to mark the served release and to fetch others ahead, at once and then every three
/// seconds.
pub fn prefetch(app: Arc<App>, releases: Arc<dyn Releases>) -> io::Result<[PeriodicTask; 2]> {
    let marked = Arc::clone(&releases);
    let mark = of_served(Arc::clone(&app), "mark", move |served, _now| Prefetched {
        failures: marked.mark_in_use(served).err().into_iter().collect(),
        ..Prefetched::default()
    });
    let fetch = of_served(app, "prefetch", move |served, now| {
        releases.prefetch(served, now)
    });
    Ok([mark?, fetch?])
}

/// Starts to do this for the served release, with the time.
fn of_served(
    app: Arc<App>,
    name: &'static str,
    mut act: impl FnMut(&ReleaseId, i64) -> Prefetched + Send + 'static,
) -> io::Result<PeriodicTask> {
    let mut reported = Reported::default();
    repeat(name, INTERVAL, move || {
        // The served release was opened by its id.
        if let Some(served) = ReleaseId::parse(app.catalogue().release_id()) {
            reported.report(act(&served, app.clock.now().unix_seconds()));
        }
    })
}

/// What failed the last time, which is not logged again while it persists.
#[derive(Default)]
struct Reported(BTreeSet<String>);

impl Reported {
    fn report(&mut self, prefetched: Prefetched) {
        for release in prefetched.fetched {
            tracing::info!(release.id = %release, "fetched release {release}");
        }
        let failures = prefetched.failures.iter().map(|failure| chain(failure));
        let failures: BTreeSet<_> = failures.collect();
        for failure in failures.difference(&self.0) {
            tracing::warn!("{failure}");
        }
        self.0 = failures;
    }
}
