//! Decompresses files. The format is recognised by a file's first bytes, not by its name.
//!
//! Everything streams, so a small file that unpacks to a huge one costs time but no memory, and
//! `unpacking` limits the time.

use std::io::{self, BufReader, Cursor, Read};

use flate2::bufread::MultiGzDecoder;

use super::unpacking::{Limited, Unpacking};

/// Bytes read ahead, enough to recognise archives and to keep system calls few.
pub(super) const BUFFER: usize = 128 * 1024;

const GZIP: &[u8] = &[0x1f, 0x8b];
const ZSTANDARD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

/// The decompressed contents of `reader`, or its contents as they are.
///
/// An empty file with the name of a compressed one counts as truncated, because its compressor
/// never finished.
pub(super) fn open<'a>(
    name: &str,
    mut reader: impl Read + 'a,
    unpacking: &'a Unpacking,
) -> io::Result<Box<dyn Read + 'a>> {
    let mut head = Vec::with_capacity(ZSTANDARD.len());
    (&mut reader)
        .take(ZSTANDARD.len() as u64)
        .read_to_end(&mut head)?;
    let is_named_compressed = [".gz", ".tgz", ".zst", ".tzst"]
        .iter()
        .any(|end| name.ends_with(end));
    if is_named_compressed && head.len() < ZSTANDARD.len() {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let is_gzip = head.starts_with(GZIP);
    let is_zstandard = head.starts_with(ZSTANDARD);
    let whole = Cursor::new(head).chain(reader);
    if is_gzip {
        let reader = MultiGzDecoder::new(BufReader::with_capacity(BUFFER, whole));
        return Ok(Box::new(Limited { reader, unpacking }));
    }
    if is_zstandard {
        let reader = zstd::Decoder::new(whole)?;
        return Ok(Box::new(Limited { reader, unpacking }));
    }
    Ok(Box::new(whole))
}
