//! A release as typed: its id, the beginning of its id, or a word.

use std::str::FromStr;

use anyhow::Context as _;
use shared::release::{ReleaseId, Releases};

use crate::commands::beginning;
use crate::hints::Hinted;

/// A release, as typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReleaseName {
    /// The active one.
    Current,
    /// The one that was active before it.
    Previous,
    /// The one that was published last.
    Latest,
    /// The one with this id.
    Id(ReleaseId),
    /// The only one whose id begins so.
    Beginning(String),
}

/// A text that cannot be the name of a release.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "an id looks like 20261121T101500Z-3f2a9c1b4d5e6f70, and {} characters of its beginning may be \
    enough; `current`, `previous` and `latest` name releases too",
    beginning::LENGTH_MIN
)]
pub struct NoReleaseName;

impl FromStr for ReleaseName {
    type Err = NoReleaseName;

    fn from_str(text: &str) -> Result<Self, NoReleaseName> {
        if let Some(id) = ReleaseId::parse(text) {
            return Ok(Self::Id(id));
        }
        let of_an_id = |byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f' | b'T' | b'Z' | b'-');
        match text {
            "current" => Ok(Self::Current),
            "previous" => Ok(Self::Previous),
            "latest" => Ok(Self::Latest),
            text if beginning::LENGTH_MIN <= text.len() && text.bytes().all(of_an_id) => {
                Ok(Self::Beginning(text.to_owned()))
            }
            _ => Err(NoReleaseName),
        }
    }
}

impl ReleaseName {
    /// The id of the release; `failed` says what it is for, in errors. An id that was typed whole
    /// is returned without a lookup.
    pub(super) fn id(&self, releases: &dyn Releases, failed: &str) -> anyhow::Result<ReleaseId> {
        let found: anyhow::Result<ReleaseId> = match self {
            Self::Id(id) => return Ok(id.clone()),
            Self::Current => releases.current()?.context("no release is active"),
            Self::Previous => {
                let pointer = releases.pointer()?;
                let previous = pointer.and_then(|pointer| pointer.previous.into_iter().next());
                previous.context("no other release was active before")
            }
            Self::Latest => {
                let all = releases.list()?;
                let newest = all.first().map(ReleaseId::unix_seconds);
                let is_newest = |id: &&ReleaseId| Some(id.unix_seconds()) == newest;
                return latest(&all.iter().filter(is_newest).collect::<Vec<_>>(), failed);
            }
            Self::Beginning(beginning) => {
                let all = releases.list()?;
                return beginning::only(beginning, "release", all, ReleaseId::as_str);
            }
        };
        found.with_context(|| failed.to_owned())
    }
}

/// The release that was published last, if only one was: ids contain times only to the second.
fn latest(newest: &[&ReleaseId], failed: &str) -> anyhow::Result<ReleaseId> {
    match newest {
        [] => Err(anyhow::anyhow!("{failed}: there are no releases")),
        [one] => Ok((*one).clone()),
        [..] => {
            let (count, ids) = beginning::candidates(newest, |id| id.as_str());
            let error = anyhow::anyhow!(
                "{failed}: {count} releases were published last, in one second: {ids}"
            );
            Err(Hinted::wrong_usage(error, "name one of them by its id").into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_is_named_by_a_word_its_id_or_a_beginning_of_it() {
        let id = "20261121T101500Z-3f2a9c1b4d5e6f70";
        assert_eq!("current".parse(), Ok(ReleaseName::Current));
        assert_eq!("previous".parse(), Ok(ReleaseName::Previous));
        assert_eq!("latest".parse(), Ok(ReleaseName::Latest));
        let whole = ReleaseId::parse(id).unwrap();
        assert_eq!(id.parse(), Ok(ReleaseName::Id(whole)));
        for end in beginning::LENGTH_MIN..id.len() {
            let beginning = ReleaseName::Beginning(id[..end].to_owned());
            assert_eq!(id[..end].parse(), Ok(beginning));
        }
        for text in [
            "", "202", "newest", "Current", "../2026", "2026é", "2026 ", "2026%",
        ] {
            assert_eq!(text.parse::<ReleaseName>(), Err(NoReleaseName), "{text:?}");
        }
    }
}
