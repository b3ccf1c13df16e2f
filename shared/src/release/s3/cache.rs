//! The copies on this disk: which are fetched before anybody asks for them, and which go.
//!
//! Fetched are the active release, those it can be rolled back to, and the newest that were never
//! active, so that whatever is activated next is here already. No others stay but what somebody
//! has open, and what was fetched a moment ago.

use std::collections::BTreeMap;

use super::{S3Releases, lock};
use crate::release::prune::PREVIOUS_KEPT;
use crate::release::releases::Tended;
use crate::release::{ReleaseError, ReleaseId, ReleaseLock};

/// How many of the newest releases that were never active are fetched ahead.
const AHEAD_MAX: usize = 2;
/// Copies younger than this stay: somebody may be about to open them.
const YOUNG_SECONDS: i64 = 10 * 60;
/// After how long a release is tried again that could not be fetched, and at most after how long:
/// twice as long each time.
const RETRY_SECONDS: i64 = 5;
const RETRY_SECONDS_MAX: i64 = 5 * 60;

/// What could not be fetched, until when it is not tried again, and how long that was.
pub(super) type Refused = BTreeMap<ReleaseId, (i64, i64)>;

impl S3Releases {
    /// Looks what is wanted, fetches what is missing, removes what is left.
    pub(super) fn tend_copies(&self, served: &ReleaseId, now: i64) -> Tended {
        let mut tended = Tended::default();
        match self.wanted() {
            Ok(wanted) => {
                self.fetch_ahead(&wanted, now, &mut tended);
                let removed = self.remove_unwanted(&wanted, served, now);
                tended.failures.extend(removed.err());
            }
            Err(error) => tended.failures.push(error),
        }
        tended
    }

    /// The active release, those to roll back to, and those that may be activated next.
    fn wanted(&self) -> Result<Vec<ReleaseId>, ReleaseError> {
        let Some(pointer) = self.read_pointer()? else {
            return Ok(Vec::new());
        };
        let published = self.list_published()?;
        let was_active = |id: &&ReleaseId| **id == pointer.release || pointer.previous.contains(id);
        let ahead = published.iter().filter(|id| !was_active(id));
        let ahead: Vec<_> = ahead.take(AHEAD_MAX).cloned().collect();
        let previous = pointer.previous.into_iter();
        let previous = previous.filter(|id| published.contains(id));
        let wanted = [pointer.release]
            .into_iter()
            .chain(previous.take(PREVIOUS_KEPT));
        Ok(wanted.chain(ahead).collect())
    }

    fn fetch_ahead(&self, wanted: &[ReleaseId], now: i64, tended: &mut Tended) {
        lock(&self.refused).retain(|id, _| wanted.contains(id));
        for id in wanted {
            let refused = lock(&self.refused).get(id).copied();
            if self.cache.directory(id).is_dir() || refused.is_some_and(|(until, _)| now < until) {
                continue;
            }
            match self.fetch(id) {
                Ok(()) => tended.fetched.push(id.clone()),
                Err(error) => {
                    let pause = refused.map_or(RETRY_SECONDS, |(_, pause)| 2 * pause);
                    let pause = pause.min(RETRY_SECONDS_MAX);
                    lock(&self.refused).insert(id.clone(), (now + pause, pause));
                    tended.failures.push(error);
                }
            }
        }
    }

    /// Somebody else may be changing what is here; then it is done another time.
    fn remove_unwanted(
        &self,
        wanted: &[ReleaseId],
        served: &ReleaseId,
        now: i64,
    ) -> Result<(), ReleaseError> {
        if self.left(wanted, Some(served))?.is_empty() {
            return Ok(());
        }
        match self.cache.lock() {
            Err(ReleaseError::Busy { .. }) => Ok(()),
            locked => self.remove_left(wanted, Some(served), now, &locked?),
        }
    }

    /// Removes the copies that nobody needs, on a machine where no server may do so.
    pub(super) fn prune_copies(&self, now: i64, held: &ReleaseLock) -> Result<(), ReleaseError> {
        self.remove_left(&self.wanted()?, None, now, held)
    }

    fn remove_left(
        &self,
        wanted: &[ReleaseId],
        served: Option<&ReleaseId>,
        now: i64,
        held: &ReleaseLock,
    ) -> Result<(), ReleaseError> {
        self.left(wanted, served)?.iter().try_for_each(|id| {
            let age_seconds = now - self.cache.modified_seconds(id)?;
            if age_seconds < YOUNG_SECONDS {
                return Ok(());
            }
            self.remove_copy(id, held)
        })
    }

    /// The copies that nobody is known to need; none where it is not known what is wanted.
    fn left(
        &self,
        wanted: &[ReleaseId],
        served: Option<&ReleaseId>,
    ) -> Result<Vec<ReleaseId>, ReleaseError> {
        if wanted.is_empty() {
            return Ok(Vec::new());
        }
        let kept = self.kept()?;
        let needed =
            |id: &ReleaseId| wanted.contains(id) || Some(id) == served || Some(id) == kept.as_ref();
        let copies = self.cache.list()?.into_iter();
        Ok(copies.filter(|id| !needed(id)).collect())
    }

    fn kept(&self) -> Result<Option<ReleaseId>, ReleaseError> {
        match self.cache.current() {
            Err(ReleaseError::DamagedPointer { .. }) => Ok(None),
            read => read,
        }
    }

    /// Removes a copy, unless somebody has it open.
    pub(super) fn remove_copy(
        &self,
        id: &ReleaseId,
        held: &ReleaseLock,
    ) -> Result<(), ReleaseError> {
        self.cache.remove_unused(id, held)
    }
}
