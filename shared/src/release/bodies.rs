//! The file of bodies: written one after the other, read by place.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use bytes::Bytes;

use super::ReleaseError;
use super::reader::Record;
use super::rendered::RenderedBody;
use crate::durable;
use crate::etag::ETag;

/// Appends bodies to a new file.
pub(super) struct BodyWriter {
    path: PathBuf,
    file: BufWriter<File>,
    length: i64,
}

impl BodyWriter {
    pub(super) fn create(path: PathBuf) -> Result<Self, ReleaseError> {
        let file = durable::create_new(&path).map_err(ReleaseError::io("create", &path))?;
        Ok(Self {
            file: BufWriter::with_capacity(1 << 20, file),
            path,
            length: 0,
        })
    }

    /// Appends a body and returns its offset.
    pub(super) fn push(&mut self, body: &RenderedBody) -> Result<i64, ReleaseError> {
        let offset = self.length;
        self.file
            .write_all(&body.bytes)
            .map_err(ReleaseError::io("write", &self.path))?;
        self.length += i64::try_from(body.bytes.len()).unwrap_or(i64::MAX);
        Ok(offset)
    }

    /// Makes the bodies durable.
    pub(super) fn finish(self) -> Result<(), ReleaseError> {
        let file = self
            .file
            .into_inner()
            .map_err(|error| ReleaseError::io("write", &self.path)(error.into_error()))?;
        file.sync_all()
            .map_err(ReleaseError::io("sync", &self.path))
    }
}

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
