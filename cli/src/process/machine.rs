//! What the machine gives to this process: asked here, so that a test may answer.

use std::io;
use std::path::Path;

use nix::sys::statvfs::statvfs;

use crate::process::{memory, open_files};

/// How to ask the machine.
#[derive(Clone, Copy, Debug)]
pub struct Machine {
    /// Most files that a process may have open, where that is known.
    pub open_files_max: fn() -> Option<usize>,
    /// Bytes of memory that this process may use, where that is known.
    pub memory_bytes: fn() -> Option<u64>,
    /// Bytes that are free on the disk of a directory.
    pub free_bytes: fn(&Path) -> io::Result<u64>,
}

impl Machine {
    /// The machine of this process.
    pub const fn of_process() -> Self {
        Self {
            open_files_max: open_files::limit,
            memory_bytes: memory::allowed,
            free_bytes,
        }
    }
}

fn free_bytes(directory: &Path) -> io::Result<u64> {
    let disk = statvfs(directory)?;
    Ok(disk.blocks_available().saturating_mul(disk.fragment_size()))
}
