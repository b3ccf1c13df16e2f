//! The contents of a file with their hash, in their own memory.
//!
//! Gigabytes use huge pages: every page of a body needs a lookup in page tables, which are in cold
//! memory too. With 3 GB that made a twelfth more responses a second, with 300 MB none. Clearing a
//! huge page takes its core 0.1 ms, on a virtual machine up to 20, which delays requests while a
//! release is opened: so smaller files do not ask for them. A system may still give them unasked.
//!
//! This is anonymous memory. The file itself is never mapped, because a mapping kills the process
//! when its file shrinks.

use std::io::{self, Read};

use bytes::Bytes;
use memmap2::MmapMut;
use sha2::{Digest, Sha256};

use crate::base::hash::hex;
use crate::release::throttle::Throttle;

/// How much is hashed at a time, in bytes: it is still in the core's own cache, and takes 0.1 ms.
const PART: usize = 1 << 16;
/// Least bytes for which huge pages are requested.
const HUGE_PAGES_FROM: usize = 1 << 30;

/// The contents of `file` and their SHA-256. An error if it no longer has `length` bytes.
pub(super) fn read_and_hash(
    mut file: impl Read,
    length: u64,
    throttle: &dyn Throttle,
) -> io::Result<(Bytes, String)> {
    let length = usize::try_from(length).map_err(io::Error::other)?;
    let mut memory = MmapMut::map_anon(length)?;
    if HUGE_PAGES_FROM <= length {
        prefer_huge_pages(&memory);
    }
    let mut hasher = Sha256::new();
    for part in memory.chunks_mut(PART) {
        file.read_exact(part)?;
        hasher.update(part);
        throttle.step();
    }
    if file.take(1).read_to_end(&mut Vec::new())? != 0 {
        return Err(io::Error::other(format!(
            "it has grown beyond {length} bytes"
        )));
    }
    Ok((Bytes::from_owner(memory), hex(&hasher.finalize())))
}

/// Without huge pages, or if the administrator disabled them, the system uses small ones.
#[cfg(target_os = "linux")]
fn prefer_huge_pages(memory: &MmapMut) {
    let _refused = memory.advise(memmap2::Advice::HugePage);
}

#[cfg(not(target_os = "linux"))]
fn prefer_huge_pages(_memory: &MmapMut) {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::hash::sha256_hex;
    use crate::release::throttle::Unthrottled;

    #[test]
    fn contents_of_every_length_are_held_and_hashed() {
        for length in [0, 1, PART - 1, PART, PART + 1, 3 * PART + 7] {
            let contents: Vec<u8> = (0..=250).cycle().take(length).collect();
            let (held, sha256) = read_and_hash(&*contents, length as u64, &Unthrottled).unwrap();
            assert_eq!(sha256, sha256_hex(&contents), "{length}");
            assert!(held == contents, "{length}");
        }
    }

    #[test]
    fn a_file_that_shrank_is_an_error() {
        let error = read_and_hash(&[7; 99][..], 100, &Unthrottled).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
    }

    #[test]
    fn a_file_that_grew_is_an_error() {
        let error = read_and_hash(&[7; 101][..], 100, &Unthrottled).unwrap_err();
        assert_eq!(error.to_string(), "it has grown beyond 100 bytes");
    }

    #[test]
    fn a_length_that_cannot_be_held_is_an_error() {
        read_and_hash(io::empty(), 1 << 62, &Unthrottled).unwrap_err();
    }
}
