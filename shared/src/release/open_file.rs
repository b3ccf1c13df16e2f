//! An open, verified file with all records of a kind, from which parts are read as they are sent.
//!
//! It stays readable when its release is pruned. Parts are read from the file also where its records
//! are in memory, so that a slow client keeps no more than a part.

use std::fs::File;
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use bytes::Bytes;
use sha2::{Digest, Sha256};
use twox_hash::XxHash3_64;

use super::ReleaseError;
use super::bodies::{ReusedBuffer, is_read_at_once};
use crate::base::etag::ETag;
use crate::release::throttle::Throttle;

/// Bytes of a part: few enough to stay in a processor's cache.
pub const PART: u64 = 1 << 16;

/// An open file.
#[derive(Debug)]
pub struct OpenFile {
    file: File,
    /// For messages.
    path: PathBuf,
    /// Its length.
    pub bytes: u64,
    /// Its hash.
    pub etag: ETag,
    /// Of each part: what shows that it is still the one that was verified, as in
    /// [`super::bodies`].
    sums: Vec<u64>,
}

impl OpenFile {
    /// Reads all of `file`, whose tag is known; `hasher` takes the bytes, unless they are verified.
    pub(super) fn read_all(
        file: File,
        path: PathBuf,
        etag: ETag,
        mut hasher: Option<&mut Sha256>,
        throttle: &dyn Throttle,
    ) -> Result<Self, ReleaseError> {
        let (mut bytes, mut sums, mut part) = (0, Vec::new(), Vec::new());
        loop {
            let read = (&file).take(PART).read_to_end(&mut part);
            if read.map_err(ReleaseError::io("read", &path))? == 0 {
                break;
            }
            if let Some(hasher) = &mut hasher {
                hasher.update(&part);
            }
            bytes += part.len() as u64;
            sums.push(XxHash3_64::oneshot(&part));
            part.clear();
            throttle.step();
        }
        Ok(Self {
            file,
            path,
            bytes,
            etag,
            sums,
        })
    }

    /// The part of that number, which may wait for a disk.
    ///
    /// # Panics
    /// When there is no such part.
    pub fn read(&self, part: usize) -> Result<Bytes, ReleaseError> {
        let (mut read, offset) = self.unread(part);
        self.file
            .read_exact_at(read.as_mut(), offset)
            .map_err(ReleaseError::io("read", &self.path))?;
        self.checked(part, read).ok_or_else(|| {
            let reason = format!("what lies at byte {offset} has changed");
            ReleaseError::damaged(&self.path, reason)
        })
    }

    /// The same, if it can be had without waiting for a disk.
    ///
    /// # Panics
    /// When there is no such part.
    pub fn read_at_once(&self, part: usize) -> Option<Bytes> {
        let (mut read, offset) = self.unread(part);
        is_read_at_once(&self.file, read.as_mut(), offset).then_some(())?;
        self.checked(part, read)
    }

    /// A buffer for a part, and where it lies.
    fn unread(&self, part: usize) -> (ReusedBuffer, u64) {
        let offset = part as u64 * PART;
        let length = usize::try_from(PART.min(self.bytes - offset));
        let length = length.unwrap_or_else(|_| unreachable!("a part is short"));
        (ReusedBuffer::take(length), offset)
    }

    fn checked(&self, part: usize, read: ReusedBuffer) -> Option<Bytes> {
        (XxHash3_64::oneshot(read.as_ref()) == self.sums[part]).then(|| read.filled())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::release::throttle::Unthrottled;

    fn opened(length: u64) -> (tempfile::NamedTempFile, Vec<u8>, OpenFile) {
        let contents: Vec<u8> = (0..length).map(|place| (place % 251) as u8).collect();
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(&contents).unwrap();
        let path = file.path().to_owned();
        let (file_again, etag) = (file.reopen().unwrap(), ETag::of(&contents));
        let mut hasher = Sha256::new();
        let read = OpenFile::read_all(file_again, path, etag, Some(&mut hasher), &Unthrottled);
        let opened = read.unwrap();
        assert_eq!(
            (opened.bytes, hasher.finalize()),
            (length, Sha256::digest(&contents))
        );
        (file, contents, opened)
    }

    #[test]
    fn files_of_every_length_are_read_in_parts() {
        for length in [0, 1, PART - 1, PART, PART + 1, 3 * PART + 7] {
            let (_file, contents, opened) = opened(length);
            for (part, expected) in contents.chunks(1 << 16).enumerate() {
                assert!(opened.read(part).unwrap() == expected, "{length}");
                let at_once = opened.read_at_once(part);
                assert!(at_once.is_none_or(|read| read == expected), "{length}");
            }
        }
    }

    #[test]
    fn a_part_that_changes_later_or_is_gone_is_not_read_and_its_neighbours_are() {
        let (file, contents, opened) = opened(3 * PART);
        let place = PART + 5;
        file.as_file().write_all_at(b"x", place).unwrap();
        assert!(opened.read(1).unwrap_err().is_damage());
        assert_eq!(opened.read_at_once(1), None);
        assert!(opened.read(0).is_ok() && opened.read(2).is_ok());
        file.as_file().write_all_at(&contents[..], 0).unwrap();
        assert!(opened.read(1).is_ok());
        file.as_file().set_len(place).unwrap();
        assert!(matches!(opened.read(1), Err(ReleaseError::Io { .. })));
    }
}
