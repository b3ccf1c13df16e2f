//! Opening the bodies of a release: where each of them lies, and whether they are held in memory.

use super::Release;
use crate::release::bodies::Bodies;
use crate::release::pace::paced;
use crate::release::{FileName, ReleaseError};

impl Release {
    /// The bodies of boats: in memory when they take at most `memory_max` bytes.
    pub fn boat_bodies(&self, memory_max: u64) -> Result<Bodies, ReleaseError> {
        self.bodies(FileName::BoatBodies, FileName::Boats, memory_max)
    }

    /// The bodies of manufacturers: in memory when they take at most `memory_max` bytes.
    pub fn manufacturer_bodies(&self, memory_max: u64) -> Result<Bodies, ReleaseError> {
        self.bodies(
            FileName::ManufacturerBodies,
            FileName::Manufacturers,
            memory_max,
        )
    }

    fn bodies(
        &self,
        name: FileName,
        records: FileName,
        memory_max: u64,
    ) -> Result<Bodies, ReleaseError> {
        let offsets = self.offsets(name, records)?;
        let (entry, path) = (self.entry(name)?, self.path(name));
        if entry.bytes <= memory_max {
            return Ok(Bodies::in_memory(offsets, self.read_verified(name)?));
        }
        let file = self.open_sized(name)?;
        Bodies::on_disk(&offsets, file, path, &entry.sha256, self.pace())
    }

    /// Where each body begins, and where the last one ends: they lie one after the other, in the
    /// order of ordinals, and fill their file.
    fn offsets(&self, name: FileName, records: FileName) -> Result<Vec<u64>, ReleaseError> {
        let (begins, lengths) = self.table(records, |table| {
            Ok((table.int64("body_offset")?, table.int32("body_length")?))
        })?;
        let damaged = || {
            let reason = format!("its bodies do not fill {name}");
            ReleaseError::damaged(&self.path(records), reason)
        };
        let mut offsets = Vec::with_capacity(begins.len() + 1);
        let mut end = 0;
        offsets.push(end);
        for (begin, length) in paced(begins.into_iter().zip(lengths), self.pace()) {
            if u64::try_from(begin) != Ok(end) {
                return Err(damaged());
            }
            end += u64::try_from(length).map_err(|_negative| damaged())?;
            offsets.push(end);
        }
        if end != self.entry(name)?.bytes {
            return Err(damaged());
        }
        Ok(offsets)
    }
}
