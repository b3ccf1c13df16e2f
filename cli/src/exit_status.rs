//! The exit statuses of the command, which scripts rely on.

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
    /// Refused, to protect existing data: a release that removes what consumers rely on, a demo on
    /// top of another catalogue, a change that the state of a key or a subscription does not allow.
    Refused = 4,
}

impl From<ExitStatus> for ExitCode {
    fn from(status: ExitStatus) -> Self {
        Self::from(status as u8)
    }
}
