//! The states of a connection, and how long its client may keep it waiting in each.
//!
//! Each state holds the data that exists only in it. `Connection` decides when one state follows
//! another; the table in `wire` shows all of it on one page.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::time::{Instant, Sleep};

use super::lingering_close::LingeringClose;
use super::timer::poll_until;

/// How long a connection may be idle before the next request begins.
pub(crate) const IDLE_MAX: Duration = Duration::from_secs(75);
/// How long a head may take to its last byte, from its first byte or from the end of the response
/// before it, whichever is later.
pub(crate) const HEAD_MAX: Duration = Duration::from_secs(10);
/// How long a client that has closed its side may still be waiting for a response, once that is
/// due. It may only have sent all its requests; more likely it has left.
pub(super) const GONE_AFTER: Duration = Duration::from_secs(1);
/// How long a client may go without taking a byte of its response.
const STALLED_MAX: Duration = Duration::from_secs(30);
/// How long a client may take for its whole response, from the first time that it keeps the server
/// waiting, even if it takes a little all the time. The largest responses are a few hundred
/// kilobytes.
pub(super) const ANSWER_MAX: Duration = Duration::from_mins(5);

/// What a connection is doing.
pub(super) enum State {
    /// It is idle, or is receiving a head.
    Receiving {
        /// When the connection was accepted, the response before was sent, or the head began.
        since: Instant,
    },
    /// A whole head has been passed on, and nothing of its response has been written.
    Due {
        /// When the connection began to receive this head.
        since: Instant,
    },
    /// A response is being written.
    Answering(Answering),
    /// It sends its last response, if any, and reads nothing more as a request.
    Ending(LingeringClose),
}

/// How fast a client takes its response. Reads the clock only when a write must wait, which hardly
/// ever happens.
#[derive(Default)]
pub(super) struct Answering {
    /// When this response first had to wait for the client.
    slow: Option<Instant>,
    /// Since when the client has taken nothing.
    stalled: Option<Instant>,
}

impl Answering {
    /// Records an attempt to write, and turns it into an error if the client takes too long.
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
