//! A file that libraries read from anywhere in it.
//!
//! Libraries turn every error into a text, so a failing disk would look like a damaged file and
//! people would blame the export. The spool tells whether the disk failed. Nothing here knows what
//! the bytes mean.

use std::io::{self, BufReader};
use std::sync::Arc;

use bytes::Bytes;

use crate::source::unread::HEAD_BYTES;
use crate::spool::{Part, Spool};

/// A spooled file, shared by all its readers.
#[derive(Clone)]
pub(super) struct Disk(Arc<Spool>);

/// The bytes of the file from an offset on.
pub(super) type Chunk = BufReader<Part<Arc<Spool>>>;

impl Disk {
    pub(super) fn new(file: Spool) -> Self {
        Self(Arc::new(file))
    }

    pub(super) fn file(&self) -> &Spool {
        &self.0
    }

    /// The first failure of the disk.
    pub(super) fn failure(&self) -> Option<io::Error> {
        self.0.failure()
    }

    /// A reader of the bytes from an offset on.
    pub(super) fn chunk(&self, start: u64) -> Chunk {
        BufReader::new(Part::new(Arc::clone(&self.0), start..self.0.length()))
    }

    /// The first bytes of the file.
    pub(super) fn head(&self) -> io::Result<Bytes> {
        let length = self.0.length().min(HEAD_BYTES as u64);
        self.bytes(0, usize::try_from(length).unwrap_or(HEAD_BYTES))
    }

    /// So many bytes from an offset on.
    pub(super) fn bytes(&self, start: u64, length: usize) -> io::Result<Bytes> {
        let mut bytes = vec![0; length];
        self.0.read_exact_at(&mut bytes, start)?;
        Ok(bytes.into())
    }
}
