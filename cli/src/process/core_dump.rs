//! Keeps the memory of this process out of core dumps, since it contains keys: one that is being
//! issued, and those of the requests that a server is handling.

use nix::sys::resource::{Resource, setrlimit};

/// Forbids core dumps of this process.
pub fn forbid() -> nix::Result<()> {
    setrlimit(Resource::RLIMIT_CORE, 0, 0)?;
    // A program that collects dumps for the system ignores the limit, but obeys this.
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
