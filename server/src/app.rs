//! Everything that answering a request needs, in one place that requests share.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use arc_swap::ArcSwap;
use shared::clock::Clock;
use shared::keys::environment::Environment;

use crate::cache::ListCache;
use crate::catalogue::Catalogue;
use crate::compressed::CompressedBodies;
use crate::keyring::Keyring;
use crate::limits::{Quotas, RateLimits};
use crate::request_id::RequestIds;
use crate::seldom::Seldom;

/// What a server is made of: the parts that come from outside.
pub struct Parts {
    /// Which keys this server accepts.
    pub environment: Environment,
    /// The release served first.
    pub catalogue: Arc<Catalogue>,
    /// The keys, kept current by whoever made it.
    pub keyring: Arc<Keyring>,
    /// Monthly quotas.
    pub quotas: Quotas,
    /// Source of time.
    pub clock: Arc<dyn Clock>,
    /// Source of request ids.
    pub request_ids: Box<dyn RequestIds>,
}

/// The state that requests share. No request holds a lock of it while it waits.
pub struct App {
    pub(crate) environment: Environment,
    pub(crate) keyring: Arc<Keyring>,
    pub(crate) rate_limits: RateLimits,
    pub(crate) quotas: Quotas,
    pub(crate) lists: ListCache,
    pub(crate) compressed: CompressedBodies,
    /// Warnings about requests that are refused because too much is asked for.
    pub(crate) overloads: Mutex<Seldom>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) request_ids: Box<dyn RequestIds>,
    catalogue: ArcSwap<Catalogue>,
    started: Duration,
    draining: AtomicBool,
}

impl App {
    /// An app that starts now, with empty minute windows and empty caches.
    pub fn new(parts: Parts) -> Self {
        let started = parts.clock.now().monotonic;
        Self {
            environment: parts.environment,
            keyring: parts.keyring,
            rate_limits: RateLimits::new(),
            quotas: parts.quotas,
            lists: ListCache::new(),
            compressed: CompressedBodies::new(),
            overloads: Mutex::default(),
            clock: parts.clock,
            request_ids: parts.request_ids,
            catalogue: ArcSwap::new(parts.catalogue),
            started,
            draining: AtomicBool::new(false),
        }
    }

    /// The catalogue served now. A request takes it once, so that it sees one release only.
    pub fn catalogue(&self) -> Arc<Catalogue> {
        self.catalogue.load_full()
    }

    /// Serves another catalogue from now on; requests under way finish with theirs. Gives the one
    /// that was served so far: whoever drops it last gives back all its memory.
    pub fn activate(&self, catalogue: Arc<Catalogue>) -> Arc<Catalogue> {
        self.catalogue.swap(catalogue)
    }

    /// Lets whoever asks for readiness know that this server is about to stop. It answers every
    /// request as before: whoever routes requests to it needs a moment to take them elsewhere.
    pub fn begin_draining(&self) {
        // Nothing else is published with it.
        self.draining.store(true, Ordering::Relaxed);
    }

    /// Whether the server is about to stop.
    pub fn is_draining(&self) -> bool {
        self.draining.load(Ordering::Relaxed)
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
