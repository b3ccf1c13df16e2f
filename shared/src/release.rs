//! Releases: the format on disk, which the import writes and the server reads.
//!
//! A release is an immutable directory with every response the server will give:
//!
//! ```text
//! manifest.json             time, counts, fields, size and SHA-256 of every other file; written last
//! boats.bodies              the bodies of all boats, one after the other
//! boats.parquet             one row a boat: identity, ETag, place of the body, filter and sort values
//! boat_categories.parquet   (term, boat) pairs
//! boat_activities.parquet   (term, boat) pairs
//! boat_words.parquet        (word, boat) pairs
//! manufacturers.bodies      the bodies of all manufacturers
//! manufacturers.parquet     one row a manufacturer
//! manufacturer_words.parquet
//! terms.parquet             the slugs of types, categories and activities, with their ids
//! words.parquet             all words of folded names, sorted
//! terms.json                the body that lists types, categories and activities
//! ```
//!
//! A boat is known by its place in the order of bodies, and so are manufacturers, terms and words:
//! plain integers, which make list queries fast.
//!
//! Invariants: a published release never changes; its id has the time of publication and the hash
//! of everything else in its manifest; it has no unpublished records; a damaged file is found
//! before any of it is served; every change of the active release has an entry in the log.

pub mod bodies;
mod body_stream;
mod columns;
pub mod diff;
pub mod id;
mod in_use;
pub mod interruption;
mod listing;
pub mod log;
pub mod manifest;
mod new_file;
pub mod pointer;
pub mod prune;
pub mod reader;
pub mod releases;
pub mod rendered;
pub mod s3;
pub mod staging;
pub mod store;
mod tables;
mod terms;
pub mod throttle;
pub mod writer;

#[cfg(test)]
mod tests;

pub use diff::ReleaseDiff;
pub use id::ReleaseId;
pub use in_use::InUse;
pub use manifest::{FileName, Manifest};
pub use reader::{Head, Record, Release};

pub use releases::{ExpectedActive, Releases};
pub use rendered::{RenderedBoat, RenderedManufacturer};
pub use s3::{S3Address, S3Releases, S3Settings};
pub use store::{ReleaseLock, ReleaseStore};
pub use writer::{Finished, ReleaseWriter};

use std::io;
use std::path::{Path, PathBuf};

use self::manifest::FORMAT;
use self::s3::S3Error;
use crate::base::hint::Hint;
use crate::base::render::BodyTooLarge;

/// Why a release could not be written, found, verified or activated.
#[derive(Debug, thiserror::Error)]
pub enum ReleaseError {
    /// The file system refused.
    #[error("could not {action} {}", path.display())]
    Io {
        /// What was attempted, as a verb.
        action: &'static str,
        /// On which file or directory.
        path: PathBuf,
        /// Why not.
        #[source]
        source: io::Error,
    },
    /// Parquet could not be written or read.
    #[error("could not {action} {}", path.display())]
    Parquet {
        /// What was attempted, as a verb.
        action: &'static str,
        /// On which file.
        path: PathBuf,
        /// Why not.
        #[source]
        source: parquet::errors::ParquetError,
    },
    /// A file is not what the manifest, or the id, says it is.
    #[error("{} is damaged: {reason}; import again or roll back", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A release of a format that this version does not read.
    #[error(
        "release {id} has the format {format:?}, and this version reads only {FORMAT:?}; \
         import its export again"
    )]
    OtherFormat {
        /// The release.
        id: ReleaseId,
        /// Its format.
        format: String,
    },
    /// The pointer to the active release does not match its checksum.
    #[error(
        "{} is damaged, so which release is active is not known; \
         name it: catalogue releases activate ID",
        path.display()
    )]
    DamagedPointer {
        /// The file.
        path: PathBuf,
    },
    /// S3 refused, or could not be asked.
    #[error("could not {action} {object}")]
    S3 {
        /// What was attempted, as a verb.
        action: &'static str,
        /// On which object or folder.
        object: String,
        /// Why not.
        #[source]
        source: S3Error,
    },
    /// The active release changed after the decision to activate this one.
    #[error("{} since, so release {id} was not activated", active_now(.active.as_ref()))]
    Overtaken {
        /// The release that was not activated.
        id: ReleaseId,
        /// What is active, if known.
        active: Option<ReleaseId>,
    },
    /// Another process is changing releases.
    #[error(
        "another import, activation or prune is running on {}; wait for it to end",
        data.display()
    )]
    Busy {
        /// The data directory.
        data: PathBuf,
    },
    /// No release of that id.
    #[error("there is no release {id}; `catalogue releases list` shows those there are")]
    Unknown {
        /// The id asked for.
        id: String,
    },
    /// More records than the format can number.
    #[error("a release holds at most {max} {kind}")]
    TooMany {
        /// The kind of record.
        kind: &'static str,
        /// The limit.
        max: usize,
    },
    /// The terms of all boats do not fit into one body.
    #[error("the list of types, categories and activities cannot be published: {0}")]
    TermsTooLarge(BodyTooLarge),
}

impl ReleaseError {
    /// Whether the files are damaged or of another format, rather than the disk failing or busy:
    /// trying again is useless, but another release may be whole.
    pub fn is_damage(&self) -> bool {
        match self {
            Self::Damaged { .. }
            | Self::OtherFormat { .. }
            | Self::DamagedPointer { .. }
            | Self::Unknown { .. }
            | Self::Parquet { .. } => true,
            Self::Io { source, .. } => matches!(
                source.kind(),
                io::ErrorKind::NotFound
                    | io::ErrorKind::PermissionDenied
                    | io::ErrorKind::NotADirectory
                    | io::ErrorKind::IsADirectory
            ),
            Self::S3 { .. }
            | Self::Overtaken { .. }
            | Self::Busy { .. }
            | Self::TooMany { .. }
            | Self::TermsTooLarge(_) => false,
        }
    }

    /// What to do about it, if known.
    pub fn hint(&self) -> Option<Hint> {
        match self {
            Self::S3 {
                source: S3Error::Setting { .. },
                ..
            } => Some(
                "correct or unset it; the keys to S3 are AWS_ACCESS_KEY_ID and \
                 AWS_SECRET_ACCESS_KEY"
                    .into(),
            ),
            Self::Overtaken { id, .. } => {
                let hint = format!(
                    "see what that changes: catalogue diff {id}; to activate it all the same: \
                     catalogue releases activate {id}"
                );
                Some(hint.into())
            }
            _ => None,
        }
    }

    fn io<'a>(action: &'static str, path: &'a Path) -> impl FnOnce(io::Error) -> Self + use<'a> {
        move |source| Self::Io {
            action,
            path: path.to_owned(),
            source,
        }
    }

    fn overtaken(id: &ReleaseId, now: ExpectedActive) -> Self {
        Self::Overtaken {
            id: id.clone(),
            active: match now {
                ExpectedActive::Release(active) => Some(active),
                ExpectedActive::Nothing | ExpectedActive::Damaged => None,
            },
        }
    }

    fn damaged(path: &Path, reason: impl Into<String>) -> Self {
        Self::Damaged {
            path: path.to_owned(),
            reason: reason.into(),
        }
    }
}

fn active_now(active: Option<&ReleaseId>) -> String {
    match active {
        Some(active) => format!("another process has activated release {active}"),
        None => "another process has changed which release is active".to_owned(),
    }
}
