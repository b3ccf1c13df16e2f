//! A file for libraries that remembers failures of the disk.
//!
//! They turn every error into a text, so a failing disk would look like a damaged file and
//! people would blame the export. Nothing here knows what the bytes mean.

use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::sync::{Arc, OnceLock};

use bytes::Bytes;

use crate::source::unread::HEAD_BYTES;
use crate::spool::{Part, Spool};

/// The file, and the first disk failure while it was read.
#[derive(Clone)]
pub(super) struct Disk {
    file: Arc<Spool>,
    /// The number of the system's error.
    failure: Arc<OnceLock<i32>>,
}

/// The bytes of the file from an offset on.
pub(super) struct Chunk {
    reader: BufReader<Part<Arc<Spool>>>,
    disk: Disk,
}

impl Disk {
    pub(super) fn new(file: Arc<Spool>) -> Self {
        Self {
            file,
            failure: Arc::default(),
        }
    }

    /// The file, without a memory of failures.
    pub(super) fn file(&self) -> &Spool {
        &self.file
    }

    /// The first disk failure.
    pub(super) fn failure(&self) -> Option<io::Error> {
        self.failure
            .get()
            .copied()
            .map(io::Error::from_raw_os_error)
    }

    /// Notes a failure to read and returns the result unchanged. An error without a system error
    /// number is not a disk failure: the file ends although it claims to continue.
    fn noted<T>(&self, read: io::Result<T>) -> io::Result<T> {
        if let Some(code) = read.as_ref().err().and_then(io::Error::raw_os_error) {
            _ = self.failure.set(code);
        }
        read
    }

    /// A reader of the bytes from an offset on.
    pub(super) fn chunk(&self, start: u64) -> Chunk {
        let part = Part::new(Arc::clone(&self.file), start..self.file.length());
        Chunk {
            reader: BufReader::new(part),
            disk: self.clone(),
        }
    }

    /// The first bytes of the file.
    pub(super) fn head(&self) -> io::Result<Bytes> {
        let length = self.file.length().min(HEAD_BYTES as u64);
        self.bytes(0, usize::try_from(length).unwrap_or(HEAD_BYTES))
    }

    /// So many bytes from an offset on.
    pub(super) fn bytes(&self, start: u64, length: usize) -> io::Result<Bytes> {
        let mut bytes = vec![0; length];
        self.noted(self.file.read_exact_at(&mut bytes, start))?;
        Ok(bytes.into())
    }
}

impl Read for Chunk {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(buffer);
        self.disk.noted(read)
    }
}

impl Seek for Chunk {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.reader.seek(to)
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;

    #[test]
    fn a_file_that_cannot_be_read_is_a_failure_and_one_that_ends_is_none() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a");
        let disk = |file| Disk::new(Arc::new(Spool::of_file(file, 1)));
        let unreadable = disk(File::create(&path).unwrap());
        assert!(unreadable.bytes(0, 1).is_err());
        assert!(unreadable.failure().is_some());
        let unreadable = disk(File::create(&path).unwrap());
        let mut chunk = unreadable.chunk(0);
        assert!(chunk.read(&mut [0]).is_err());
        assert!(unreadable.failure().is_some());
        let empty = disk(File::open(&path).unwrap());
        assert!(empty.bytes(0, 1).is_err());
        assert!(empty.failure().is_none());
    }
}
