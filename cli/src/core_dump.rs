//! Keeps the memory of this process out of core dumps, since it holds keys: one that is issued,
//! and those of the requests that a server is answering.

use nix::sys::resource::{Resource, setrlimit};

/// Lets no core dump be made of this process, whatever becomes of it.
pub fn forbid() -> nix::Result<()> {
    setrlimit(Resource::RLIMIT_CORE, 0, 0)?;
    // A program that takes dumps for the system is not bound by the limit, but by this.
    #[cfg(target_os = "linux")]
    nix::sys::prctl::set_dumpable(false)?;
    Ok(())
}
