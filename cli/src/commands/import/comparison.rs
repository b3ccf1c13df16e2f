//! Compares the new release with the active one, for the guards and for the summary.
//!
//! A damaged active release is not treated like a failing disk: the damage is a fact about the
//! catalogue, which the operator may allow an import to accept; a failing disk is no basis for a
//! decision.

use std::fmt;

use anyhow::Context as _;
use shared::base::error_chain::chain;
use shared::release::{ExpectedActive, ReleaseDiff, ReleaseError, ReleaseId, Releases};

use crate::commands::diff::EXAMPLES_MAX;
use crate::commands::diff::changes::{ChangedFields, Side};

/// Most bytes of bodies of which an import compares every changed one, for both releases together:
/// some 20,000 boats in each, in a small fraction of the time that importing them takes.
const COMPARED_MAX: u64 = 128 << 20;
/// Most changed records of a kind that it compares in larger releases. The share that is estimated
/// from them is rarely off by more than 2 %.
const SAMPLE_MAX: usize = 4_000;

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
    /// Compares them, and the values of their fields if they differ. It is an error if the new
    /// release cannot be read, or if a disk fails.
    pub(super) fn new(
        releases: &dyn Releases,
        active: &Active,
        new: &ReleaseId,
    ) -> anyhow::Result<(Self, Option<ChangedFields>)> {
        let active = match active {
            Active::None => return Ok((Self::NoneActive, None)),
            Active::Unknown(why) => return Ok((Self::Impossible(why.clone()), None)),
            Active::Release(id) => id,
        };
        let read = |id| releases.open(id).and_then(Side::read);
        let failed = || format!("could not look at the release {new}, which is not activated");
        let side = read(new).with_context(failed)?;
        let compare = |old: &Side| {
            let diff = ReleaseDiff::of(&old.contents, &side.contents, EXAMPLES_MAX);
            let is_other = diff.from != diff.to;
            let changed = is_other
                .then(|| ChangedFields::read([old, &side], COMPARED_MAX, SAMPLE_MAX))
                .transpose()?;
            Ok((Self::Diff(Box::new(diff)), changed))
        };
        match read(active).and_then(|old| compare(&old)) {
            Ok(compared) => Ok(compared),
            Err(error) if error.is_damage() => Ok((Self::Impossible(chain(&error)), None)),
            Err(error) => Err(error).with_context(|| {
                format!(
                    "could not compare the release {new}, which is not activated, \
                     with the active one"
                )
            }),
        }
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
        let (compared, _) = Comparison::new(&store, &unknown, &new).unwrap();
        assert!(matches!(compared, Comparison::Impossible(why) if why == "cut"));
        let (compared, _) = Comparison::new(&store, &Active::None, &new).unwrap();
        assert!(matches!(compared, Comparison::NoneActive));
    }
}
