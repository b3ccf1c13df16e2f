//! The file of bodies, which lie one after the other: read by place.

mod disk;

use std::fs::File;
use std::path::PathBuf;

use bytes::Bytes;

use self::disk::OnDisk;
use super::ReleaseError;
use crate::release::pace::Pace;

/// The verified bodies of one kind of record, by ordinal.
#[derive(Debug)]
pub struct Bodies(Source);

#[derive(Debug)]
enum Source {
    Memory {
        /// Where each body begins, and where the last one ends.
        offsets: Vec<u64>,
        contents: Bytes,
    },
    Disk(OnDisk),
}

impl Bodies {
    /// Bodies that are held in memory; `contents` are verified, and as long as the last offset.
    pub(super) const fn in_memory(offsets: Vec<u64>, contents: Bytes) -> Self {
        Self(Source::Memory { offsets, contents })
    }

    /// Bodies that stay in `file`, which is read once to see whether it has that SHA-256.
    pub(super) fn on_disk(
        offsets: &[u64],
        file: File,
        path: PathBuf,
        sha256: &str,
        pace: &dyn Pace,
    ) -> Result<Self, ReleaseError> {
        let bodies = OnDisk::verify(file, path, offsets, sha256, pace)?;
        Ok(Self(Source::Disk(bodies)))
    }

    /// The body of the record with that ordinal: one slice of memory, or one positioned read.
    ///
    /// # Panics
    /// When there is no such ordinal.
    pub fn read(&self, ordinal: usize) -> Result<Bytes, ReleaseError> {
        match &self.0 {
            Source::Memory { offsets, contents } => Ok(slice(contents, offsets, ordinal)),
            Source::Disk(bodies) => bodies.read(ordinal),
        }
    }

    /// The same, where no disk must be waited for. `None` where it must, and where a body cannot
    /// be had: [`Self::read`] says why.
    ///
    /// # Panics
    /// When there is no such ordinal.
    pub fn read_at_once(&self, ordinal: usize) -> Option<Bytes> {
        match &self.0 {
            Source::Memory { offsets, contents } => Some(slice(contents, offsets, ordinal)),
            Source::Disk(bodies) => bodies.read_at_once(ordinal),
        }
    }
}

fn slice(contents: &Bytes, offsets: &[u64], ordinal: usize) -> Bytes {
    let place = |offset| {
        usize::try_from(offset)
            .unwrap_or_else(|_| unreachable!("what is in memory can be addressed"))
    };
    contents.slice(place(offsets[ordinal])..place(offsets[ordinal + 1]))
}
