//! What a command must know when a signal interrupts it: unfinished files, which are removed, and
//! finished changes, which are reported.
//!
//! It is global, because a signal ends the whole process. Finishing and changing are one step each:
//! an interruption comes before or after it. Nothing here knows signals.

use std::fs;
use std::io;
use std::mem;
use std::path::{Path, PathBuf};

use parking_lot::{Mutex, RwLock};

use super::{ReleaseError, ReleaseId};

/// Attempts to remove something that is still being written to.
const ATTEMPTS: usize = 100;

/// Shared by all who take a step; the end of the process holds it alone.
static STEPS: RwLock<()> = RwLock::new(());

static STATE: Mutex<State> = Mutex::new(State {
    unfinished: Vec::new(),
    changed: None,
});

struct State {
    unfinished: Vec<PathBuf>,
    changed: Option<Change>,
}

/// What a command has changed, as far as it got.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Files of a release were sent to this address, but do not make a release yet.
    Sent(String),
    /// This release was made, but not activated.
    Made(ReleaseId),
    /// This release was activated.
    Activated(ReleaseId),
    /// A release was removed.
    Pruned,
}

/// A file or directory that is removed if the process is interrupted before this is dropped.
#[derive(Debug)]
pub struct Unfinished {
    path: PathBuf,
}

impl Unfinished {
    /// The file or directory at `path`, now or later.
    pub fn at(path: &Path) -> Self {
        STATE.lock().unfinished.push(path.to_owned());
        Self {
            path: path.to_owned(),
        }
    }

    /// Makes a temporary file or directory.
    pub fn make<T: AsRef<Path>>(make: impl FnOnce() -> io::Result<T>) -> io::Result<(T, Self)> {
        let mut state = STATE.lock();
        let temporary = make()?;
        let path = temporary.as_ref().to_owned();
        state.unfinished.push(path.clone());
        Ok((temporary, Self { path }))
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        STATE.lock().unfinished.retain(|path| *path != self.path);
    }
}

/// Takes a step that no interruption splits, and records its change. A step must not wait for
/// another one of the same process: none begins while the process ends.
pub fn uninterrupted<T, E>(
    change: Option<Change>,
    step: impl FnOnce() -> Result<T, E>,
) -> Result<T, E> {
    let _step = STEPS.read();
    let done = step()?;
    if change.is_some() {
        STATE.lock().changed = change;
    }
    Ok(done)
}

/// Records a change made bit by bit, before the first bit.
pub fn begin(change: Change) {
    STATE.lock().changed = Some(change);
}

/// Removes what is unfinished, and returns the last change. From now on every step waits until the
/// process ends.
pub fn end() -> Option<Change> {
    let steps = STEPS.write();
    let state = STATE.lock();
    for path in &state.unfinished {
        // What cannot be removed is left to the next prune.
        _ = (0..ATTEMPTS).find(|_attempt| remove(path).is_ok() || !path.exists());
    }
    let changed = state.changed.clone();
    mem::forget((steps, state));
    changed
}

/// Removes a file, or a directory with all that is in it.
pub(super) fn remove(path: &Path) -> Result<(), ReleaseError> {
    let removed = fs::symlink_metadata(path).and_then(|metadata| {
        if metadata.is_dir() {
            fs::remove_dir_all(path)
        } else {
            fs::remove_file(path)
        }
    });
    removed.map_err(ReleaseError::io("remove", path))
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn a_step_that_waits_for_another_machine_keeps_no_other_step_waiting() {
        let step = || Ok::<_, io::Error>(());
        let both = uninterrupted(None, || {
            let other = thread::spawn(move || uninterrupted(None, step));
            other.join().unwrap()
        });
        both.unwrap();
    }
}
