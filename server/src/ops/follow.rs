//! Following the pointer to the active release: when another is activated, open and serve it.
//!
//! Opening verifies every file and may take seconds, so it runs on its own thread, never where
//! requests are answered. A release that cannot be opened changes nothing: the current one is still
//! served.

use std::io;
use std::sync::Arc;
use std::thread;

use shared::base::error_chain::chain;
use shared::release::pointer::Pointer;
use shared::release::throttle::Throttle;
use shared::release::{ReleaseError, ReleaseId, Releases};

use crate::app::App;
use crate::base::periodic_task::{PeriodicTask, repeat};
use crate::catalogue::{Catalogue, OpenCatalogueError, OpenSettings};
use crate::ops::throttle::BesideRequests;

/// A release that could not be opened is tried again after this many polls: after 5 seconds in a
/// directory, which is polled five times a second. It may have been repaired, or the failure was
/// temporary.
pub const POLLS_PER_TRY: u32 = 25;

/// Why the active release is not served.
#[derive(Debug, thiserror::Error)]
pub enum FollowError {
    /// The pointer could not be read.
    #[error("could not see which release is active")]
    Pointer(#[source] ReleaseError),
    /// The release could not be opened.
    #[error("could not open the active release {release}; the one served so far is served on")]
    Open {
        /// The release that the pointer names.
        release: ReleaseId,
        /// Why not.
        #[source]
        source: OpenCatalogueError,
    },
}

/// The result of one poll of the pointer.
#[derive(Debug, PartialEq, Eq)]
pub enum Step {
    /// Nothing new.
    Unchanged,
    /// Another release is served now.
    Activated(ReleaseId),
}

/// A release that could not be opened, which has been reported.
struct FailedOpening {
    release: ReleaseId,
    polls_since_try: u32,
}

impl FailedOpening {
    /// Whether this poll tries again.
    fn is_due(&mut self) -> bool {
        self.polls_since_try = (self.polls_since_try + 1) % POLLS_PER_TRY;
        self.polls_since_try == 0
    }
}

/// Makes an app serve the active release.
pub struct Follower {
    app: Arc<App>,
    releases: Arc<dyn Releases>,
    settings: OpenSettings,
    /// Former catalogues that some request may still use. This thread frees their memory, not the
    /// last request.
    retired: Vec<Arc<Catalogue>>,
    /// The active release, while it cannot be opened.
    failed: Option<FailedOpening>,
    /// Whether the last poll failed to read the pointer, which is logged once.
    is_blind: bool,
}

impl Follower {
    /// A follower that opens releases with `settings`.
    pub fn new(app: Arc<App>, releases: Arc<dyn Releases>, settings: OpenSettings) -> Self {
        Self {
            app,
            releases,
            settings,
            retired: Vec::new(),
            failed: None,
            is_blind: false,
        }
    }

    /// Polls the pointer once. An error is reported once, not at every poll that meets it again.
    pub fn step(&mut self) -> Result<Step, FollowError> {
        self.retired
            .retain(|catalogue| 1 < Arc::strong_count(catalogue));
        let pointer = match self.releases.pointer() {
            Ok(pointer) => pointer,
            Err(error) => {
                self.app.metrics.releases.fail();
                if std::mem::replace(&mut self.is_blind, true) {
                    return Ok(Step::Unchanged);
                }
                return Err(FollowError::Pointer(error));
            }
        };
        self.is_blind = false;
        let Some(pointer) = pointer else {
            return Ok(Step::Unchanged);
        };
        let active = &pointer.release;
        if active.as_str() == self.app.catalogue().release_id() {
            self.failed = None;
            return Ok(Step::Unchanged);
        }
        self.failed.take_if(|failed| failed.release != *active);
        if self.failed.as_mut().is_some_and(|failed| !failed.is_due()) {
            return Ok(Step::Unchanged);
        }
        match self.open(active) {
            Ok(catalogue) => {
                self.serve(catalogue, &pointer);
                Ok(Step::Activated(pointer.release))
            }
            Err(_known) if self.failed.is_some() => Ok(Step::Unchanged),
            Err(source) => {
                self.failed = Some(FailedOpening {
                    release: active.clone(),
                    polls_since_try: 0,
                });
                Err(FollowError::Open {
                    release: pointer.release,
                    source,
                })
            }
        }
    }

    fn serve(&mut self, catalogue: Catalogue, pointer: &Pointer) {
        self.failed = None;
        let before = self.app.activate(Arc::new(catalogue));
        self.retired.push(before);
        if let Err(error) = self.releases.cache_pointer(pointer) {
            tracing::warn!(
                "a server that starts here will not know that {} was active: {}",
                pointer.release,
                chain(&error)
            );
        }
    }

    fn open(&self, release: &ReleaseId) -> Result<Catalogue, OpenCatalogueError> {
        let app = Arc::clone(&self.app);
        let requests = move || app.metrics.requests.begun();
        let throttle = BesideRequests::new(Arc::clone(&self.app.clock), requests, thread::sleep);
        open(&*self.releases, release, Arc::new(throttle), self.settings)
            .inspect_err(|_failed| self.app.metrics.releases.fail())
    }
}

/// Opens a release. A damaged copy is deleted, so that the next attempt fetches another.
pub fn open(
    releases: &dyn Releases,
    id: &ReleaseId,
    throttle: Arc<dyn Throttle>,
    settings: OpenSettings,
) -> Result<Catalogue, OpenCatalogueError> {
    let opened = releases.open(id).map_err(OpenCatalogueError::from);
    let opened = opened.and_then(|release| Catalogue::open(&release.throttled(throttle), settings));
    if let Err(OpenCatalogueError::Release(error)) = &opened
        && error.is_damage()
        && let Err(error) = releases.invalidate(id)
    {
        tracing::warn!("could not throw away the copy of {id}: {}", chain(&error));
    }
    opened
}

/// Starts to follow, at once and then at the poll interval of the releases.
pub fn follow(mut follower: Follower) -> io::Result<PeriodicTask> {
    let interval = follower.releases.poll_interval();
    repeat("follow", interval, move || match follower.step() {
        Ok(Step::Unchanged) => {}
        Ok(Step::Activated(release)) => {
            tracing::info!(release.id = %release, "serving release {release}");
        }
        Err(error) => tracing::error!("{}", chain(&error)),
    })
}
