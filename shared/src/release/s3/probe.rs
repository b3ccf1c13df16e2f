//! Whether S3 keeps the conditions of writes, tried out before anything hangs on it.
//!
//! One that writes whatever the condition is lets operators overtake each other unseen.

use bytes::Bytes;

use super::{S3Error, S3Releases};
use crate::release::ReleaseError;

/// The state of no object.
const NO_STATE: &str = "\"0\"";

impl S3Releases {
    /// Fails where an object is written that is there already, or in another state.
    pub(super) fn check_conditions(&self) -> Result<(), ReleaseError> {
        let name = format!("probe/{}", self.who);
        self.bucket.create(&name, Bytes::new())?;
        let is_made_again = self.bucket.create(&name, Bytes::new())?;
        let state = Some(NO_STATE.to_owned());
        let is_replaced = self.bucket.replace(&name, Bytes::new(), state)?;
        self.bucket.remove(&name)?;
        if !is_made_again && !is_replaced {
            return Ok(());
        }
        Err(ReleaseError::S3 {
            action: "rely on",
            object: self.bucket.address().to_string(),
            source: S3Error::Unconditional,
        })
    }
}
