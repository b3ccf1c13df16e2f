//! Why connections ended. The library tells that to what drives a connection; whoever asks on it
//! hears only that it is closed.

use std::sync::{Arc, Mutex, PoisonError};

use tokio_postgres::Error;

use crate::keys::postgres::failure::Failure;

/// Why the connection ended that ended last, until that is told; clones share it.
#[derive(Clone, Debug, Default)]
pub(super) struct Endings(Arc<Mutex<Option<String>>>);

impl Endings {
    /// Takes in why a connection ends.
    pub(super) fn note(&self, why: Error) {
        self.replace(Some(Failure::from(why).text()));
    }

    /// The failure, with what is known of why the connection is closed.
    pub(super) fn explain(&self, failure: Failure) -> Failure {
        let is_closed = matches!(&failure, Failure::Library(error) if error.is_closed());
        let why = is_closed.then(|| self.replace(None)).flatten();
        why.map_or(failure, Failure::Ended)
    }

    fn replace(&self, why: Option<String>) -> Option<String> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *last, why)
    }
}
