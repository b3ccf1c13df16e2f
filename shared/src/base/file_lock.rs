//! Taking a file lock that another process may hold for a moment: one that checks whether the lock
//! is held, or one that is starting and still has its parent's files open.

use std::fs::{File, TryLockError};
use std::io;
use std::thread;
use std::time::Duration;

/// Attempts to take a lock, a [`PAUSE`] apart: a quarter of a second in all.
const ATTEMPTS: u32 = 25;
const PAUSE: Duration = Duration::from_millis(10);

/// Whether the lock was free, or soon became so. If it was, it is held until the file is closed.
pub fn take(file: &File) -> io::Result<bool> {
    for _attempt in 0..ATTEMPTS {
        match file.try_lock() {
            Ok(()) => return Ok(true),
            Err(TryLockError::WouldBlock) => thread::sleep(PAUSE),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
    Ok(false)
}
