//! Why a request was in vain, as callers and people are told.

use std::time::Duration;

use object_store::Error;

/// Why a request was in vain.
#[derive(Debug, thiserror::Error)]
pub enum S3Error {
    /// No answer in time.
    #[error("no answer within {} seconds", .0.as_secs())]
    TimedOut(Duration),
    /// This process ends.
    #[error("the question was given up")]
    GivenUp,
    /// What the client made of the answer, or of there being none.
    #[error("{0}")]
    Failed(String),
}

/// Why work was in vain.
pub(super) enum Failure {
    GivenUp,
    TimedOut(Duration),
    Client(Error),
}

impl From<Failure> for S3Error {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::GivenUp => Self::GivenUp,
            Failure::TimedOut(after) => Self::TimedOut(after),
            Failure::Client(error) => Self::Failed(root_cause(&error)),
        }
    }
}

/// The innermost cause on one line: what lies round it repeats addresses and settings of retries.
pub(super) fn root_cause(error: &(dyn std::error::Error + 'static)) -> String {
    let innermost = std::iter::successors(Some(error), |error| error.source()).last();
    let text = innermost.map(ToString::to_string).unwrap_or_default();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
