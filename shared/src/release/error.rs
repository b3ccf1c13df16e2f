//! Why a release could not be written, found, verified or activated, and what to do about it.

use std::io;
use std::path::{Path, PathBuf};

use parquet::errors::ParquetError;

use super::ReleaseId;
use super::s3::S3Error;
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
        source: ParquetError,
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
        "release {id} has the format {format:?}, and this version reads only {known:?}; \
         import its export again"
    )]
    OtherFormat {
        /// The release.
        id: ReleaseId,
        /// Its format.
        format: String,
        /// The format of this version.
        known: &'static str,
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
            Self::Io { source, .. } => match source.kind() {
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Some(
                    "free some space, then try again; a release is made whole or not at all".into(),
                ),
                _ => None,
            },
            _ => None,
        }
    }

    pub(super) fn io<'a>(
        action: &'static str,
        path: &'a Path,
    ) -> impl FnOnce(io::Error) -> Self + use<'a> {
        move |source| Self::Io {
            action,
            path: path.to_owned(),
            source,
        }
    }

    /// A table that could not be written. Where the disk refused, it is as with any other file.
    pub(super) fn unwritten(path: &Path, source: ParquetError) -> Self {
        let source = match source {
            ParquetError::External(cause) => match cause.downcast() {
                Ok(refused) => return Self::io("write", path)(*refused),
                Err(cause) => ParquetError::External(cause),
            },
            source => source,
        };
        Self::Parquet {
            action: "write",
            path: path.to_owned(),
            source,
        }
    }

    pub(super) fn damaged(path: &Path, reason: impl Into<String>) -> Self {
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
