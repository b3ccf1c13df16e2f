//! The right to change releases and the pointer. How it is taken, the store of releases knows.

use crate::base::file_lock::FileLock;

/// The right to change releases and the pointer; released when dropped.
#[derive(Debug)]
pub struct ReleaseLock {
    _lock: FileLock,
}

impl ReleaseLock {
    /// Held as long as the lock on its file.
    pub(super) const fn of(lock: FileLock) -> Self {
        Self { _lock: lock }
    }
}
