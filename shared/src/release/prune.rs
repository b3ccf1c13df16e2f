//! Pruning: removing the releases that nobody needs any more.
//!
//! A release is moved out of sight at once, durably, and then deleted. Killed at any point, a
//! prune leaves each release whole or gone; what it had begun to delete, the next prune or import
//! removes. Nothing is decided here by guesswork: without a readable pointer nothing is removed.

use std::path::Path;
use std::time::Duration;

use super::in_use::Unused;
use super::leftovers::{self, Leftover, PRUNED};
use super::manifest::MANIFEST;
use super::pointer::Pointer;
use super::{ReleaseError, ReleaseId, ReleaseLock, ReleaseStore};
use crate::durable;

/// How many of the releases that were active before the active one are kept for rolling back.
pub const PREVIOUS_KEPT: usize = 2;
/// Releases younger than this are kept, whether they were ever active or not.
pub const YOUNG: Duration = Duration::from_hours(24);

/// Why a release is kept: the first that holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// It is active.
    Active,
    /// It is one of the [`PREVIOUS_KEPT`] to roll back to.
    Previous,
    /// It was published less than [`YOUNG`] ago.
    Young,
    /// A server, or another command, has it open.
    InUse,
}

/// What pruning comes to for one release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The release.
    pub id: ReleaseId,
    /// Size of all its files.
    pub bytes: u64,
    /// Why it is kept; `None` when it is removed.
    pub kept: Option<Kept>,
}

/// What pruning comes to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    /// Every release, the newest first.
    pub releases: Vec<Verdict>,
    /// What unfinished commands had left, all of it removed.
    pub leftovers: Vec<Leftover>,
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
    pub fn prune(&self, now_seconds: i64, held: &ReleaseLock) -> Result<Pruned, ReleaseError> {
        self.judge(now_seconds, true, held)
    }

    /// Says what [`Self::prune`] would do, and does nothing.
    pub fn plan_prune(&self, now_seconds: i64, held: &ReleaseLock) -> Result<Pruned, ReleaseError> {
        self.judge(now_seconds, false, held)
    }

    fn judge(
        &self,
        now_seconds: i64,
        remove: bool,
        _held: &ReleaseLock,
    ) -> Result<Pruned, ReleaseError> {
        let (pointer, ids) = (self.pointer()?, self.list()?);
        // Before the releases: one of them may have the name of what a killed prune left.
        let leftovers = self.leftovers()?;
        if remove {
            for leftover in &leftovers {
                leftovers::remove(&leftover.path)?;
            }
        }
        let needed = Needed::new(pointer.as_ref(), &ids, now_seconds);
        let mut releases = Vec::new();
        for id in &ids {
            let directory = self.directory(id);
            let bytes = leftovers::size(&directory);
            let bytes = bytes.map_err(ReleaseError::io("measure", &directory))?;
            let kept = match needed.reason(id) {
                Some(reason) => Some(reason),
                None => remove_unused(id, &directory, remove)?,
            };
            let id = id.clone();
            releases.push(Verdict { id, bytes, kept });
        }
        Ok(Pruned {
            releases,
            leftovers,
        })
    }

    /// What unfinished commands left in the data directory and among the releases.
    fn leftovers(&self) -> Result<Vec<Leftover>, ReleaseError> {
        let mut all = leftovers::find(self.data().path())?;
        all.extend(leftovers::find(&self.data().releases())?);
        Ok(all)
    }
}

/// Removes a release unless somebody has it open, or only looks whether somebody has.
fn remove_unused(
    id: &ReleaseId,
    directory: &Path,
    remove: bool,
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
    durable::publish_directory(directory, &aside)
        .map_err(ReleaseError::io("move aside", directory))?;
    drop(unused);
    leftovers::remove(&aside)?;
    Ok(None)
}

/// The reasons to keep a release that can be seen without looking at it.
struct Needed<'a> {
    active: Option<&'a ReleaseId>,
    previous: Vec<&'a ReleaseId>,
    now_seconds: i64,
}

impl<'a> Needed<'a> {
    fn new(pointer: Option<&'a Pointer>, ids: &[ReleaseId], now_seconds: i64) -> Self {
        let previous = pointer.map_or(&[][..], |pointer| &pointer.previous);
        let exists = |id: &&ReleaseId| ids.contains(id);
        Self {
            active: pointer.map(|pointer| &pointer.release),
            previous: previous.iter().filter(exists).take(PREVIOUS_KEPT).collect(),
            now_seconds,
        }
    }

    fn reason(&self, id: &ReleaseId) -> Option<Kept> {
        let age_seconds = self.now_seconds.saturating_sub(id.unix_seconds());
        let is_young = age_seconds < YOUNG.as_secs().cast_signed();
        if self.active == Some(id) {
            Some(Kept::Active)
        } else if self.previous.contains(&id) {
            Some(Kept::Previous)
        } else if is_young {
            Some(Kept::Young)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests;
