//! The pointer in S3: read, and replaced only in the state in which it was read.
//!
//! Before the first release is activated, a probe finds out whether the store is one to rely on.

use std::sync::Arc;

use bytes::Bytes;
use parking_lot::Mutex;

use super::bucket::S3Error;
use super::bucket::{Bucket, Got};
use super::log::SharedLog;
use super::probe::{Probe, TriedOut};
use crate::release::interruption::{Change, uninterrupted};
use crate::release::log::Entry;
use crate::release::pointer::{Pointer, Step};
use crate::release::releases::ExpectedActive;
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
    /// The pointer as it was seen last.
    seen: Mutex<Option<Seen>>,
}

/// The pointer in one of its states.
#[derive(Clone)]
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
            seen: Mutex::default(),
        }
    }

    /// The pointer, read again only if it changed.
    pub(super) fn read(&self) -> Result<Option<Pointer>, ReleaseError> {
        let Some(seen) = self.look()? else {
            return Ok(None);
        };
        let damaged = || ReleaseError::DamagedPointer {
            path: self.bucket.path(CURRENT),
        };
        seen.pointer.map(Some).ok_or_else(damaged)
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
            let written = log.append(entry)?;
            let swapped = self.try_to_swap(id, before, step);
            if swapped.as_ref().is_err_and(is_refused) {
                // It is the lesser failure, and the next entry shows that nothing was activated.
                _ = written.take_back();
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
            let seen = self.look()?;
            let now = state(seen.as_ref());
            if now != *before {
                return Err(ReleaseError::overtaken(id, now));
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
        Err(ReleaseError::overtaken(id, state(self.look()?.as_ref())))
    }

    /// Fails where the store is not one to rely on. That nothing may be written is for the write to
    /// say that follows.
    pub(super) fn try_out(&self) -> Result<TriedOut, ReleaseError> {
        Probe::new(&self.bucket, &self.who).try_out()
    }

    fn is_written(&self, next: &Pointer) -> Result<bool, ReleaseError> {
        let seen = self.look()?;
        Ok(seen.and_then(|seen| seen.pointer).as_ref() == Some(next))
    }

    fn look(&self) -> Result<Option<Seen>, ReleaseError> {
        let known = self.seen.lock().clone();
        let unless = known.as_ref().and_then(|seen| seen.etag.as_deref());
        let seen = match self.bucket.get(CURRENT, BYTES_MAX, unless)? {
            Got::Unchanged => known,
            Got::Missing => None,
            Got::Contents(contents) => {
                let text = std::str::from_utf8(&contents.bytes).ok();
                Some(Seen {
                    pointer: text.and_then(Pointer::parse),
                    etag: contents.etag,
                })
            }
        };
        self.seen.lock().clone_from(&seen);
        Ok(seen)
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
