//! Ids of releases: the time of publication, and the hash of the contents.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::base::timestamp::Timestamp;

/// Id of a release, such as `20261121T101500Z-3f2a9c1b4d5e6f70`: sorts by time of publication,
/// and proves the manifest, which proves every file. Two releases with the same contents have the
/// same hash.
///
/// The time is part of the id so that the same contents can be published again under a new name if
/// the release that had them is damaged and perhaps open.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ReleaseId(String);

/// Length of the hash in an id, in hexadecimal digits.
const HASH_DIGITS: usize = 16;

impl ReleaseId {
    /// What an id looks like, as a regular expression.
    pub const PATTERN: &str = "^[0-9]{8}T[0-9]{6}Z-[0-9a-f]{16}$";
    /// Characters of an id.
    pub const LENGTH: usize = "20261121T101500Z-".len() + HASH_DIGITS;

    /// The id of a release with contents of this SHA-256 (hexadecimal), published at this time.
    pub fn new(published_at: &Timestamp, contents_sha256: &str) -> Self {
        let whole = Timestamp::from_unix_seconds(published_at.unix_seconds()).to_string();
        let compact: String = whole.chars().filter(|c| !matches!(c, '-' | ':')).collect();
        let hash: String = contents_sha256.chars().take(HASH_DIGITS).collect();
        Self(format!("{compact}-{hash}"))
    }

    /// Reads an id; `None` for anything else, so that an id is always a safe name of a directory.
    pub fn parse(text: &str) -> Option<Self> {
        let (time, _hash) = text.split_once('-')?;
        let is_id = Self::is_well_formed(text) && parse_time(time).is_some();
        is_id.then(|| Self(text.to_owned()))
    }

    /// Whether a text has the form of an id: see [`Self::PATTERN`]. Its time may be none that exists.
    pub fn is_well_formed(text: &str) -> bool {
        let is_kept = |(at, byte): (usize, u8)| match at {
            8 => byte == b'T',
            15 => byte == b'Z',
            16 => byte == b'-',
            ..16 => byte.is_ascii_digit(),
            _ => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
        };
        text.len() == Self::LENGTH && text.bytes().enumerate().all(is_kept)
    }

    /// When the release was published, in seconds since the Unix epoch.
    pub fn unix_seconds(&self) -> i64 {
        let (time, _hash) = self.parts();
        parse_time(time).unwrap_or_else(|| unreachable!("an id begins with a time"))
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether this SHA-256 (hexadecimal) is the one the id was made of.
    pub fn proves(&self, sha256: &str) -> bool {
        sha256.starts_with(self.hash())
    }

    /// Whether both releases have the same contents.
    pub fn has_contents_of(&self, other: &Self) -> bool {
        self.hash() == other.hash()
    }

    fn hash(&self) -> &str {
        let (_time, hash) = self.parts();
        hash
    }

    fn parts(&self) -> (&str, &str) {
        let parts = self.0.split_once('-');
        parts.unwrap_or_else(|| unreachable!("an id has two parts"))
    }
}

/// Reads well-formed `20261121T101500Z`, a time that exists, as seconds since the Unix epoch.
fn parse_time(compact: &str) -> Option<i64> {
    let part = |range| compact.get(range);
    let [year, month, day] = [part(0..4)?, part(4..6)?, part(6..8)?];
    let [hour, minute, second] = [part(9..11)?, part(11..13)?, part(13..15)?];
    let whole = format!("{year}-{month}-{day}T{hour}:{minute}:{second}Z");
    Some(Timestamp::parse(&whole).ok()?.unix_seconds())
}

impl fmt::Display for ReleaseId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for ReleaseId {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Self::parse(&text).ok_or_else(|| format!("{text:?} is not the id of a release"))
    }
}

impl From<ReleaseId> for String {
    fn from(id: ReleaseId) -> Self {
        id.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_names_time_and_contents() {
        let time = Timestamp::parse("2026-11-21T10:15:00.5Z").unwrap();
        let id = ReleaseId::new(&time, "3f2a9c1b4d5e6f708090");
        assert_eq!(id.as_str(), "20261121T101500Z-3f2a9c1b4d5e6f70");
        assert!(id.proves("3f2a9c1b4d5e6f70ffff") && !id.proves("0000"));
        assert_eq!(id.unix_seconds(), time.unix_seconds());
        let later = Timestamp::parse("2026-11-22T10:15:00Z").unwrap();
        assert!(id.has_contents_of(&ReleaseId::new(&later, "3f2a9c1b4d5e6f70")));
        assert!(!id.has_contents_of(&ReleaseId::new(&time, "3f2a9c1b4d5e6f71")));
        assert_eq!(ReleaseId::parse(id.as_str()), Some(id));
    }

    #[test]
    fn nothing_that_could_lead_out_of_the_directory_is_an_id() {
        for text in [
            "",
            ".",
            "..",
            "../x",
            "a-b",
            "20261121T101500Z-../../etc/passwd",
            "20261121T101500Z-",
            "20261321T101500Z-3f2a9c1b4d5e6f70",
            "20261121Z101500Z-3f2a9c1b4d5e6f70",
            "20261121T101500T-3f2a9c1b4d5e6f70",
            "2026é121T101500Z-3f2a9c1b4d5e6f70",
            "20261121T101500ZZ-3f2a9c1b4d5e6f70",
        ] {
            assert_eq!(ReleaseId::parse(text), None, "{text}");
        }
    }
}
