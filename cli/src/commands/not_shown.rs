//! What is said where a change is made and cannot be shown: a cause alone, such as a full disk, would
//! have it made again.

use crate::hints::Hinted;

/// What came of showing a change that is made. An error that has a hint says itself what is so.
pub(super) fn made(shown: Result<(), impl Into<anyhow::Error>>) -> anyhow::Result<()> {
    shown.map_err(Into::into).map_err(|error| {
        if error.is::<Hinted>() {
            return error;
        }
        error.context("the change is made, but could not be shown")
    })
}
