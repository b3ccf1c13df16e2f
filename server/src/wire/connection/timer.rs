//! The one timer of a connection, for whichever deadline currently applies.
//!
//! It sets no deadlines, and takes no action when one has passed.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::time::{Instant, Sleep};

/// Ready once that moment has passed. Deadlines move on with every request and hardly ever pass, so
/// a timer that is set to an earlier moment is left alone, and set again when it fires.
pub(super) fn poll_until(
    timer: &mut Pin<Box<Sleep>>,
    deadline: Instant,
    cx: &mut Context<'_>,
) -> Poll<()> {
    if deadline < timer.deadline() {
        timer.as_mut().reset(deadline);
    }
    ready!(timer.as_mut().poll(cx));
    while timer.deadline() < deadline {
        timer.as_mut().reset(deadline);
        ready!(timer.as_mut().poll(cx));
    }
    Poll::Ready(())
}
