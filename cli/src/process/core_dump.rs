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

#[cfg(test)]
mod tests {
    use nix::sys::resource::getrlimit;

    use super::*;

    #[test]
    fn this_process_leaves_no_dump_to_the_system_either() {
        forbid().unwrap();
        assert_eq!(getrlimit(Resource::RLIMIT_CORE), Ok((0, 0)));
        #[cfg(target_os = "linux")]
        assert_eq!(nix::sys::prctl::get_dumpable(), Ok(false));
    }
}
