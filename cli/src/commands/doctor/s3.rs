//! The store of releases in S3: whether it is one to rely on.

use anyhow::Result;
use shared::release::ReleaseError;
use shared::release::s3::TriedOut;

use super::inputs::Inputs;
use super::observation::Observation;

/// Tries the store out if it can be read; if not, the check of the pointer reports that. A
/// directory has nothing to report.
pub(super) fn suitable(inputs: &Inputs<'_>) -> Result<Vec<Observation>> {
    if let Err(ReleaseError::S3 { .. }) = &inputs.active {
        return Ok(Vec::new());
    }
    let Some(tried) = inputs.releases.try_out() else {
        return Ok(Vec::new());
    };
    Ok(vec![match tried? {
        TriedOut::Suitable => Observation::ok(
            "conditions of writes are honoured, and what is written is read and listed at once",
        ),
        TriedOut::ReadOnly => Observation::ok(
            "not tried out: these keys may read and not write, as those of a server; an \
             operator's tell more",
        ),
    }])
}
