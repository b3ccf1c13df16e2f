//! What a run leaves behind: a hash of its order, to compare it with another run of its seed.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use super::ThreadId;

/// What ran in which order: equal in two runs only if they were the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ran {
    /// How many times a thread ran.
    pub steps: u64,
    /// A hash of which thread ran when.
    order: u64,
}

impl Ran {
    pub(super) fn count(&mut self, thread: ThreadId, now: Duration) {
        let mut hasher = DefaultHasher::new();
        (self.order, thread, now).hash(&mut hasher);
        self.order = hasher.finish();
        self.steps += 1;
    }
}
