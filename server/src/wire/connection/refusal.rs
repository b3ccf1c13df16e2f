//! Why a connection ends with an answer that the HTTP library does not give, and who makes it.
//!
//! What the answer says is not known here.

use std::sync::Arc;
use std::time::Duration;

use super::BadHead;

/// Why a connection ends.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Refusal {
    /// A head took longer than [`HEAD_MAX`](super::HEAD_MAX), or the server stops within it.
    TooSlow {
        /// The method is `HEAD`, so that the answer has no body.
        is_head: bool,
        /// Since the head began, or the answer before it was sent.
        waited: Duration,
    },
    /// A head that cannot be a request.
    BadHead {
        /// Why not.
        bad: BadHead,
        /// See above.
        is_head: bool,
    },
    /// There are as many connections as there may be, of all clients or of this one's address.
    TooManyConnections,
}

/// Makes the complete answer to a client that is refused, whose page is from this origin, if that
/// was read.
pub(crate) type LastAnswer = Arc<dyn Fn(Refusal, Option<&[u8]>) -> Vec<u8> + Send + Sync>;
