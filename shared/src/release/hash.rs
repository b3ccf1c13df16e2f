//! SHA-256 as the release format writes it: hexadecimal, of bytes or of a whole file.

use std::fmt::Write;
use std::io::{self, Read};

use sha2::{Digest, Sha256};

/// SHA-256 of `bytes`, hexadecimal.
pub(super) fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Number and SHA-256 of all bytes that `reader` gives, without holding them.
pub(super) fn sha256_hex_of_reader(mut reader: impl Read) -> io::Result<(u64, String)> {
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

fn hex(bytes: &[u8]) -> String {
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
}
