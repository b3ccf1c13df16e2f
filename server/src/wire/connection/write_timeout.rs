//! How a client takes an answer: whether one is on its way, and how long that may last.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::time::{Instant, Sleep};

use super::timer::poll_until;

/// How long a client may take no byte of its answer.
pub(crate) const STALLED_MAX: Duration = Duration::from_secs(30);
/// How long a client may take all of its answer, however steadily it takes a little. The largest
/// answers are a few hundred kilobytes.
pub(crate) const ANSWER_MAX: Duration = Duration::from_mins(5);
/// How long a client that has closed its side is still believed to wait for an answer, from when
/// that is due. It may have said all that it has to say; more likely it has left.
pub(crate) const GONE_AFTER: Duration = Duration::from_secs(1);

/// The answer that is due or being sent.
#[derive(Default)]
pub(super) struct WriteTimeout {
    /// Since when an answer is due that has not been sent.
    due: Option<Instant>,
    has_begun: bool,
    /// Since when the client has been waited for, if at all: for nearly every answer the time need
    /// not be asked.
    slow: Option<Instant>,
    stalled: Option<Instant>,
    /// Made for the first client that is slower than its connection.
    timer: Option<Pin<Box<Sleep>>>,
}

impl WriteTimeout {
    /// A request was given on, which the client had sent by that time.
    pub(super) fn expect(&mut self, since: Instant) {
        self.due = Some(since);
    }

    /// Since when an answer is due of which nothing was written yet.
    pub(super) fn due_since(&self) -> Option<Instant> {
        self.due.filter(|_since| !self.has_begun)
    }

    /// An answer is due, or not sent as a whole.
    pub(super) fn is_under_way(&self) -> bool {
        self.due.is_some() || self.has_begun
    }

    /// All that was written has been sent. Whether that was an answer.
    pub(super) fn end(&mut self) -> bool {
        (self.stalled, self.slow) = (None, None);
        let had_begun = std::mem::take(&mut self.has_begun);
        if had_begun {
            self.due = None;
        }
        had_begun
    }

    /// Takes note of an attempt to write, which fails where the client takes too long.
    pub(super) fn poll(
        &mut self,
        cx: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        self.has_begun = true;
        if written.is_ready() {
            self.stalled = None;
            return written;
        }
        let stalled = *self.stalled.get_or_insert_with(Instant::now);
        let slow = *self.slow.get_or_insert(stalled);
        let deadline = (stalled + STALLED_MAX).min(slow + ANSWER_MAX);
        let timer = self
            .timer
            .get_or_insert_with(|| Box::pin(tokio::time::sleep_until(deadline)));
        ready!(poll_until(timer, deadline, cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}
