//! The pointer in S3: read, and replaced only in the state in which it was read.
//!
//! Before the first release is activated, a probe finds out whether the store is one to rely on.

use std::sync::Arc;

use bytes::Bytes;

use super::bucket::{Bucket, S3Error};
use super::log::SharedLog;
use super::probe::Probe;
use crate::release::interruption::{Change, uninterrupted};
use crate::release::log::Entry;
use crate::release::pointer::{Pointer, Step};
use crate::release::releases::{ExpectedActive, TriedOut};
use crate::release::{ReleaseError, ReleaseId};

/// Its name.
const CURRENT: &str = "current";
/// Most bytes of a pointer, which has fewer than a thousand.
const BYTES_MAX: u64 = 1 << 16;
/// So often it is tried anew when the pointer changed and names the same release as before.
const ATTEMPTS: u32 = 3;

/// The pointer, as all machines see it.
pub(super) struct SharedPointer {
    bucket: Arc<Bucket>,
    /// Unique to this process.
    who: String,
}

/// The pointer in one of its states.
struct Seen {
    /// `None` where its text does not prove itself.
    pointer: Option<Pointer>,
    etag: Option<String>,
}

impl SharedPointer {
    /// The pointer in `bucket`. `who` is unique to this process.
    pub(super) fn new(bucket: Arc<Bucket>, who: &str) -> Self {
        Self {
            bucket,
            who: who.to_owned(),
        }
    }

    /// The pointer, if there is one.
    pub(super) fn read(&self) -> Result<Option<Pointer>, ReleaseError> {
        match self.check()? {
            None => Ok(None),
            Some(Seen { pointer: None, .. }) => Err(ReleaseError::DamagedPointer {
                path: self.bucket.path(CURRENT),
            }),
            Some(seen) => Ok(seen.pointer),
        }
    }

    /// Makes the pointer name `id`, if it still names what was active before; with that `entry` in
    /// the log.
    pub(super) fn swap(
        &self,
        id: &ReleaseId,
        before: &ExpectedActive,
        step: Step,
        log: &SharedLog,
        entry: &Entry,
    ) -> Result<(), ReleaseError> {
        let activated = Change::Activated(id.clone());
        uninterrupted(Some(activated), || {
            let name = log.append(entry)?;
            let swapped = self.try_to_swap(id, before, step);
            if swapped.as_ref().is_err_and(is_refused) {
                // What the entry says did not come to pass. Where it stays, that is the lesser
                // failure, and the next entry shows that nothing was activated.
                _ = self.bucket.remove(&name);
            }
            swapped
        })
    }

    fn try_to_swap(
        &self,
        id: &ReleaseId,
        before: &ExpectedActive,
        step: Step,
    ) -> Result<(), ReleaseError> {
        for _attempt in 0..ATTEMPTS {
            let seen = self.check()?;
            let now = state(seen.as_ref());
            if now != *before {
                return Err(now.overtakes(id));
            }
            let (pointer, etag) = seen.map_or((None, None), |seen| (seen.pointer, Some(seen.etag)));
            let next = Pointer::after_step(pointer, id.clone(), step);
            let text = Bytes::from(next.to_text());
            let written = match etag {
                None => {
                    // The first that is ever activated here.
                    self.try_out()?;
                    self.bucket.create(CURRENT, text)
                }
                Some(etag) => self.bucket.replace(CURRENT, text, etag),
            };
            match written {
                Ok(true) => return Ok(()),
                // The write may have come to pass though its answer was lost, after which a second
                // attempt finds the pointer changed: by itself.
                Ok(false) if self.is_written(&next)? => return Ok(()),
                Ok(false) => {}
                Err(_lost) if self.is_written(&next).unwrap_or(false) => return Ok(()),
                Err(error) => return Err(error),
            }
        }
        Err(state(self.check()?.as_ref()).overtakes(id))
    }

    /// Fails where the store is not one to rely on. That nothing may be written is for the write to
    /// say that follows.
    pub(super) fn try_out(&self) -> Result<TriedOut, ReleaseError> {
        Probe::new(&self.bucket, &self.who).try_out()
    }

    fn is_written(&self, next: &Pointer) -> Result<bool, ReleaseError> {
        let seen = self.check()?;
        Ok(seen.and_then(|seen| seen.pointer).as_ref() == Some(next))
    }

    fn check(&self) -> Result<Option<Seen>, ReleaseError> {
        let contents = self.bucket.get(CURRENT, BYTES_MAX)?;
        Ok(contents.map(|contents| Seen {
            pointer: str::from_utf8(&contents.bytes)
                .ok()
                .and_then(Pointer::parse),
            etag: contents.etag,
        }))
    }
}

/// Whether it is certain that the pointer was left as it was: after other failures it may have been
/// written.
const fn is_refused(error: &ReleaseError) -> bool {
    matches!(
        error,
        ReleaseError::Overtaken { .. }
            | ReleaseError::S3 {
                source: S3Error::Unsuitable(_),
                ..
            }
    )
}

fn state(seen: Option<&Seen>) -> ExpectedActive {
    match seen.map(|seen| &seen.pointer) {
        None => ExpectedActive::Nothing,
        Some(None) => ExpectedActive::Damaged,
        Some(Some(pointer)) => ExpectedActive::Release(pointer.release.clone()),
    }
}
