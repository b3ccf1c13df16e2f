//! Pruning: its outcome, and the reasons to keep a release, in a directory as in S3.
//!
//! A release is first renamed, durably, and then deleted. Killed at any point, a prune leaves each
//! release whole or gone; the next prune or import removes what it had begun to delete. Without a
//! readable pointer no release is removed. What cannot be removed is reported, and everything else
//! is still removed.

use std::time::Duration;

use super::staging::Leftover;
use super::{ReleaseError, ReleaseId};

/// How many earlier active releases are kept for rolling back.
pub const PREVIOUS_KEPT: usize = 2;
/// Releases younger than this are kept, whether they were ever active or not.
pub const YOUNG: Duration = Duration::from_hours(24);

/// Why a release is kept: the first that holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// It is unknown which release is active, so any may be.
    NothingKnown,
    /// It is active.
    Active,
    /// It is one of the [`PREVIOUS_KEPT`] to roll back to: the latest complete ones.
    Previous,
    /// It was published, or its contents were imported again, less than [`YOUNG`] ago.
    Young,
    /// A server, or another command, has it open.
    InUse,
    /// It could not be examined or removed.
    Failed,
}

/// What a prune does with one release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PruneDecision {
    /// The release.
    pub id: ReleaseId,
    /// Size of all its files; 0 if unknown.
    pub bytes: u64,
    /// Why it is kept; `None` when it is removed.
    pub kept: Option<Kept>,
}

/// The outcome of a prune.
#[derive(Debug, Default)]
pub struct Pruned {
    /// Every release, the newest first.
    pub releases: Vec<PruneDecision>,
    /// What unfinished commands had left, now removed.
    pub leftovers: Vec<Leftover>,
    /// What could not be done.
    pub failures: Vec<ReleaseError>,
}

impl Pruned {
    /// Adds what became of a release.
    pub(super) fn push(
        &mut self,
        id: ReleaseId,
        bytes: u64,
        kept: Result<Option<Kept>, ReleaseError>,
    ) {
        let kept = kept.unwrap_or_else(|error| {
            self.failures.push(error);
            Some(Kept::Failed)
        });
        self.releases.push(PruneDecision { id, bytes, kept });
    }

    /// Adds what became of something unfinished.
    pub(super) fn push_leftover(&mut self, leftover: Result<Leftover, ReleaseError>) {
        match leftover {
            Ok(leftover) => self.leftovers.push(leftover),
            Err(error) => self.failures.push(error),
        }
    }

    /// How many bytes that freed.
    pub fn freed_bytes(&self) -> u64 {
        let removed = self.releases.iter().filter(|one| one.kept.is_none());
        let leftovers = self.leftovers.iter().map(|leftover| leftover.bytes);
        removed.map(|one| one.bytes).chain(leftovers).sum()
    }
}

/// The reasons to keep a release that depend on the pointer and on time.
pub(super) struct Needed<'a> {
    /// `None` if it is unknown which release is active.
    pub(super) active: Option<&'a ReleaseId>,
    /// The releases to roll back to.
    pub(super) previous: Vec<&'a ReleaseId>,
    pub(super) now_seconds: i64,
}

impl Needed<'_> {
    /// The first reason to keep a release. `modified_at`, in seconds since the Unix epoch, makes an
    /// old release young: its contents were imported again then.
    pub(super) fn reason(
        &self,
        id: &ReleaseId,
        modified_at: impl FnOnce() -> Result<i64, ReleaseError>,
    ) -> Result<Option<Kept>, ReleaseError> {
        Ok(match self.active {
            None => Some(Kept::NothingKnown),
            Some(active) if active == id => Some(Kept::Active),
            Some(_) if self.previous.contains(&id) => Some(Kept::Previous),
            Some(_) if self.is_young(id.unix_seconds().max(modified_at()?)) => Some(Kept::Young),
            Some(_) => None,
        })
    }

    /// Whether less than [`YOUNG`] has passed since then.
    pub(super) fn is_young(&self, seconds: i64) -> bool {
        self.now_seconds.saturating_sub(seconds) < YOUNG.as_secs().cast_signed()
    }
}

#[cfg(test)]
mod tests;
