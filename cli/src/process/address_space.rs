//! Whether a command may map all the memory that it reserves.
//!
//! That is far more than it uses. Where a limit of the address space leaves too little, allocations
//! fail, and the process with them, in the middle of its work and without a word of what to do. So
//! a command that runs many threads asks before it starts the first.

use std::thread::available_parallelism;

use anyhow::{Context as _, anyhow};
use nix::sys::resource::{Resource, getrlimit};

use crate::exit_status::ExitStatus;
use crate::hints::Hinted;

/// What a command maps on any machine: libraries, tables, files.
const OF_ANY: u64 = 1 << 30;
/// What it maps for each core: the stack of a thread that applies a mapping (2 GiB), and stacks and
/// heaps of a server's threads, which measure 100 MiB each.
const OF_A_CORE: u64 = 3 << 30;

/// Fails if a limit of the address space (`ulimit -v`) is lower than what a command with many
/// threads needs.
pub fn require() -> anyhow::Result<()> {
    let (limit, _hard) =
        getrlimit(Resource::RLIMIT_AS).context("could not read the limit of the address space")?;
    let cores = available_parallelism().map_or(1, usize::from);
    let needed = OF_ANY + OF_A_CORE * cores as u64;
    if needed <= limit {
        return Ok(());
    }
    let (mib, needed) = (limit >> 20, needed >> 30);
    let error = anyhow!(
        "the address space is limited to {mib} MiB, and on this machine the command may map \
         {needed} GiB, though it uses little of it"
    );
    let hint = "lift that limit (ulimit -v unlimited, or LimitAS=infinity in the unit), and limit \
                memory instead: MemoryMax= in the unit, or the container's limit";
    Err(Hinted::new(error, hint, ExitStatus::Failure).into())
}
