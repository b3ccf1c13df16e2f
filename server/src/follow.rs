//! Following the pointer to the active release: when another is activated, open and serve it.
//!
//! Opening verifies every file and may take seconds, so it happens on a thread of its own, never
//! where requests are answered. A release that cannot be opened changes nothing: the one served
//! so far is served on.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use shared::release::{ReleaseError, ReleaseId, ReleaseStore};

use crate::app::App;
use crate::catalogue::{Catalogue, OpenCatalogueError, OpenSettings};
use crate::error_chain::chain;

/// Pause between two looks at the pointer.
pub const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// Why the active release is not the one that is served.
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

/// What one look at the pointer led to.
#[derive(Debug, PartialEq, Eq)]
pub enum Step {
    /// Nothing new.
    Unchanged,
    /// Another release is served now.
    Activated(ReleaseId),
}

/// Makes an app serve the active release of a store.
pub struct Follower {
    app: Arc<App>,
    store: ReleaseStore,
    settings: OpenSettings,
    /// A release that could not be opened, and is not tried again until the pointer changes.
    refused: Option<ReleaseId>,
    /// The last look failed to read the pointer, which is logged once.
    is_blind: bool,
}

impl Follower {
    /// A follower that opens releases with `settings`.
    pub fn new(app: Arc<App>, store: ReleaseStore, settings: OpenSettings) -> Self {
        Self {
            app,
            store,
            settings,
            refused: None,
            is_blind: false,
        }
    }

    /// Looks at the pointer once. An error is told once, not at every look that meets it again.
    pub fn step(&mut self) -> Result<Step, FollowError> {
        let active = match self.store.current() {
            Ok(active) => active,
            Err(_known) if self.is_blind => return Ok(Step::Unchanged),
            Err(error) => {
                self.is_blind = true;
                return Err(FollowError::Pointer(error));
            }
        };
        self.is_blind = false;
        let Some(active) = active else {
            return Ok(Step::Unchanged);
        };
        if active.as_str() == self.app.catalogue().release_id() {
            self.refused = None;
            return Ok(Step::Unchanged);
        }
        if self.refused.as_ref() == Some(&active) {
            return Ok(Step::Unchanged);
        }
        match self.open(&active) {
            Ok(catalogue) => {
                self.app.activate(Arc::new(catalogue));
                Ok(Step::Activated(active))
            }
            Err(source) => {
                self.refused = Some(active.clone());
                Err(FollowError::Open {
                    release: active,
                    source,
                })
            }
        }
    }

    fn open(&self, release: &ReleaseId) -> Result<Catalogue, OpenCatalogueError> {
        Catalogue::open(&self.store.open(release)?, self.settings)
    }
}

/// A running follower. Dropping it stops the thread and waits for it.
#[derive(Debug)]
pub struct Follow {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// Starts to follow, at once and then every [`POLL_INTERVAL`].
pub fn follow(mut follower: Follower) -> io::Result<Follow> {
    let (stop, stopped) = channel();
    let thread = std::thread::Builder::new()
        .name("follow".to_owned())
        .spawn(move || run(&mut follower, &stopped))?;
    Ok(Follow {
        stop: Some(stop),
        thread: Some(thread),
    })
}

impl Drop for Follow {
    fn drop(&mut self) {
        // Without a sender the thread's wait ends at once.
        drop(self.stop.take());
        if self
            .thread
            .take()
            .is_some_and(|thread| thread.join().is_err())
        {
            tracing::error!("the thread that followed the active release had panicked");
        }
    }
}

fn run(follower: &mut Follower, stopped: &Receiver<()>) {
    loop {
        match follower.step() {
            Ok(Step::Unchanged) => {}
            Ok(Step::Activated(release)) => {
                tracing::info!(release.id = %release, "serving release {release}");
            }
            Err(error) => tracing::error!("{}", chain(&error)),
        }
        if stopped.recv_timeout(POLL_INTERVAL) != Err(RecvTimeoutError::Timeout) {
            return;
        }
    }
}
