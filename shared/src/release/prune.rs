//! Pruning: removing the releases that nobody needs any more.
//!
//! A release is moved out of sight at once, durably, and then deleted. Killed at any point, a
//! prune leaves each release whole or gone; what it had begun to delete, the next prune or import
//! removes. Nothing is decided here by guesswork: without a readable pointer no release is removed.
//! What cannot be removed is told, and keeps nothing else from being removed.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::in_use::Unused;
use super::leftovers::{self, Leftover, PRUNED};
use super::manifest::MANIFEST;
use super::pointer::Pointer;
use super::{ReleaseError, ReleaseId, ReleaseLock, ReleaseStore};
use crate::base::durable;
use crate::release::interruption::{Change, Unfinished, uninterrupted};

/// How many of the releases that were active before the active one are kept for rolling back.
pub const PREVIOUS_KEPT: usize = 2;
/// Releases younger than this are kept, whether they were ever active or not.
pub const YOUNG: Duration = Duration::from_hours(24);

/// Why a release is kept: the first that holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// Which release is active is not known, so any of them may be.
    NothingKnown,
    /// It is active.
    Active,
    /// It is one of the [`PREVIOUS_KEPT`] to roll back to: the latest that are there in full.
    Previous,
    /// It was published, or its contents were imported again, less than [`YOUNG`] ago.
    Young,
    /// A server, or another command, has it open.
    InUse,
    /// It could not be looked at or removed.
    Failed,
}

/// What pruning comes to for one release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The release.
    pub id: ReleaseId,
    /// Size of all its files; 0 where that could not be seen.
    pub bytes: u64,
    /// Why it is kept; `None` when it is removed.
    pub kept: Option<Kept>,
}

/// What pruning comes to.
#[derive(Debug, Default)]
pub struct Pruned {
    /// Every release, the newest first.
    pub releases: Vec<Verdict>,
    /// What unfinished commands had left, all of it removed.
    pub leftovers: Vec<Leftover>,
    /// What could not be done.
    pub failures: Vec<ReleaseError>,
}

impl Pruned {
    /// How many bytes that freed.
    pub fn freed_bytes(&self) -> u64 {
        let removed = self.releases.iter().filter(|one| one.kept.is_none());
        let leftovers = self.leftovers.iter().map(|leftover| leftover.bytes);
        removed.map(|one| one.bytes).chain(leftovers).sum()
    }
}

impl ReleaseStore {
    /// Removes every release for which there is no reason to keep it, and what was left behind.
    pub fn prune(&self, now_seconds: i64, _held: &ReleaseLock) -> Result<Pruned, ReleaseError> {
        self.judge(now_seconds, true)
    }

    /// Says what [`Self::prune`] would do, as far as that can be known without the lock: whoever
    /// has it may be about to change it.
    pub fn foresee_prune(&self, now_seconds: i64) -> Result<Pruned, ReleaseError> {
        self.judge(now_seconds, false)
    }

    fn judge(&self, now_seconds: i64, remove: bool) -> Result<Pruned, ReleaseError> {
        let pointer = match self.pointer() {
            Err(ReleaseError::DamagedPointer { .. }) => None,
            read => read?,
        };
        let ids = self.list()?;
        let needed = Needed::new(pointer.as_ref(), self, now_seconds)?;
        let mut pruned = Pruned::default();
        // Before the releases: one of them may have the name of what a killed prune left.
        for path in self.leftovers()? {
            match remove_leftover(path, remove) {
                Ok(leftover) => pruned.leftovers.push(leftover),
                Err(error) => pruned.failures.push(error),
            }
        }
        for id in ids {
            let size = self.size(&id);
            let bytes = *size.as_ref().unwrap_or(&0);
            let kept = size.and_then(|_| match needed.reason(&id, self)? {
                Some(reason) => Ok(Some(reason)),
                None => remove_unused(&id, &self.directory(&id), remove, Some(Change::Pruned)),
            });
            let kept = kept.unwrap_or_else(|error| {
                pruned.failures.push(error);
                Some(Kept::Failed)
            });
            pruned.releases.push(Verdict { id, bytes, kept });
        }
        Ok(pruned)
    }

    /// Removes a release at once, unless somebody has it open.
    pub(super) fn remove_unused(
        &self,
        id: &ReleaseId,
        _held: &ReleaseLock,
    ) -> Result<(), ReleaseError> {
        remove_unused(id, &self.directory(id), true, None).map(|_kept| ())
    }

    /// When a release was last wanted: when its directory was made, or renewed.
    pub(super) fn modified_seconds(&self, id: &ReleaseId) -> Result<i64, ReleaseError> {
        let directory = self.directory(id);
        let metadata = fs::metadata(&directory);
        Ok(metadata
            .map_err(ReleaseError::io("look at", &directory))?
            .mtime())
    }

    /// What unfinished commands left in the data directory and among the releases.
    fn leftovers(&self) -> Result<Vec<PathBuf>, ReleaseError> {
        let mut all = leftovers::find(self.data().path())?;
        all.extend(leftovers::find(&self.data().releases())?);
        Ok(all)
    }

    /// Whether a release is there in full. Its contents are not read, which would take too long.
    fn is_in_full(&self, id: &ReleaseId) -> Result<bool, ReleaseError> {
        match self.open(id).and_then(|release| release.check_sizes()) {
            Ok(()) => Ok(true),
            Err(error) if error.is_damage() => Ok(false),
            Err(error) => Err(error),
        }
    }
}

fn remove_leftover(path: PathBuf, remove: bool) -> Result<Leftover, ReleaseError> {
    let bytes = leftovers::size(&path).map_err(ReleaseError::io("measure", &path))?;
    if remove {
        leftovers::remove(&path)?;
    }
    Ok(Leftover { path, bytes })
}

/// Removes a release unless somebody has it open, or only looks whether somebody has.
fn remove_unused(
    id: &ReleaseId,
    directory: &Path,
    remove: bool,
    change: Option<Change>,
) -> Result<Option<Kept>, ReleaseError> {
    let manifest = directory.join(MANIFEST);
    let unused = Unused::take(&manifest).map_err(ReleaseError::io("lock", &manifest))?;
    let Some(unused) = unused else {
        return Ok(Some(Kept::InUse));
    };
    if !remove {
        return Ok(None);
    }
    let aside = directory.with_file_name(format!("{PRUNED}{id}"));
    // Interrupted from here on, the release is removed to the end.
    let _unfinished = Unfinished::at(&aside);
    uninterrupted(change, || durable::publish_directory(directory, &aside))
        .map_err(ReleaseError::io("move aside", directory))?;
    drop(unused);
    leftovers::remove(&aside)?;
    Ok(None)
}

/// The reasons to keep a release that can be seen without locking it.
struct Needed<'a> {
    active: Option<&'a ReleaseId>,
    previous: Vec<&'a ReleaseId>,
    now_seconds: i64,
}

impl<'a> Needed<'a> {
    fn new(
        pointer: Option<&'a Pointer>,
        store: &ReleaseStore,
        now_seconds: i64,
    ) -> Result<Self, ReleaseError> {
        let mut previous = Vec::new();
        for id in pointer.map_or(&[][..], |pointer| &pointer.previous) {
            if previous.len() < PREVIOUS_KEPT && store.is_in_full(id)? {
                previous.push(id);
            }
        }
        Ok(Self {
            active: pointer.map(|pointer| &pointer.release),
            previous,
            now_seconds,
        })
    }

    fn reason(&self, id: &ReleaseId, store: &ReleaseStore) -> Result<Option<Kept>, ReleaseError> {
        Ok(match self.active {
            None => Some(Kept::NothingKnown),
            Some(active) if active == id => Some(Kept::Active),
            Some(_) if self.previous.contains(&id) => Some(Kept::Previous),
            Some(_) if self.is_young(id, store)? => Some(Kept::Young),
            Some(_) => None,
        })
    }

    /// An old release may have been wanted again since: its directory is as young as that.
    fn is_young(&self, id: &ReleaseId, store: &ReleaseStore) -> Result<bool, ReleaseError> {
        let wanted_at = id.unix_seconds().max(store.modified_seconds(id)?);
        let age_seconds = self.now_seconds.saturating_sub(wanted_at);
        Ok(age_seconds < YOUNG.as_secs().cast_signed())
    }
}

#[cfg(test)]
mod tests;
