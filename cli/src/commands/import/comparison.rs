//! Compares the new release with the active one, for the guards and for the summary.
//!
//! A damaged active release is not treated like a failing disk: the damage is a fact about the
//! catalogue, which the operator may allow an import to accept; a failing disk is no basis for a
//! decision.

use std::fmt;

use anyhow::Context as _;
use shared::base::error_chain::chain;
use shared::release::diff::Contents;
use shared::release::{ExpectedActive, ReleaseDiff, ReleaseError, ReleaseId, Releases};

use crate::commands::diff::EXAMPLES_MAX;
use crate::commands::diff::changes::ChangedFields;

/// Most bytes of bodies that an import compares, for both releases together: some 20,000 boats in
/// each, in a small fraction of the time that importing them takes.
const COMPARED_MAX: u64 = 128 << 20;

/// Which release is served.
pub(in crate::commands) enum Active {
    /// None was ever activated.
    None,
    /// This one.
    Release(ReleaseId),
    /// The pointer to it is damaged, in this way.
    Unknown(String),
}

impl Active {
    /// Reads the pointer.
    pub(super) fn read(releases: &dyn Releases) -> Result<Self, ReleaseError> {
        match releases.current() {
            Ok(None) => Ok(Self::None),
            Ok(Some(id)) => Ok(Self::Release(id)),
            Err(error) if error.is_damage() => Ok(Self::Unknown(chain(&error))),
            Err(error) => Err(error),
        }
    }

    /// The same, as the condition for activating another one.
    pub(super) fn before(&self) -> ExpectedActive {
        match self {
            Self::None => ExpectedActive::Nothing,
            Self::Release(id) => ExpectedActive::Release(id.clone()),
            Self::Unknown(_) => ExpectedActive::Damaged,
        }
    }

    /// Its id, if there is one and it is known.
    pub(in crate::commands) const fn id(&self) -> Option<&ReleaseId> {
        match self {
            Self::Release(id) => Some(id),
            Self::None | Self::Unknown(_) => None,
        }
    }
}

impl fmt::Display for Active {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("none"),
            Self::Release(id) => id.fmt(f),
            Self::Unknown(_) => f.write_str("not known"),
        }
    }
}

/// The new release compared with the previously active one.
pub(super) enum Comparison {
    /// None was active.
    NoneActive,
    /// How they differ.
    Diff(Box<ReleaseDiff>),
    /// The active one, or the pointer to it, is damaged or gone, in this way.
    Impossible(String),
}

impl Comparison {
    /// Compares them. It is an error if the new release cannot be read, or if a disk fails.
    pub(super) fn new(
        releases: &dyn Releases,
        active: &Active,
        new: &ReleaseId,
    ) -> anyhow::Result<Self> {
        let active = match active {
            Active::None => return Ok(Self::NoneActive),
            Active::Unknown(why) => return Ok(Self::Impossible(why.clone())),
            Active::Release(id) => id,
        };
        let read = |id| {
            releases
                .open(id)
                .and_then(|release| Contents::read(&release))
        };
        let failed = || format!("could not look at the release {new}, which is not activated");
        let contents = read(new).with_context(failed)?;
        match read(active) {
            Ok(old) => {
                let diff = ReleaseDiff::of(&old, &contents, EXAMPLES_MAX);
                Ok(Self::Diff(Box::new(diff)))
            }
            Err(error) if error.is_damage() => Ok(Self::Impossible(chain(&error))),
            Err(error) => Err(error).with_context(|| {
                format!(
                    "could not compare the release {new}, which is not activated, \
                     with the active one"
                )
            }),
        }
    }

    /// In how many records each field changed, if there is a difference. `None` for large
    /// catalogues, so that an import does not take longer, and if bodies cannot be read: `diff`
    /// shows the changes, or says why it cannot.
    pub(super) fn changed_fields(&self, releases: &dyn Releases) -> Option<ChangedFields> {
        let diff = self.diff().filter(|diff| diff.from != diff.to)?;
        let sides = [&diff.from, &diff.to].map(|id| releases.open_here(id).ok());
        let [Some(old), Some(new)] = sides else {
            return None;
        };
        ChangedFields::read([old, new], COMPARED_MAX).ok().flatten()
    }

    pub(super) const fn diff(&self) -> Option<&ReleaseDiff> {
        match self {
            Self::Diff(diff) => Some(diff),
            Self::NoneActive | Self::Impossible(..) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use shared::base::data_dir::DataDir;
    use shared::release::ReleaseStore;

    use super::*;

    #[test]
    fn a_new_release_that_cannot_be_read_is_an_error_and_never_an_impossible_comparison() {
        let directory = tempfile::tempdir().unwrap();
        let store = ReleaseStore::new(DataDir::new(directory.path()));
        let [old, new] = [
            "20261120T101500Z-3f2a9c1b4d5e6f70",
            "20261121T101500Z-3f2a9c1b4d5e6f70",
        ]
        .map(|id| ReleaseId::parse(id).unwrap());
        let compared = Comparison::new(&store, &Active::Release(old), &new);
        let error = compared.err().unwrap().to_string();
        assert!(error.contains(new.as_str()), "{error}");
        let unknown = Active::Unknown("cut".to_owned());
        let compared = Comparison::new(&store, &unknown, &new).unwrap();
        assert!(matches!(compared, Comparison::Impossible(why) if why == "cut"));
        let compared = Comparison::new(&store, &Active::None, &new).unwrap();
        assert!(matches!(compared, Comparison::NoneActive));
    }
}
