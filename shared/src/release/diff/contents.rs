//! What is compared of a release: read at once, so that whatever cannot be read is known to belong
//! to that release and not to the other.

use crate::release::fields::FieldCounts;
use crate::release::reader::{Coded, TermCodes};
use crate::release::{Record, Release, ReleaseError, ReleaseId};

/// The identities, terms and fields of a release.
#[derive(Debug)]
pub struct Contents {
    pub(super) id: ReleaseId,
    pub(super) boats: Vec<Record>,
    pub(super) manufacturers: Vec<Record>,
    pub(super) terms: TermCodes,
    pub(super) fields: Option<FieldCounts>,
}

impl Contents {
    /// Reads what is compared of a release.
    pub fn read(release: &Release) -> Result<Self, ReleaseError> {
        let mut contents = Self {
            id: release.id().clone(),
            boats: release.boats()?,
            manufacturers: release.manufacturers()?,
            terms: release.terms()?,
            fields: release.manifest().fields.clone(),
        };
        for records in [&mut contents.boats, &mut contents.manufacturers] {
            records.sort_unstable_by(|a, b| a.id.cmp(&b.id));
        }
        Ok(contents)
    }

    /// The slugs by which boats can be filtered, each list with its parameter.
    pub(super) fn filters(&self) -> [(&'static str, &[Coded]); 3] {
        [
            ("type", &self.terms.types),
            ("category", &self.terms.categories),
            ("activity", &self.terms.activities),
        ]
    }
}
