//! The resources of the machine, behind functions that tests can replace. A server also raises its
//! limit of open files here.

use std::io;
use std::path::Path;

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::sys::statvfs::statvfs;

use crate::process::memory;

/// Functions that ask the machine.
#[derive(Clone, Copy, Debug)]
pub struct Machine {
    /// Most files that a process may have open, if known.
    pub open_files_max: fn() -> Option<usize>,
    /// Bytes of memory that this process may use, if known.
    pub memory_bytes: fn() -> Option<u64>,
    /// Free bytes on the disk of a directory.
    pub free_bytes: fn(&Path) -> io::Result<u64>,
}

impl Machine {
    /// The machine of this process.
    pub const fn of_process() -> Self {
        Self {
            open_files_max,
            memory_bytes: memory::allowed,
            free_bytes,
        }
    }
}

fn free_bytes(directory: &Path) -> io::Result<u64> {
    let disk = statvfs(directory)?;
    Ok(disk.blocks_available().saturating_mul(disk.fragment_size()))
}

/// How many files this process may have open at a time after raising the limit.
fn open_files_max() -> Option<usize> {
    let (_soft, hard) = getrlimit(Resource::RLIMIT_NOFILE).ok()?;
    Some(usize::try_from(hard).unwrap_or(usize::MAX))
}

/// Raises the limit of open files, and so of connections, as far as the operating system allows,
/// and returns the new limit. The usual limit, 1,024, is low for the sake of programs that break
/// with a higher one; this program does not.
pub fn raise_open_files() -> Option<usize> {
    let (soft, hard) = getrlimit(Resource::RLIMIT_NOFILE).ok()?;
    let raised = setrlimit(Resource::RLIMIT_NOFILE, hard, hard);
    let limit = if raised.is_ok() { hard } else { soft };
    Some(usize::try_from(limit).unwrap_or(usize::MAX))
}
