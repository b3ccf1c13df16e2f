//! The end of a connection: sends the last response and reads what the client still sends.
//!
//! It takes at most [`LINGER_MAX`], whatever the client does.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Buf, Bytes};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep};

use super::timer::poll_until;

/// How long a client may take to receive its last response and go on sending. What it sends is
/// discarded: closing the connection earlier would reset it, and the client might lose the
/// response.
pub(crate) const LINGER_MAX: Duration = Duration::from_secs(2);
/// Most bytes that are discarded at a time.
const THROWN_AWAY_BYTES: usize = 4 * 1024;

pub(super) struct LingeringClose {
    /// What is left of the response.
    answer: Bytes,
    until: Instant,
    is_shut: bool,
    /// Whether the client may still be sending.
    lingers: bool,
}

impl LingeringClose {
    /// Ends with this response, or silently if it is empty.
    pub(super) fn new(answer: Vec<u8>, is_client_sending: bool) -> Self {
        Self {
            lingers: is_client_sending || !answer.is_empty(),
            answer: answer.into(),
            until: Instant::now() + LINGER_MAX,
            is_shut: false,
        }
    }

    /// Ready when everything is done, or the time is over.
    pub(super) fn poll<S: AsyncRead + AsyncWrite + Unpin>(
        &mut self,
        stream: &mut S,
        timer: &mut Pin<Box<Sleep>>,
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<()>> {
        if poll_until(timer, self.until, cx).is_ready() {
            return Poll::Ready(Ok(()));
        }
        while self.answer.has_remaining() {
            let written = ready!(Pin::new(&mut *stream).poll_write(cx, &self.answer))?;
            self.answer.advance(written);
        }
        if !self.is_shut {
            ready!(Pin::new(&mut *stream).poll_shutdown(cx))?;
            self.is_shut = true;
        }
        let mut scratch = [0; THROWN_AWAY_BYTES];
        loop {
            let mut thrown_away = ReadBuf::new(&mut scratch);
            match Pin::new(&mut *stream).poll_read(cx, &mut thrown_away) {
                Poll::Pending if self.lingers => return Poll::Pending,
                Poll::Ready(Ok(())) if !thrown_away.filled().is_empty() => self.lingers = true,
                _ => return Poll::Ready(Ok(())),
            }
        }
    }
}
