//! What a connection does at the moment, and how long its client may keep it waiting there.
//!
//! Each state has what is known in it and nowhere else. When one follows the other is decided by
//! `Connection`; the table in `wire` has all of it on one page.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::time::{Instant, Sleep};

use super::lingering_close::LingeringClose;
use super::timer::poll_until;

/// How long a connection may be idle before the next request begins.
pub(crate) const IDLE_MAX: Duration = Duration::from_secs(75);
/// How long a head may take from its first byte to its last, or from the end of the answer before
/// it.
pub(crate) const HEAD_MAX: Duration = Duration::from_secs(10);
/// How long a client that has closed its side is still believed to wait for an answer, from when
/// that is due. It may have said all that it has to say; more likely it has left.
pub(super) const GONE_AFTER: Duration = Duration::from_secs(1);
/// How long a client may take no byte of its answer.
const STALLED_MAX: Duration = Duration::from_secs(30);
/// How long a client may take all of its answer, however steadily it takes a little, from the first
/// time that it keeps the server waiting. The largest answers are a few hundred kilobytes.
pub(super) const ANSWER_MAX: Duration = Duration::from_mins(5);

/// What a connection does.
pub(super) enum State {
    /// It is idle, or receives a head.
    Receiving {
        /// Since when: it was accepted, the answer before was sent, or the head began.
        since: Instant,
    },
    /// A whole head was given on, and nothing of its answer was written.
    Due {
        /// Since when its head was received.
        since: Instant,
    },
    /// An answer is written.
    Answering(Answering),
    /// It says its last, and nothing that comes is read as a request.
    Ending(LingeringClose),
}

/// How a client takes its answer. For nearly every answer the time need not be asked.
#[derive(Default)]
pub(super) struct Answering {
    /// Since when the client has been waited for, until all that was written has been sent.
    slow: Option<Instant>,
    /// Since when it has taken nothing.
    stalled: Option<Instant>,
}

impl Answering {
    /// Takes note of an attempt to write, which fails where the client takes too long.
    pub(super) fn poll(
        &mut self,
        timer: &mut Pin<Box<Sleep>>,
        cx: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        if written.is_ready() {
            self.stalled = None;
            return written;
        }
        let stalled = *self.stalled.get_or_insert_with(Instant::now);
        let slow = *self.slow.get_or_insert(stalled);
        let deadline = (stalled + STALLED_MAX).min(slow + ANSWER_MAX);
        ready!(poll_until(timer, deadline, cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}
