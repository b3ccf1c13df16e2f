//! The release that is served, and how often another one was opened or could not be.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use shared::base::timestamp::Timestamp;

use super::families::Families;
use crate::app::App;

/// Counters of releases.
#[derive(Default)]
pub(crate) struct Releases {
    switches: AtomicU64,
    failures: AtomicU64,
    /// Unix time in seconds.
    served_since: AtomicI64,
}

impl Releases {
    /// A release is served since that Unix time, in seconds.
    pub(crate) fn serve(&self, since: i64) {
        self.served_since.store(since, Ordering::Relaxed);
    }

    /// Another release takes the place of the one before.
    pub(crate) fn switch(&self) {
        self.switches.fetch_add(1, Ordering::Relaxed);
    }

    /// A release was activated and could not be opened; or which one is could not be seen.
    pub(crate) fn fail(&self) {
        self.failures.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn tell(&self, app: &App, families: &mut Families) {
        let catalogue = app.catalogue();
        families.info(
            "catalogue_release_info",
            "The release that is served.",
            &[("release", catalogue.release_id())],
        );
        // The manifest has it as a text, and a text that is no time is no reason to tell nothing.
        if let Ok(published) = Timestamp::parse(catalogue.published_at()) {
            families.gauge(
                "catalogue_release_published_timestamp_seconds",
                "When the release that is served was published, Unix time.",
                seconds(published.unix_seconds()),
            );
        }
        families.gauge(
            "catalogue_release_opened_timestamp_seconds",
            "Since when the release is served, having been opened and verified, Unix time.",
            seconds(self.served_since.load(Ordering::Relaxed)),
        );
        families.gauge(
            "catalogue_release_damaged",
            "1 if a body of the release that is served could not be read as it was verified, else 0.",
            if catalogue.is_damaged() { 1.0 } else { 0.0 },
        );
        families.counter(
            "catalogue_release_switches_total",
            "Times that another release took the place of the one served before.",
            self.switches.load(Ordering::Relaxed),
        );
        families.counter(
            "catalogue_release_open_failures_total",
            "Attempts to follow the active release that failed; the one before is served on.",
            self.failures.load(Ordering::Relaxed),
        );
    }
}

/// As the library wants all values; exact for millions of years.
#[expect(clippy::cast_precision_loss, reason = "no time is that far away")]
fn seconds(unix: i64) -> f64 {
    unix as f64
}
