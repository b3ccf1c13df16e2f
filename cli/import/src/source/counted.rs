//! How much of a file was read, for whoever shows how far reading is.

use std::io::{self, Read};

/// Counts what passes, before it is decompressed.
pub(super) struct Counted<'a, R> {
    pub(super) reader: R,
    pub(super) on_bytes: &'a dyn Fn(u64),
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.reader.read(buffer)?;
        (self.on_bytes)(length as u64);
        Ok(length)
    }
}
