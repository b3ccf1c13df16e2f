//! SHA-256 in hexadecimal: of bytes, of a whole file, or of a stream on its way to one.

use std::fmt::Write as _;
use std::io::{self, Read, Write};

use sha2::{Digest, Sha256};

/// SHA-256 of `bytes`, hexadecimal.
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Number and SHA-256 of all bytes that `reader` gives, without holding them.
pub fn sha256_hex_of_reader(mut reader: impl Read) -> io::Result<(u64, String)> {
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 17];
    let mut total = 0;
    loop {
        let count = match reader.read(&mut buffer) {
            Ok(0) => return Ok((total, hex(&hasher.finalize()))),
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        hasher.update(&buffer[..count]);
        total += count as u64;
    }
}

/// Counts and hashes bytes on their way to or from `W`.
pub struct Hashed<W> {
    to: W,
    bytes: u64,
    hasher: Sha256,
}

impl<W> Hashed<W> {
    /// Starts with no bytes.
    pub fn new(to: W) -> Self {
        Self {
            to,
            bytes: 0,
            hasher: Sha256::new(),
        }
    }

    /// The reader or writer, the number of bytes, and their SHA-256 in hexadecimal.
    pub fn finish(self) -> (W, u64, String) {
        (self.to, self.bytes, hex(&self.hasher.finalize()))
    }
}

impl<W: Write> Write for Hashed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.to.write(bytes)?;
        self.hasher.update(&bytes[..count]);
        self.bytes += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

impl<R: Read> Read for Hashed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.to.read(buffer)?;
        self.hasher.update(&buffer[..count]);
        self.bytes += count as u64;
        Ok(count)
    }
}

/// `bytes` as a hash is written.
pub fn hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
            // Writing to a string cannot fail.
            let _written = write!(text, "{byte:02x}");
            text
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_hashes_like_its_bytes() {
        let bytes = vec![7; 300_000];
        let (total, hash) = sha256_hex_of_reader(&*bytes).unwrap();
        assert_eq!((total, hash), (300_000, sha256_hex(&bytes)));
    }

    #[test]
    fn what_is_passed_on_in_pieces_hashes_like_the_whole() {
        /// Writes less than it is given.
        struct Hesitant(Vec<u8>);
        impl Write for Hesitant {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                self.0.write(&bytes[..bytes.len().min(1000)])
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let bytes: Vec<u8> = (0_u8..=250).cycle().take(30_000).collect();
        let mut hashed = Hashed::new(Hesitant(Vec::new()));
        bytes
            .chunks(7000)
            .for_each(|piece| hashed.write_all(piece).unwrap());
        let (to, total, hash) = hashed.finish();
        assert!(to.0 == bytes);
        assert_eq!((total, hash), (30_000, sha256_hex(&bytes)));
    }
}
