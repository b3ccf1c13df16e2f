//! What the sources of `server` find under the name `catalogue`: a release that was opened, every
//! byte of which was verified.

use shared::release::{InUse, Release, ReleaseError};

/// A release that is open.
#[derive(Default)]
pub struct Catalogue {
    id: String,
    _in_use: Option<InUse>,
}

/// How a release is opened: there is one way here.
#[derive(Clone, Copy, Debug, Default)]
pub struct OpenSettings;

/// Why a release is not open.
#[derive(Debug, thiserror::Error)]
pub enum OpenCatalogueError {
    /// It could not be read.
    #[error("could not read the release")]
    Release(#[from] ReleaseError),
}

impl Catalogue {
    pub(crate) fn open(
        release: &Release,
        OpenSettings: OpenSettings,
    ) -> Result<Self, OpenCatalogueError> {
        release.verify()?;
        let id = release.id().to_string();
        Ok(Self {
            id,
            _in_use: Some(release.in_use()),
        })
    }

    /// Empty where nothing is served.
    pub(crate) fn release_id(&self) -> &str {
        &self.id
    }
}
