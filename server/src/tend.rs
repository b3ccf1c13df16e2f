//! Tending to the copies of releases on this machine, beside following: what may be activated next
//! is fetched before it is, what is served is marked as in use, and what nobody needs goes.
//!
//! It has a thread of its own, so that a long fetch never delays a look at the pointer. Whatever
//! fails is tried again; the release that is served is served on.

use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use shared::release::releases::Tended;
use shared::release::{ReleaseId, Releases};

use crate::app::App;
use crate::error_chain::chain;
use crate::repeating::{Repeating, repeat};

/// Pause between two times.
const INTERVAL: Duration = Duration::from_secs(3);

/// Starts to tend, at once and then every three seconds.
pub fn tend(app: Arc<App>, releases: Arc<dyn Releases>) -> io::Result<Repeating> {
    let mut told = Told::default();
    repeat("tend", INTERVAL, move || {
        // Whatever is served was opened by its id.
        let Some(served) = ReleaseId::parse(app.catalogue().release_id()) else {
            return;
        };
        let now_seconds = app.clock.now().unix_seconds();
        told.tell(releases.tend(&served, now_seconds));
    })
}

/// What failed the last time, which is not told again while it goes on.
#[derive(Default)]
struct Told(BTreeSet<String>);

impl Told {
    fn tell(&mut self, tended: Tended) {
        for release in tended.fetched {
            tracing::info!(release.id = %release, "fetched release {release}");
        }
        let failures = tended.failures.iter().map(|failure| chain(failure));
        let failures: BTreeSet<_> = failures.collect();
        for failure in failures.difference(&self.0) {
            tracing::warn!("{failure}");
        }
        self.0 = failures;
    }
}
