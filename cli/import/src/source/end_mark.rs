//! A text file without the mark at its end that old programs write: the control character U+001A.

use std::io::{self, BufRead, Read};

use super::decompress::BUFFER;

/// The mark.
const MARK: u8 = 0x1a;

/// A file that is read without the mark, if it is the last character, or the last before a line end.
pub(super) struct EndMark<R> {
    reader: R,
    buffer: Vec<u8>,
    /// The place in the buffer of the next byte.
    from: usize,
    /// Where in the buffer a mark begins that may be the end.
    to: usize,
}

impl<R: Read> EndMark<R> {
    pub(super) const fn new(reader: R) -> Self {
        Self {
            reader,
            buffer: Vec::new(),
            from: 0,
            to: 0,
        }
    }
}

impl<R: Read> BufRead for EndMark<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        while self.from == self.to {
            self.buffer.drain(..self.to);
            (self.from, self.to) = (0, 0);
            let held = self.buffer.len();
            self.buffer.resize(held + BUFFER, 0);
            let read = self.reader.read(&mut self.buffer[held..]);
            let length = *read.as_ref().unwrap_or(&0);
            self.buffer.truncate(held + length);
            if read? == 0 {
                break;
            }
            self.to = self.buffer.len() - mark_length(&self.buffer);
        }
        Ok(&self.buffer[self.from..self.to])
    }

    fn consume(&mut self, used: usize) {
        self.from = self.to.min(self.from + used);
    }
}

impl<R: Read> Read for EndMark<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.fill_buf()?.read(buffer)?;
        self.consume(length);
        Ok(length)
    }
}

/// How many of these bytes are the mark at their end, with the end of its line.
fn mark_length(bytes: &[u8]) -> usize {
    let line = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    line.strip_suffix(&[MARK])
        .map_or(0, |before| bytes.len() - before.len())
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    /// What is read of a file that comes in pieces of some bytes.
    fn read(file: &str, piece: usize) -> String {
        let pieces = BufReader::with_capacity(piece, file.as_bytes());
        let mut text = String::new();
        EndMark::new(pieces).read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn the_mark_is_dropped_at_the_end_alone() {
        for piece in 1..9 {
            for end in ["", "\n", "\r", "\r\n"] {
                let marked = format!("a\r\n{}{end}", char::from(MARK));
                assert_eq!(read(&marked, piece), "a\r\n", "{marked:?}");
            }
            for kept in [
                "",
                "\n",
                "a",
                "\u{1a}a",
                "\u{1a}\na\r\n",
                "\u{1a}\n\n",
                "\u{1a}\r\r",
            ] {
                assert_eq!(read(kept, piece), kept, "{kept:?}");
            }
        }
    }
}
