//! Whether requests should be sent to a server, by what it depends on at one moment.
//!
//! It only judges; others act on it.

/// What a server depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Readiness {
    /// Id of the open, verified release. A server without one does not get this far.
    pub(crate) release: String,
    /// Whether a body of the release no longer matches what was verified. Its record is refused and
    /// all others are served, so this is only shown: a single server would otherwise be taken out
    /// for one record.
    pub(crate) is_damaged: bool,
    /// Keys can be verified.
    pub(crate) are_keys_current: bool,
    /// The server is about to stop.
    pub(crate) is_draining: bool,
}

impl Readiness {
    /// Whether nothing is in the way.
    pub(crate) fn is_ready(&self) -> bool {
        self.are_keys_current && !self.is_draining
    }
}
