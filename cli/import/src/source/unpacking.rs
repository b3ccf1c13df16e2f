//! How much a file may unpack to: a small file could otherwise keep an import busy for days, or fill
//! the disk.
//!
//! What is unpacked of what was unpacked counts too, as a compressed member of a compressed archive.

use std::cell::Cell;
use std::io::{self, Read};

/// Most bytes that a file may unpack to, unless set otherwise.
pub const UNPACKED_MAX: u64 = 32 << 30;
/// Bytes that a file may unpack to, however small it is.
const FREE: u64 = 100 << 20;
/// How many times its size a larger file may unpack to. Records pack to a tenth, and to a fiftieth
/// if they are much alike; only what says nothing packs to a thousandth.
const RATIO_MAX: u64 = 200;

/// A file unpacks to more than it may.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnpackedTooMuch {
    /// More than is allowed for any file.
    #[error("it unpacks to more than {0} bytes")]
    Bytes(u64),
    /// More than is plausible for its size.
    #[error("it unpacks to more than {RATIO_MAX} times its size")]
    Ratio,
}

/// The bytes of a file so far, packed and unpacked.
pub(super) struct Unpacking {
    max: u64,
    packed: Cell<u64>,
    unpacked: Cell<u64>,
    refused: Cell<Option<UnpackedTooMuch>>,
}

impl Unpacking {
    /// Of a file that may unpack to this many bytes.
    pub(super) const fn at_most(max: u64) -> Self {
        Self {
            max,
            packed: Cell::new(0),
            unpacked: Cell::new(0),
            refused: Cell::new(None),
        }
    }

    /// Of a file of this length.
    pub(super) fn of(length: u64, max: u64) -> Self {
        let unpacking = Self::at_most(max);
        unpacking.packed.set(length);
        unpacking
    }

    /// Counts bytes of the file itself.
    pub(super) fn add_packed(&self, bytes: usize) {
        self.packed.set(self.packed.get() + bytes as u64);
    }

    /// Why the file is not read further, whatever a parser made of that.
    pub(super) fn outcome(&self) -> Result<(), UnpackedTooMuch> {
        self.refused.get().map_or(Ok(()), Err)
    }

    pub(super) fn add_unpacked(&self, bytes: usize) -> Result<(), UnpackedTooMuch> {
        let unpacked = self.unpacked.get() + bytes as u64;
        self.unpacked.set(unpacked);
        let plausible = self.packed.get().saturating_mul(RATIO_MAX).max(FREE);
        if self.max < unpacked {
            self.refused.set(Some(UnpackedTooMuch::Bytes(self.max)));
        } else if plausible < unpacked {
            self.refused.set(Some(UnpackedTooMuch::Ratio));
        }
        self.outcome()
    }
}

/// What a decompressor yields, as long as it is not too much.
pub(super) struct Limited<'u, R> {
    pub(super) reader: R,
    pub(super) unpacking: &'u Unpacking,
}

impl<R: Read> Read for Limited<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.reader.read(buffer)?;
        let added = self.unpacking.add_unpacked(length);
        added.map_err(io::Error::other)?;
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: usize = 1 << 20;

    #[test]
    fn a_file_may_unpack_to_so_many_bytes_and_a_large_one_to_so_many_times_its_size() {
        let (bytes, ratio) = (UnpackedTooMuch::Bytes(3 << 30), UnpackedTooMuch::Ratio);
        for (packed, unpacked, outcome) in [
            (1, 100 * MIB, Ok(())),
            (1, 100 * MIB + 1, Err(ratio)),
            (MIB, 200 * MIB, Ok(())),
            (MIB, 200 * MIB + 1, Err(ratio)),
            (100 * MIB, 3 << 30, Ok(())),
            (100 * MIB, (3 << 30) + 1, Err(bytes)),
        ] {
            let unpacking = Unpacking::at_most(3 << 30);
            unpacking.add_packed(packed);
            assert_eq!(
                unpacking.add_unpacked(unpacked),
                outcome,
                "{packed} {unpacked}"
            );
            assert_eq!(unpacking.outcome(), outcome);
        }
    }
}
