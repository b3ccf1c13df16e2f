//! Whether requests should be sent to a server: what it depends on, at one moment.
//!
//! It judges; what becomes of the judgement is decided elsewhere.

/// What a server depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Readiness {
    /// Id of the release that is open, every file of which was verified. A server without one does
    /// not get as far as being asked.
    pub(crate) release: String,
    /// A body of the release could not be read as it was verified. Its record is refused and all
    /// others are answered, so this is shown and is no reason to send requests elsewhere: a server
    /// that is the only one would be taken away for one record.
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
