//! File locks that end with their guard.
//!
//! The system gives a lock back when the last descriptor of the opened file is closed, and a child
//! that is starting has its parent's descriptors for a moment. So a guard unlocks, and does not
//! only close. What a guard keeps from whom is not known here.

use std::fs::{File, TryLockError};
use std::io;
use std::thread;
use std::time::Duration;

/// Attempts to take a lock that another process may hold for a moment, a [`PAUSE`] apart: one that
/// checks whether it is held, or the child of one that was killed. A quarter of a second in all.
const ATTEMPTS: u32 = 25;
const PAUSE: Duration = Duration::from_millis(10);

/// A locked file, until it is dropped.
#[derive(Debug)]
pub struct FileLock(File);

impl FileLock {
    /// Locks the file for this process alone; `None` if another holds it, and does not give it up
    /// soon.
    pub fn take(file: File) -> io::Result<Option<Self>> {
        for _attempt in 0..ATTEMPTS {
            match file.try_lock() {
                Ok(()) => return Ok(Some(Self(file))),
                Err(TryLockError::WouldBlock) => thread::sleep(PAUSE),
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
        Ok(None)
    }

    /// Locks the file for this process alone, or returns `None` at once.
    pub fn take_free(file: File) -> io::Result<Option<Self>> {
        taken(file.try_lock(), file)
    }

    /// Shares the lock, or returns `None` at once if another process has it alone.
    pub fn share_free(file: File) -> io::Result<Option<Self>> {
        taken(file.try_lock_shared(), file)
    }

    /// Shares the lock; waits while another process has it alone.
    pub fn share(file: File) -> io::Result<Self> {
        file.lock_shared()?;
        Ok(Self(file))
    }

    /// The file that is locked.
    pub fn file(&self) -> &File {
        &self.0
    }
}

impl Drop for FileLock {
    fn drop(&mut self) {
        // What is not unlocked here is when all its descriptors are closed.
        let _unlocked = self.0.unlock();
    }
}

fn taken(attempt: Result<(), TryLockError>, file: File) -> io::Result<Option<FileLock>> {
    match attempt {
        Ok(()) => Ok(Some(FileLock(file))),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A child that is starting has the same opened file as its parent.
    #[test]
    fn a_lock_ends_with_its_guard_though_a_child_still_has_the_file() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let open = || file.reopen().unwrap();
        let opened = open();
        let of_child = opened.try_clone().unwrap();
        let lock = FileLock::take_free(opened).unwrap();
        assert!(lock.is_some());
        assert!(FileLock::share_free(open()).unwrap().is_none());
        drop(lock);
        assert!(FileLock::take_free(open()).unwrap().is_some());
        drop(of_child);
    }
}
