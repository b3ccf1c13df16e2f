//! The time by the clock of S3, which says when objects were written.
//!
//! Whoever judges how old an object is by another clock removes what is new where that clock is
//! fast: marks that were just made, and files of an upload under way.

use bytes::Bytes;

use super::S3Releases;
use crate::release::ReleaseError;

/// The folder of objects that are written to see when.
const TIME: &str = "time/";

impl S3Releases {
    /// What S3's clock shows when ours shows `now`.
    pub(super) fn server_time(&self, now: i64) -> Result<i64, ReleaseError> {
        let name = format!("{TIME}{}", self.who);
        let written = self.clock.now().unix_seconds();
        self.bucket.put(&name, Bytes::new())?;
        let listed = self.bucket.list(TIME)?;
        self.bucket.remove(&name)?;
        let Some(object) = listed.into_iter().find(|object| object.name == name) else {
            return Err(ReleaseError::damaged(
                &self.bucket.path(&name),
                "it is not listed after it was written",
            ));
        };
        Ok(now.saturating_add(object.modified_seconds.saturating_sub(written)))
    }
}
