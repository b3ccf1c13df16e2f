//! Marks: small objects that keep a release from being pruned while somebody needs it.
//!
//! Whoever needs one marks it first and then looks whether it is still there; a prune takes the
//! manifest away first and then looks for marks. So one of the two sees the other, whatever the
//! order in which they come.

use std::time::Duration;

use bytes::Bytes;

use super::{S3Releases, lock};
use crate::release::manifest::MANIFEST;
use crate::release::{ReleaseError, ReleaseId};

use super::file_name;

/// The folder of marks.
pub(super) const IN_USE: &str = "in-use/";
/// Marks older than this count no more: whoever made it has ended, or is cut off.
pub(super) const MARKED_SECONDS: i64 = 5 * 60;
/// A mark is renewed when it is older than this.
const RENEWED_AFTER: Duration = Duration::from_mins(1);

/// A mark that this process keeps fresh.
pub(super) struct Marked {
    release: ReleaseId,
    /// By the monotonic clock, which nobody puts back.
    at: Duration,
}

impl S3Releases {
    /// Marks a release for as long as something short takes, and makes sure that it is there.
    pub(super) fn mark(&self, id: &ReleaseId) -> Result<(), ReleaseError> {
        self.bucket.put(&self.mark_name(id), Bytes::new())?;
        let names = self.bucket.list(&file_name(id, ""))?;
        let manifest = file_name(id, MANIFEST);
        if names.iter().any(|object| object.name == manifest) {
            return Ok(());
        }
        Err(ReleaseError::Unknown { id: id.to_string() })
    }

    /// Keeps the mark of the release that is served fresh, and takes away the one before it.
    pub(super) fn renew_mark(&self, served: &ReleaseId) -> Result<(), ReleaseError> {
        let mut marked = lock(&self.marked);
        let now = self.clock.monotonic();
        if let Some(mark) = &*marked
            && mark.release == *served
            && now.saturating_sub(mark.at) < RENEWED_AFTER
        {
            return Ok(());
        }
        self.bucket.put(&self.mark_name(served), Bytes::new())?;
        let mark = Marked {
            release: served.clone(),
            at: now,
        };
        if let Some(before) = marked.replace(mark)
            && before.release != *served
        {
            self.bucket.remove(&self.mark_name(&before.release))?;
        }
        Ok(())
    }

    fn mark_name(&self, id: &ReleaseId) -> String {
        format!("{IN_USE}{id}/{}", self.who)
    }
}
