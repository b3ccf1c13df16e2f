//! The states of a connection, and how long its client may keep it waiting in each.
//!
//! Each state holds the data that exists only in it. `Connection` decides when one state follows
//! another; the table in `wire` shows all of it on one page.

use std::io;
use std::pin::Pin;
use std::sync::LazyLock;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use memchr::memmem::Finder;
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
/// waiting, even if it takes a little all the time; and a second more for each [`SECOND_BYTES`] that
/// it has taken. Most responses are shorter than these, but a whole file has gigabytes.
pub(super) const ANSWER_MAX: Duration = Duration::from_mins(5);
/// The bytes that earn a client another second.
const SECOND_BYTES: u64 = 64 * 1024;

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

/// How much of its response a client has taken, and how fast. Reads the clock only when a write must
/// wait, which hardly ever happens.
pub(super) struct Answering {
    /// The bytes of the response, by its own head.
    length: u64,
    /// The bytes that were written.
    taken: u64,
    /// When this response first had to wait for the client.
    slow: Option<Instant>,
    /// Since when the client has taken nothing.
    stalled: Option<Instant>,
}

impl Answering {
    /// A response of which nothing is written, and which has this head.
    pub(super) fn begin(head: &[u8], is_head: bool) -> Self {
        let body = if is_head { 0 } else { body_length(head) };
        Self {
            length: body.saturating_add(head.len() as u64),
            taken: 0,
            slow: None,
            stalled: None,
        }
    }

    /// Whether all of it is written. The library flushes in the middle of a long one, too.
    pub(super) const fn is_whole(&self) -> bool {
        self.length <= self.taken
    }

    /// Records an attempt to write, and turns it into an error if the client takes too long.
    pub(super) fn poll(
        &mut self,
        timer: &mut Pin<Box<Sleep>>,
        cx: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        if let Poll::Ready(written) = written {
            self.stalled = None;
            self.taken += *written.as_ref().unwrap_or(&0) as u64;
            return Poll::Ready(written);
        }
        let stalled = *self.stalled.get_or_insert_with(Instant::now);
        let slow = *self.slow.get_or_insert(stalled);
        let earned = Duration::from_secs(self.taken / SECOND_BYTES);
        let deadline = (stalled + STALLED_MAX).min(slow + ANSWER_MAX + earned);
        ready!(poll_until(timer, deadline, cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

static LENGTH: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"\r\ncontent-length: "));

/// The bytes of the body that this head announces: none, if it says nothing of one.
fn body_length(head: &[u8]) -> u64 {
    let after = LENGTH.find(head).map(|field| field + LENGTH.needle().len());
    let digits = head[after.unwrap_or(head.len())..].iter();
    let digits = digits.take_while(|byte| byte.is_ascii_digit());
    digits.fold(0_u64, |body, digit| {
        body.saturating_mul(10)
            .saturating_add(u64::from(digit - b'0'))
    })
}
