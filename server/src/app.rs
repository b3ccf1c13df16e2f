//! Everything that requests share.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use arc_swap::ArcSwap;
use parking_lot::Mutex;
use shared::base::clock::{Clock, Moment};
use shared::keys::environment::Environment;

use crate::base::log_throttle::LogThrottle;
use crate::base::request_id::RequestIds;
use crate::cache::ListCache;
use crate::catalogue::Catalogue;
use crate::clock_watch::ClockWatch;
use crate::comparisons::{Comparisons, OtherReleases};
use crate::compressed::CompressedBodies;
use crate::cors::AllowedOrigins;
use crate::keyring::Keyring;
use crate::limits::{MinuteStore, Quotas, RateLimits, SHARED_WAIT_MAX, WaitBudget};
use crate::metrics::Metrics;
use crate::readiness::Readiness;

/// The parts of a server that come from outside.
pub struct Parts {
    /// Which keys this server accepts.
    pub environment: Environment,
    /// The release served first.
    pub catalogue: Arc<Catalogue>,
    /// The keys, kept current by their watch.
    pub keyring: Arc<Keyring>,
    /// Monthly quotas.
    pub quotas: Quotas,
    /// The releases that the served one is compared with.
    pub others: OtherReleases,
    /// Source of time.
    pub clock: Arc<dyn Clock>,
    /// Source of request ids.
    pub request_ids: Box<dyn RequestIds>,
}

/// The state that requests share. No request holds one of its locks while it waits.
pub struct App {
    pub(crate) environment: Environment,
    pub(crate) keyring: Arc<Keyring>,
    pub(crate) minutes: MinuteStore,
    pub(crate) quotas: Quotas,
    pub(crate) lists: ListCache,
    pub(crate) comparisons: Arc<Comparisons>,
    pub(crate) compressed: CompressedBodies,
    /// Warnings about requests refused because of overload.
    pub(crate) overloads: Mutex<LogThrottle>,
    pub(crate) metrics: Metrics,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) clock_watch: ClockWatch,
    pub(crate) request_ids: Box<dyn RequestIds>,
    pub(crate) allowed_origins: AllowedOrigins,
    pub(crate) shows_rate_limit_draft: bool,
    catalogue: ArcSwap<Catalogue>,
    has_shared_stores: bool,
    started: Duration,
    draining: AtomicBool,
}

impl App {
    /// An app that starts now, with empty minute windows and empty caches.
    pub fn new(parts: Parts) -> Self {
        let now = parts.clock.now();
        let metrics = Metrics::new();
        metrics.releases.serve(now.unix_seconds());
        Self {
            environment: parts.environment,
            keyring: parts.keyring,
            minutes: MinuteStore::Memory(RateLimits::default()),
            quotas: parts.quotas,
            lists: ListCache::default(),
            comparisons: Arc::new(Comparisons::new(parts.others)),
            compressed: CompressedBodies::default(),
            overloads: Mutex::default(),
            metrics,
            clock: parts.clock,
            clock_watch: ClockWatch::new(now),
            request_ids: parts.request_ids,
            allowed_origins: AllowedOrigins::default(),
            shows_rate_limit_draft: false,
            catalogue: ArcSwap::new(parts.catalogue),
            has_shared_stores: false,
            started: now.monotonic,
            draining: AtomicBool::new(false),
        }
    }

    /// The same app, which lets pages of these origins read responses.
    #[must_use]
    pub fn allowing(mut self, allowed_origins: AllowedOrigins) -> Self {
        self.allowed_origins = allowed_origins;
        self
    }

    /// The same app, whose responses also have the headers of the IETF draft: `RateLimit` and
    /// `RateLimit-Policy`.
    #[must_use]
    pub fn showing_rate_limit_draft(mut self) -> Self {
        self.shows_rate_limit_draft = true;
        self
    }

    /// The same app, which counts minute limits in `minutes`.
    #[must_use]
    pub fn counting_in(mut self, minutes: MinuteStore) -> Self {
        self.has_shared_stores |= matches!(minutes, MinuteStore::Redis(_));
        self.minutes = minutes;
        self
    }

    /// The same app, with limits in stores that may all be away at once: a request waits at most
    /// [`SHARED_WAIT_MAX`] for all of them together.
    #[must_use]
    pub fn with_shared_stores(mut self) -> Self {
        self.has_shared_stores = true;
        self
    }

    /// The same app, whose metrics show how many lines of the log were dropped so far.
    #[must_use]
    pub fn logging(mut self, dropped: Arc<AtomicU64>) -> Self {
        self.metrics.log_lines_dropped = dropped;
        self
    }

    /// How long one request may wait for the stores that count it.
    pub(crate) fn wait_budget(&self) -> WaitBudget<'_> {
        if self.has_shared_stores {
            WaitBudget::shared(SHARED_WAIT_MAX, &*self.clock)
        } else {
            WaitBudget::per_store()
        }
    }

    /// The catalogue served now. A request takes it once, so that it sees a single release.
    pub fn catalogue(&self) -> Arc<Catalogue> {
        self.catalogue.load_full()
    }

    /// Serves another catalogue from now on; requests under way finish with theirs. Returns the old
    /// one: the last to drop it frees its memory.
    pub fn activate(&self, catalogue: Arc<Catalogue>) -> Arc<Catalogue> {
        let before = self.catalogue.swap(catalogue);
        self.metrics.releases.switch();
        self.metrics.releases.serve(self.clock.now().unix_seconds());
        before
    }

    /// From now on readiness says that this server is about to stop. It still answers every
    /// request: a load balancer needs a moment to send them elsewhere.
    pub fn begin_draining(&self) {
        // No other memory is published with it.
        self.draining.store(true, Ordering::Relaxed);
    }

    /// Whether the server is about to stop.
    pub fn is_draining(&self) -> bool {
        self.draining.load(Ordering::Relaxed)
    }

    /// Whether requests should be sent to this server at `now`.
    pub(crate) fn readiness(&self, now: Moment) -> Readiness {
        let catalogue = self.catalogue();
        Readiness {
            release: catalogue.release_id().to_owned(),
            is_damaged: catalogue.is_damaged(),
            are_keys_current: self.keyring.is_current(now),
            is_draining: self.is_draining(),
        }
    }

    /// Time since the keys were last confirmed, or since the app was made if they never were.
    pub(crate) fn key_store_staleness(&self, now: Moment) -> Duration {
        let since = self.keyring.confirmed_at().unwrap_or(self.started);
        now.monotonic.saturating_sub(since)
    }

    /// Logs whether the wall clock has jumped since the last check.
    pub fn check_clock(&self) {
        self.clock_watch.check(self.clock.now());
    }

    /// Whole seconds since the app was made.
    pub(crate) fn uptime_seconds(&self) -> u64 {
        self.clock
            .now()
            .monotonic
            .saturating_sub(self.started)
            .as_secs()
    }
}
