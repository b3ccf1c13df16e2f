//! The manifest of a release: what it holds, how many records have each field, and the size and
//! hash of every file.

use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{ReleaseError, ReleaseId};
use crate::base::hash::sha256_hex;
use crate::base::render::coverage::{Coverage, Fields};
use crate::base::timestamp::Timestamp;

/// The one format that this code writes and reads. A column that lists filter or sort by may be
/// added to it, as `listing.rs` says; any other change is another format.
pub const FORMAT: &str = "boat-release/4";
/// Name of the manifest's own file.
pub const MANIFEST: &str = "manifest.json";

/// The files of a release beside its manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum FileName {
    /// All boats, one a line.
    #[serde(rename = "boats.ndjson")]
    BoatLines,
    /// The same, in Zstandard.
    #[serde(rename = "boats.ndjson.zst")]
    BoatLinesZstd,
    /// The same, in gzip.
    #[serde(rename = "boats.ndjson.gz")]
    BoatLinesGzip,
    /// All boats in columns.
    #[serde(rename = "boats.parquet")]
    BoatColumns,
    /// One row a boat.
    #[serde(rename = "boat_index.parquet")]
    BoatIndex,
    /// Categories of boats.
    #[serde(rename = "boat_categories.parquet")]
    BoatCategories,
    /// Activities of boats.
    #[serde(rename = "boat_activities.parquet")]
    BoatActivities,
    /// Words of model names.
    #[serde(rename = "boat_words.parquet")]
    BoatWords,
    /// All manufacturers, one a line.
    #[serde(rename = "manufacturers.ndjson")]
    ManufacturerLines,
    /// The same, in Zstandard.
    #[serde(rename = "manufacturers.ndjson.zst")]
    ManufacturerLinesZstd,
    /// The same, in gzip.
    #[serde(rename = "manufacturers.ndjson.gz")]
    ManufacturerLinesGzip,
    /// All manufacturers in columns.
    #[serde(rename = "manufacturers.parquet")]
    ManufacturerColumns,
    /// One row a manufacturer.
    #[serde(rename = "manufacturer_index.parquet")]
    ManufacturerIndex,
    /// Words of manufacturers' names.
    #[serde(rename = "manufacturer_words.parquet")]
    ManufacturerWords,
    /// Codes of terms.
    #[serde(rename = "terms.parquet")]
    Terms,
    /// All words, sorted.
    #[serde(rename = "words.parquet")]
    Words,
    /// Body of all terms.
    #[serde(rename = "terms.json")]
    TermsBody,
}

impl FileName {
    /// Every file of a release, in the order of the manifest.
    pub const ALL: [Self; 17] = [
        Self::BoatLines,
        Self::BoatLinesZstd,
        Self::BoatLinesGzip,
        Self::BoatColumns,
        Self::BoatIndex,
        Self::BoatCategories,
        Self::BoatActivities,
        Self::BoatWords,
        Self::ManufacturerLines,
        Self::ManufacturerLinesZstd,
        Self::ManufacturerLinesGzip,
        Self::ManufacturerColumns,
        Self::ManufacturerIndex,
        Self::ManufacturerWords,
        Self::Terms,
        Self::Words,
        Self::TermsBody,
    ];

    /// The name on disk.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::BoatLines => "boats.ndjson",
            Self::BoatLinesZstd => "boats.ndjson.zst",
            Self::BoatLinesGzip => "boats.ndjson.gz",
            Self::BoatColumns => "boats.parquet",
            Self::BoatIndex => "boat_index.parquet",
            Self::BoatCategories => "boat_categories.parquet",
            Self::BoatActivities => "boat_activities.parquet",
            Self::BoatWords => "boat_words.parquet",
            Self::ManufacturerLines => "manufacturers.ndjson",
            Self::ManufacturerLinesZstd => "manufacturers.ndjson.zst",
            Self::ManufacturerLinesGzip => "manufacturers.ndjson.gz",
            Self::ManufacturerColumns => "manufacturers.parquet",
            Self::ManufacturerIndex => "manufacturer_index.parquet",
            Self::ManufacturerWords => "manufacturer_words.parquet",
            Self::Terms => "terms.parquet",
            Self::Words => "words.parquet",
            Self::TermsBody => "terms.json",
        }
    }
}

impl fmt::Display for FileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Size and hash of one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEntry {
    /// Which file.
    pub name: FileName,
    /// Size in bytes.
    pub bytes: u64,
    /// SHA-256 of the contents, hexadecimal.
    pub sha256: String,
}

/// How many records of one kind have a field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FieldCount {
    /// Path of the field in the body, such as `hull.keelType`.
    pub path: String,
    /// Records in which it is neither null nor an empty list.
    pub present: u64,
    /// Whether it is a fraction in some record.
    pub fractional: bool,
}

/// The fields of the records of a release, in the order of their bodies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FieldCounts {
    /// Fields of boats.
    pub boats: Vec<FieldCount>,
    /// Fields of manufacturers.
    pub manufacturers: Vec<FieldCount>,
}

/// Description of a release.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Manifest {
    /// [`FORMAT`].
    pub format: String,
    /// When the release was published, RFC 3339 in UTC, in whole seconds.
    pub published_at: String,
    /// Number of boats.
    pub boats: u64,
    /// Number of manufacturers.
    pub manufacturers: u64,
    /// How many of them have each field.
    pub fields: FieldCounts,
    /// Every file beside the manifest, in the order of [`FileName::ALL`].
    pub files: Vec<FileEntry>,
}

/// What the manifest of a release of any format has.
#[derive(Deserialize)]
struct AnyFormat {
    format: String,
}

impl Manifest {
    /// Parses `bytes`, read at `path`, and proves that they are the manifest of the release `id`.
    pub(super) fn prove(id: &ReleaseId, bytes: &[u8], path: &Path) -> Result<Self, ReleaseError> {
        // First, since how an id proves a manifest is a part of the format.
        if let Ok(AnyFormat { format }) = serde_json::from_slice(bytes)
            && format != FORMAT
        {
            return Err(ReleaseError::OtherFormat {
                id: id.clone(),
                format,
                known: FORMAT,
            });
        }
        let contents = contents_sha256(bytes, id.unix_seconds());
        if !id.proves(&contents) {
            return Err(ReleaseError::damaged(
                path,
                "it is not the manifest its release names",
            ));
        }
        serde_json::from_slice(bytes)
            .map_err(|error| ReleaseError::damaged(path, error.to_string()))
    }

    /// The id of the release with this manifest, which is published at that time.
    pub(super) fn id(&self, published_at: &Timestamp) -> ReleaseId {
        let contents = contents_sha256(&self.to_bytes(), published_at.unix_seconds());
        ReleaseId::new(published_at, &contents)
    }

    /// The entry of a file in the manifest of the release at `directory`.
    pub(super) fn entry(
        &self,
        name: FileName,
        directory: &Path,
    ) -> Result<&FileEntry, ReleaseError> {
        let entry = self.files.iter().find(|file| file.name == name);
        entry.ok_or_else(|| {
            ReleaseError::damaged(&directory.join(MANIFEST), format!("it lacks {name}"))
        })
    }

    /// The exact bytes of the manifest's file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = serde_json::to_vec_pretty(self)
            .unwrap_or_else(|error| unreachable!("a manifest did not serialise: {error}"));
        bytes.push(b'\n');
        bytes
    }
}

/// SHA-256 of a manifest without its time of publication, which is part of the id. So an id proves
/// every byte of the manifest, and equal contents have equal hashes.
fn contents_sha256(manifest: &[u8], published_seconds: i64) -> String {
    let published_at = Timestamp::from_unix_seconds(published_seconds);
    let line = format!("  \"publishedAt\": \"{published_at}\",\n");
    let line = line.as_bytes();
    let place = manifest.windows(line.len()).position(|part| part == line);
    match place {
        Some(place) => sha256_hex(&[&manifest[..place], &manifest[place + line.len()..]].concat()),
        None => sha256_hex(manifest),
    }
}

/// Counts the fields of one kind of record while records are written.
pub(super) struct FieldCounter(Vec<FieldCount>);

impl FieldCounter {
    pub(super) fn new(fields: &Fields) -> Self {
        let none_yet = |path: &&str| FieldCount {
            path: (*path).to_owned(),
            present: 0,
            fractional: false,
        };
        Self(fields.paths().iter().map(none_yet).collect())
    }

    /// Adds one record.
    pub(super) fn add(&mut self, coverage: Coverage) {
        for place in coverage.present() {
            self.0[place].present += 1;
        }
        for place in coverage.fractional() {
            self.0[place].fractional = true;
        }
    }

    pub(super) fn finish(self) -> Vec<FieldCount> {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_on_disk_is_the_name_in_the_manifest() {
        for name in FileName::ALL {
            assert_eq!(serde_json::to_string(&name).unwrap(), format!("\"{name}\""));
        }
    }
}
