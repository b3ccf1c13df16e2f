//! How much of a file was read, for whoever shows how far reading is.

use std::io::{self, Read};

use super::ProgressListener;

/// Counts what passes, before it is decompressed.
pub(super) struct Counted<'a, R> {
    pub(super) reader: R,
    pub(super) progress: &'a dyn ProgressListener,
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.reader.read(buffer)?;
        self.progress.advance(length as u64);
        Ok(length)
    }
}
