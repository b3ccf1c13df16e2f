//! The file of bodies, which lie one after the other: read by place.

mod disk;

use std::fs::File;
use std::ops::Range;
use std::path::PathBuf;

use bytes::Bytes;

use self::disk::OnDisk;
use super::ReleaseError;

/// The verified bodies of one kind of record, by ordinal.
#[derive(Debug)]
pub struct Bodies {
    /// Where each body begins, and where the last one ends.
    offsets: Vec<u64>,
    source: Source,
}

#[derive(Debug)]
enum Source {
    Memory(Bytes),
    Disk(OnDisk),
}

impl Bodies {
    /// Bodies that are held in memory; `contents` are verified, and as long as the last offset.
    pub(super) const fn in_memory(offsets: Vec<u64>, contents: Bytes) -> Self {
        Self {
            offsets,
            source: Source::Memory(contents),
        }
    }

    /// Bodies that stay in `file`, which is read once to see whether it has that SHA-256.
    pub(super) fn on_disk(
        offsets: Vec<u64>,
        file: File,
        path: PathBuf,
        sha256: &str,
    ) -> Result<Self, ReleaseError> {
        let source = Source::Disk(OnDisk::verify(file, path, &offsets, sha256)?);
        Ok(Self { offsets, source })
    }

    /// The body of the record with that ordinal: one slice of memory, or one positioned read.
    ///
    /// # Panics
    /// When there is no such ordinal.
    pub fn read(&self, ordinal: usize) -> Result<Bytes, ReleaseError> {
        let range = self.range(ordinal);
        match &self.source {
            Source::Memory(contents) => Ok(slice(contents, range)),
            Source::Disk(bodies) => bodies.read(ordinal, range),
        }
    }

    /// The same, where no disk must be waited for. `None` where it must, and where a body cannot
    /// be had: [`Self::read`] says why.
    ///
    /// # Panics
    /// When there is no such ordinal.
    pub fn read_at_once(&self, ordinal: usize) -> Option<Bytes> {
        let range = self.range(ordinal);
        match &self.source {
            Source::Memory(contents) => Some(slice(contents, range)),
            Source::Disk(bodies) => bodies.read_at_once(ordinal, range),
        }
    }

    fn range(&self, ordinal: usize) -> Range<u64> {
        self.offsets[ordinal]..self.offsets[ordinal + 1]
    }
}

fn slice(contents: &Bytes, range: Range<u64>) -> Bytes {
    let place = |offset| {
        usize::try_from(offset)
            .unwrap_or_else(|_| unreachable!("what is in memory can be addressed"))
    };
    contents.slice(place(range.start)..place(range.end))
}
