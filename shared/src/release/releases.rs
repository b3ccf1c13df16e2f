//! Where releases are published: a directory, or a bucket that several servers share.
//!
//! Commands and servers use only this trait, so that they do the same wherever releases are. An
//! open release is always on this machine's disk, where it was verified; for a bucket that is a
//! copy. Nothing here decides which release is served.

use std::time::Duration;

use super::log::{Attempt, Entry, LogPart, LogQuery};
use super::pointer::{Pointer, Step};
use super::prune::Pruned;
use super::reader::Identities;
use super::{
    Finished, Manifest, RecordColumns, Release, ReleaseError, ReleaseId, ReleaseLock, ReleaseWriter,
};
use crate::base::timestamp::Timestamp;

/// What was active when someone decided to activate a release. It is activated only if that is
/// still so, since the decision may depend on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExpectedActive {
    /// No release was ever active.
    Nothing,
    /// This one was.
    Release(ReleaseId),
    /// The pointer was damaged. Activating repairs it, but what was active before is lost.
    Damaged,
}

impl ExpectedActive {
    /// The result of reading the pointer.
    pub fn of(pointer: Result<Option<Pointer>, ReleaseError>) -> Result<Self, ReleaseError> {
        match pointer {
            Ok(None) => Ok(Self::Nothing),
            Ok(Some(pointer)) => Ok(Self::Release(pointer.release)),
            Err(ReleaseError::DamagedPointer { .. }) => Ok(Self::Damaged),
            Err(error) => Err(error),
        }
    }

    /// The error where this is active now, and not what was expected when `id` was to be activated.
    pub(super) fn overtakes(self, id: &ReleaseId) -> ReleaseError {
        ReleaseError::Overtaken {
            id: id.clone(),
            active: self.release().cloned(),
        }
    }

    /// The release, where there was one and it is known.
    pub const fn release(&self) -> Option<&ReleaseId> {
        match self {
            Self::Release(id) => Some(id),
            Self::Nothing | Self::Damaged => None,
        }
    }
}

/// The result of fetching copies to this machine.
#[derive(Debug, Default)]
pub struct Prefetched {
    /// Releases that were fetched, ahead of their activation.
    pub fetched: Vec<ReleaseId>,
    /// What could not be done.
    pub failures: Vec<ReleaseError>,
}

/// A release skipped by a rollback.
#[derive(Debug)]
pub struct PassedOver {
    /// The release.
    pub id: ReleaseId,
    /// What is wrong with it.
    pub damage: ReleaseError,
}

/// The result of a rollback.
#[derive(Debug)]
pub struct RolledBack {
    /// What was active until then.
    pub from: ReleaseId,
    /// What is active now; `None` if no earlier release is whole, and nothing changed.
    pub to: Option<ReleaseId>,
    /// The later ones that are damaged or gone, the latest first.
    pub passed_over: Vec<PassedOver>,
}

/// The result of trying a store out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TriedOut {
    /// It keeps the conditions of writes.
    Suitable,
    /// The credentials allow no writes, so it could not be tried out.
    ReadOnly,
}

/// Releases, where they are published.
pub trait Releases: Send + Sync {
    /// Where they are published, for people.
    fn location(&self) -> String;

    /// Starts a new release, in the data directory, whose records have these columns.
    fn begin(&self, columns: RecordColumns) -> Result<ReleaseWriter, ReleaseError>;

    /// Completes and publishes a release, without activating it.
    fn finish(
        &self,
        writer: ReleaseWriter,
        published_at: &Timestamp,
    ) -> Result<Finished, ReleaseError>;

    /// Takes the lock on releases in the data directory; an error while another process holds it.
    fn lock(&self) -> Result<ReleaseLock, ReleaseError>;

    /// Whether that lock is taken.
    fn is_busy(&self) -> Result<bool, ReleaseError>;

    /// The pointer to the active release, if any was ever activated.
    fn pointer(&self) -> Result<Option<Pointer>, ReleaseError>;

    /// All published releases, the newest first.
    fn list(&self) -> Result<Vec<ReleaseId>, ReleaseError>;

    /// The manifest of a release, proved by its id.
    fn manifest(&self, id: &ReleaseId) -> Result<Manifest, ReleaseError>;

    /// Size of a release in bytes, including its manifest.
    fn size(&self, id: &ReleaseId) -> Result<u64, ReleaseError>;

    /// Checks that every file has its size, without reading it.
    fn check_sizes(&self, id: &ReleaseId) -> Result<(), ReleaseError>;

    /// Reads every byte of a release where it is published, and checks it.
    fn verify(&self, id: &ReleaseId) -> Result<(), ReleaseError>;

    /// The newest whole release that has the contents of `id`, and its manifest. A damaged one is
    /// no reason not to write its contents anew.
    fn find_equal(&self, id: &ReleaseId) -> Result<Option<(ReleaseId, Manifest)>, ReleaseError> {
        let equals = self.list()?.into_iter();
        for equal in equals.filter(|published| published.has_contents_of(id)) {
            match self.verify(&equal).and_then(|()| self.manifest(&equal)) {
                Ok(manifest) => return Ok(Some((equal, manifest))),
                Err(error @ ReleaseError::S3 { .. }) => return Err(error),
                Err(_damaged) => {}
            }
        }
        Ok(None)
    }

    /// Opens a release: its manifest is proved by the id, its files are not read yet.
    fn open(&self, id: &ReleaseId) -> Result<Release, ReleaseError>;

    /// The identities of a release's records. In S3, no more of it than that is fetched.
    fn identities(&self, id: &ReleaseId) -> Result<Identities, ReleaseError> {
        self.open(id)?.identities()
    }

    /// An error if a release is neither on this machine nor published; none of its files is read.
    fn find(&self, id: &ReleaseId) -> Result<(), ReleaseError> {
        match self.open_here(id) {
            Err(error) if error.is_damage() => self.manifest(id).map(drop),
            opened => opened.map(drop),
        }
    }

    /// Checks what must hold before a release may be activated: every file is whole.
    fn prove(&self, id: &ReleaseId, held: &ReleaseLock) -> Result<(), ReleaseError>;

    /// The same for a release just finished: its files were hashed as they were written, so they
    /// are not read again.
    fn prove_finished(&self, finished: &Finished) -> Result<(), ReleaseError>;

    /// Activates a release that was proved, unless what was active `before` no longer is. First
    /// logs the `attempt`: without an entry nothing is activated.
    fn set_current(
        &self,
        id: &ReleaseId,
        before: &ExpectedActive,
        step: Step,
        attempt: &Attempt,
        held: &ReleaseLock,
    ) -> Result<(), ReleaseError>;

    /// Adds an entry to the log, durably.
    fn log(&self, entry: &Entry, held: &ReleaseLock) -> Result<(), ReleaseError>;

    /// The latest entries of the log that are wanted.
    fn read_log(&self, query: LogQuery<'_>) -> Result<LogPart, ReleaseError>;

    /// The latest entry of the log that is wanted, among the last thousand. Later ones are asked
    /// about first, so what lies before it costs nothing in a bucket.
    fn latest_entry(
        &self,
        is_wanted: &mut dyn FnMut(&Entry) -> bool,
    ) -> Result<Option<Entry>, ReleaseError>;

    /// Removes every release that there is no reason to keep, and leftovers.
    fn prune(&self, now_seconds: i64, held: &ReleaseLock) -> Result<Pruned, ReleaseError>;

    /// What [`Self::prune`] would do; changes nothing. It takes no lock, so another process may
    /// change the outcome.
    fn prune_dry_run(&self, now_seconds: i64) -> Result<Pruned, ReleaseError>;

    /// How soon servers follow an activation of a release that they already have.
    fn followed_within(&self) -> &'static str;

    /// How long a server waits between reading the pointer.
    fn poll_interval(&self) -> Duration;

    /// The pointer last cached on this machine, for a server that starts while S3 is unreachable.
    fn cached_pointer(&self) -> Result<Option<Pointer>, ReleaseError> {
        Ok(None)
    }

    /// Caches a pointer on this machine, once its release is served.
    fn cache_pointer(&self, _pointer: &Pointer) -> Result<(), ReleaseError> {
        Ok(())
    }

    /// Opens a release only if it is on this machine.
    fn open_here(&self, id: &ReleaseId) -> Result<Release, ReleaseError> {
        self.open(id)
    }

    /// Reports that the opened release is damaged: a copy is fetched again the next time.
    fn invalidate(&self, _id: &ReleaseId) -> Result<(), ReleaseError> {
        Ok(())
    }

    /// Marks a release as served here, every few seconds, so that it is not removed. In a directory
    /// an open release is locked, and needs no mark.
    fn mark_in_use(&self, _served: &ReleaseId) -> Result<(), ReleaseError> {
        Ok(())
    }

    /// Fetches what may be activated next, which may take long, and removes unneeded copies; a
    /// server does so every few seconds. A directory has no copies.
    fn prefetch(&self, _served: &ReleaseId, _now_seconds: i64) -> Prefetched {
        Prefetched::default()
    }

    /// Tries out whether the store keeps the conditions of writes, with an object that is removed
    /// again; `None` for a directory, which needs no trial.
    fn try_out(&self) -> Option<Result<TriedOut, ReleaseError>> {
        None
    }

    /// Cancels the requests to other machines, because this process ends.
    fn cancel(&self) {}

    /// The active release, if any was ever activated.
    fn current(&self) -> Result<Option<ReleaseId>, ReleaseError> {
        Ok(self.pointer()?.map(|pointer| pointer.release))
    }

    /// Activates a release, once every file has proved whole.
    fn activate(
        &self,
        id: &ReleaseId,
        before: &ExpectedActive,
        attempt: &Attempt,
        held: &ReleaseLock,
    ) -> Result<(), ReleaseError> {
        self.prove(id, held)?;
        self.set_current(id, before, Step::Forward, attempt, held)
    }

    /// Activates the release that was just finished.
    fn activate_finished(
        &self,
        finished: &Finished,
        before: &ExpectedActive,
        attempt: &Attempt,
    ) -> Result<(), ReleaseError> {
        self.prove_finished(finished)?;
        self.set_current(&finished.id, before, Step::Forward, attempt, &finished.lock)
    }

    /// Goes back to the latest earlier active release that is whole; `None` if nothing
    /// was ever activated. Forgets what was active since, so that the next rollback goes further.
    fn roll_back(
        &self,
        attempt: &Attempt,
        held: &ReleaseLock,
    ) -> Result<Option<RolledBack>, ReleaseError> {
        let Some(pointer) = self.pointer()? else {
            return Ok(None);
        };
        let mut passed_over = Vec::new();
        for id in pointer.previous {
            match self.prove(&id, held) {
                Ok(()) => {
                    let before = ExpectedActive::Release(pointer.release.clone());
                    self.set_current(&id, &before, Step::Back, attempt, held)?;
                    return Ok(Some(RolledBack {
                        from: pointer.release,
                        to: Some(id),
                        passed_over,
                    }));
                }
                Err(damage) if damage.is_damage() => passed_over.push(PassedOver { id, damage }),
                Err(error) => return Err(error),
            }
        }
        Ok(Some(RolledBack {
            from: pointer.release,
            to: None,
            passed_over,
        }))
    }
}

#[cfg(test)]
mod tests;
