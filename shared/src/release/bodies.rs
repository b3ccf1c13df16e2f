//! The file of bodies, which lie one after the other: read by place.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use bytes::Bytes;

use super::ReleaseError;
use super::reader::Record;
use crate::etag::ETag;

/// The bodies of one kind of record.
#[derive(Debug)]
pub enum Bodies {
    /// Held in memory; verified when they were read.
    Memory(Bytes),
    /// Left on disk; each body is checked against its ETag when it is read. Not mapped into
    /// memory, because a mapping kills the process when its file shrinks.
    Disk {
        /// The open file, which stays readable when the release is pruned.
        file: File,
        /// Its path, for messages.
        path: PathBuf,
    },
}

impl Bodies {
    /// The body of `record`: one slice of memory, or one positioned read.
    pub fn read(&self, record: &Record) -> Result<Bytes, ReleaseError> {
        match self {
            Self::Memory(bytes) => Ok(bytes.slice(record.range())),
            Self::Disk { file, path } => read_checked(file, path, record),
        }
    }
}

fn read_checked(file: &File, path: &Path, record: &Record) -> Result<Bytes, ReleaseError> {
    let mut body = vec![0; record.range().len()];
    let offset = record.range().start as u64;
    file.read_exact_at(&mut body, offset)
        .map_err(ReleaseError::io("read", path))?;
    if ETag::of(&body) != record.etag {
        return Err(ReleaseError::damaged(
            path,
            format!("the body at byte {offset} has changed"),
        ));
    }
    Ok(body.into())
}
