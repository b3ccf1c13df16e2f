//! The store of releases in S3: whether it is one to rely on.

use anyhow::Result;
use shared::release::ReleaseError;
use shared::release::releases::TriedOut;

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
            "it honours conditions of writes, and what is written can be read at once",
        ),
        TriedOut::ReadOnly => Observation::ok(
            "not tried out, since these credentials may not write, as those of a server; run \
             this with an operator's",
        ),
    }])
}
