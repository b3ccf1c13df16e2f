//! Why a connection ends with a response that does not come from the HTTP library, and the type of
//! the function that makes it.
//!
//! Nothing here knows what the response says.

use std::sync::Arc;
use std::time::Duration;

use super::head::BadHead;

/// Why a connection ends.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Refusal {
    /// A head took longer than [`HEAD_MAX`](super::state::HEAD_MAX), or the server closed while it
    /// was unfinished.
    TooSlow {
        /// Whether the method is `HEAD`, so the response has no body.
        is_head: bool,
        /// Time since the head began, or since the response before it was sent.
        waited: Duration,
    },
    /// A head that cannot be a request.
    BadHead {
        /// Why not.
        bad: BadHead,
        /// See above.
        is_head: bool,
    },
    /// The limit of connections is reached, of all clients or of this one's address.
    TooManyConnections,
}

/// Makes the complete response to a refused client, given the `Origin` of its request, if that was
/// read.
pub(crate) type LastAnswer = Arc<dyn Fn(Refusal, Option<&[u8]>) -> Vec<u8> + Send + Sync>;
