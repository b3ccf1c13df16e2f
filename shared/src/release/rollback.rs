//! Rolling back: to the latest of the releases that were active before and is still whole.

use super::{ReleaseError, ReleaseId, ReleaseLock, ReleaseStore};

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

impl ReleaseStore {
    /// Activates the latest release that was active before and is whole; `None` where nothing was
    /// ever activated.
    pub fn roll_back(&self, _held: &ReleaseLock) -> Result<Option<RolledBack>, ReleaseError> {
        let Some(pointer) = self.pointer()? else {
            return Ok(None);
        };
        let mut passed_over = Vec::new();
        for id in pointer.previous {
            match self.open(&id).and_then(|release| release.verify()) {
                Ok(()) => {
                    self.point_to(&id)?;
                    return Ok(Some(RolledBack {
                        from: pointer.release,
                        to: Some(id),
                        passed_over,
                    }));
                }
                Err(damage) if damage.is_damage() => passed_over.push(PassedOver { id, damage }),
                Err(error) => return Err(error),
            }
        }
        Ok(Some(RolledBack {
            from: pointer.release,
            to: None,
            passed_over,
        }))
    }
}
