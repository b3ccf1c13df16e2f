//! Why a request is not counted in its minute.

use super::redis::RedisFailure;
use super::usage::Usage;

/// Why a request may not go on.
#[derive(Debug, thiserror::Error)]
pub enum MinuteError {
    /// The limit of the key is used up.
    #[error("{} requests of the key are counted in a minute", .0.limit)]
    Exceeded(Usage),
    /// It is unknown whether it is.
    #[error("could not count the request in its minute")]
    Unavailable(#[from] RedisFailure),
}
