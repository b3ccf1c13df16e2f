//! The exit statuses of the command: part of its contract with scripts.

use std::process::ExitCode;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitStatus {
    /// Done.
    Done = 0,
    /// The data is invalid and nothing was activated.
    InvalidData = 1,
    /// Wrong usage.
    WrongUsage = 2,
    /// A file, disk, network or server problem.
    Failure = 3,
    /// Refused to protect what is there: a release that takes away what consumers rely on, a demo
    /// on top of another catalogue, a change that the state of a key or a subscription does not
    /// allow.
    Refused = 4,
}

impl From<ExitStatus> for ExitCode {
    fn from(status: ExitStatus) -> Self {
        Self::from(status as u8)
    }
}
