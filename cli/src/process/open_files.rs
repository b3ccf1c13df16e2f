//! How many files and connections this process may have open at a time.

use nix::sys::resource::{Resource, getrlimit, setrlimit};

/// As far as the limit can be raised.
pub fn limit() -> Option<usize> {
    let (_soft, hard) = getrlimit(Resource::RLIMIT_NOFILE).ok()?;
    Some(usize::try_from(hard).unwrap_or(usize::MAX))
}

/// Raises the limit as far as the operating system lets this process, and says where it is then.
/// The usual limit, 1,024, is low for the sake of programs that a high one breaks; this is none.
pub fn raise() -> Option<usize> {
    let (soft, hard) = getrlimit(Resource::RLIMIT_NOFILE).ok()?;
    let raised = setrlimit(Resource::RLIMIT_NOFILE, hard, hard);
    let limit = if raised.is_ok() { hard } else { soft };
    Some(usize::try_from(limit).unwrap_or(usize::MAX))
}
