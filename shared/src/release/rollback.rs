//! What rolling back comes to: the latest of the releases that were active before and is still
//! whole is active again.

use super::{ReleaseError, ReleaseId};

/// A release that was not rolled back to.
#[derive(Debug)]
pub struct PassedOver {
    /// The release.
    pub id: ReleaseId,
    /// What is wrong with it.
    pub damage: ReleaseError,
}

/// What rolling back came to.
#[derive(Debug)]
pub struct RolledBack {
    /// What was active until then.
    pub from: ReleaseId,
    /// What is active now; `None` where no earlier release is whole, and nothing changed.
    pub to: Option<ReleaseId>,
    /// The later ones that are damaged or gone, the latest first.
    pub passed_over: Vec<PassedOver>,
}
