//! The pointer to the active release: a small file with its own checksum.
//!
//! One line of JSON, one line with its SHA-256. A pointer that does not match its own hash is
//! damage, never a choice of release.

use std::io::ErrorKind;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{ReleaseError, ReleaseId};
use crate::base::durable;
use crate::base::hash::sha256_hex;
use crate::base::regular_file;

/// How many earlier releases the pointer remembers for rolling back.
const HISTORY_MAX: usize = 16;

/// How a change of the active release treats the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// What was active is remembered as the first to roll back to.
    Forward,
    /// What was active is forgotten, with all that was active since the release that it goes to.
    Back,
}

/// Which release is active, and which were before it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pointer {
    /// The active release.
    pub release: ReleaseId,
    /// Releases that were active before, the latest first.
    pub previous: Vec<ReleaseId>,
}

impl Pointer {
    /// Reads the pointer at `path`; `None` when there is none yet.
    pub fn read(path: &Path) -> Result<Option<Self>, ReleaseError> {
        let bytes = match regular_file::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(ReleaseError::io("read", path)(error)),
        };
        let pointer = std::str::from_utf8(&bytes).ok().and_then(Self::parse);
        pointer
            .map(Some)
            .ok_or_else(|| ReleaseError::DamagedPointer {
                path: path.to_owned(),
            })
    }

    /// Replaces the pointer at `path`, durably and atomically.
    pub fn write(&self, path: &Path) -> Result<(), ReleaseError> {
        durable::replace(path, self.to_text().as_bytes()).map_err(ReleaseError::io("write", path))
    }

    /// The pointer after a step to `release`.
    #[must_use]
    pub fn after_step(before: Option<Self>, release: ReleaseId, step: Step) -> Self {
        match (before, step) {
            (Some(before), Step::Back) => before.back_to(release),
            (before, _) => Self::after(before, release),
        }
    }

    /// The pointer after activating `release`.
    #[must_use]
    pub fn after(before: Option<Self>, release: ReleaseId) -> Self {
        let mut previous = Vec::new();
        if let Some(before) = before {
            previous.push(before.release);
            previous.extend(before.previous);
        }
        previous.retain(|id| *id != release);
        previous.truncate(HISTORY_MAX);
        Self { release, previous }
    }

    /// The pointer after going back to `release`. What was active since is forgotten, so that the
    /// next rollback goes further back, not forward again.
    #[must_use]
    pub fn back_to(self, release: ReleaseId) -> Self {
        let mut previous = self.previous.into_iter();
        previous.by_ref().find(|id| *id == release);
        Self {
            release,
            previous: previous.collect(),
        }
    }

    pub(super) fn to_text(&self) -> String {
        let json = serde_json::to_string(self)
            .unwrap_or_else(|error| unreachable!("a pointer did not serialise: {error}"));
        let checksum = sha256_hex(json.as_bytes());
        format!("{json}\n{checksum}\n")
    }

    pub(super) fn parse(text: &str) -> Option<Self> {
        let (json, checksum) = text.strip_suffix('\n')?.split_once('\n')?;
        if sha256_hex(json.as_bytes()) != checksum {
            return None;
        }
        serde_json::from_str(json).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(digit: char) -> ReleaseId {
        let hash = digit.to_string().repeat(16);
        ReleaseId::parse(&format!("20261121T101500Z-{hash}")).unwrap()
    }

    #[test]
    fn a_pointer_reads_back_as_written() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("current");
        assert_eq!(Pointer::read(&path).unwrap(), None);
        let pointer = Pointer::after(None, id('1'));
        pointer.write(&path).unwrap();
        assert_eq!(Pointer::read(&path).unwrap(), Some(pointer));
    }

    #[test]
    fn every_changed_byte_of_a_pointer_is_noticed() {
        let text = Pointer::after(None, id('1')).to_text();
        for place in 0..text.len() {
            let mut damaged = text.clone().into_bytes();
            damaged[place] ^= 1;
            let damaged = String::from_utf8(damaged).unwrap();
            assert_eq!(Pointer::parse(&damaged), None, "byte {place}");
        }
        assert_eq!(Pointer::parse(&text[..text.len() - 1]), None);
    }

    #[test]
    fn activating_remembers_what_was_active_before_without_repeating_it() {
        let one = Pointer::after(None, id('1'));
        let two = Pointer::after(Some(one), id('2'));
        let back = Pointer::after(Some(two), id('1'));
        assert_eq!(
            back,
            Pointer {
                release: id('1'),
                previous: vec![id('2')]
            }
        );
    }

    #[test]
    fn going_back_forgets_what_was_active_since() {
        let pointer = ['1', '2', '3', '4']
            .into_iter()
            .fold(None, |before, digit| {
                Some(Pointer::after_step(before, id(digit), Step::Forward))
            });
        let back = Pointer::after_step(pointer, id('2'), Step::Back);
        let expected = Pointer {
            release: id('2'),
            previous: vec![id('1')],
        };
        assert_eq!(back, expected);
        let first = back.back_to(id('1'));
        assert_eq!((first.release, first.previous), (id('1'), Vec::new()));
    }
}
