//! What the sources of `server` find under the name `app`: the release that is served.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use shared::base::clock::Clock;

use crate::catalogue::Catalogue;
use crate::metrics::Metrics;

/// A server, as far as releases go.
pub struct App {
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) metrics: Metrics,
    served: Mutex<Arc<Catalogue>>,
}

impl App {
    /// A server that serves nothing yet.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self {
            clock,
            metrics: Metrics::default(),
            served: Mutex::default(),
        }
    }

    /// The release that is served; empty before the first.
    pub fn served(&self) -> String {
        self.served_now().release_id().to_owned()
    }

    pub(crate) fn catalogue(&self) -> Arc<Catalogue> {
        Arc::clone(&self.served_now())
    }

    pub(crate) fn activate(&self, new: Arc<Catalogue>) -> Arc<Catalogue> {
        std::mem::replace(&mut *self.served_now(), new)
    }

    fn served_now(&self) -> MutexGuard<'_, Arc<Catalogue>> {
        self.served.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
