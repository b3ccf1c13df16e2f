//! One connection, and how long its client may keep the server waiting.
//!
//! A client that sends nothing is dropped after a while; one that begins a request and does not
//! finish its head, or whose first request has an address that cannot be parsed, is told so, in the
//! envelope, and then dropped. The HTTP library would do so without a word, which is why it is done
//! here. Requests have no bodies, so whatever
//! is read is heads, and nothing but the blank line that ends one needs to be recognised.

mod first_line;

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Buf, Bytes};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep};

pub(crate) use first_line::BadAddress;
use first_line::FirstLine;

/// How long a connection may be idle before the next request begins.
pub(crate) const IDLE_MAX: Duration = Duration::from_secs(75);
/// How long a head may take from its first byte to its last.
pub(crate) const HEAD_MAX: Duration = Duration::from_secs(10);

/// Why a connection ends with an answer that the HTTP library does not give.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Refusal {
    /// A head took longer than [`HEAD_MAX`].
    TooSlow,
    /// The address of the first request cannot be parsed.
    BadAddress(BadAddress),
}

/// Makes the complete answer to a head that is refused.
pub(crate) type LastAnswer = Arc<dyn Fn(Refusal) -> Vec<u8> + Send + Sync>;

/// A byte stream that ends when its client waits too long.
pub(crate) struct Connection<S> {
    stream: S,
    heads: Heads,
    first_line: FirstLine,
    /// Set once the first request is refused; what follows is kept from the library.
    bad_address: Option<BadAddress>,
    /// An answer to an earlier head is still due, so the client is not the one who waits.
    answer_due: bool,
    /// Since when the client is the one to act.
    since: Instant,
    timer: Pin<Box<Sleep>>,
    last_answer: LastAnswer,
    /// What is left to send of the last answer, once there is one.
    farewell: Option<Bytes>,
}

impl<S> Connection<S> {
    pub(crate) fn new(stream: S, last_answer: LastAnswer) -> Self {
        let since = Instant::now();
        Self {
            stream,
            heads: Heads::default(),
            first_line: FirstLine::Begun(Vec::new()),
            bad_address: None,
            answer_due: false,
            since,
            timer: Box::pin(tokio::time::sleep_until(since + IDLE_MAX)),
            last_answer,
            farewell: None,
        }
    }

    fn note_read(&mut self, bytes: &[u8]) {
        if let Some(bad) = self.first_line.read(bytes) {
            self.bad_address = Some(bad);
        }
        let was_open = self.heads.is_open;
        if self.heads.read(bytes) {
            self.answer_due = true;
        }
        if self.heads.is_open && !was_open {
            self.since = Instant::now();
        }
    }

    fn note_written(&mut self) {
        self.answer_due = false;
        self.since = Instant::now();
    }
}

impl<S: AsyncWrite + Unpin> Connection<S> {
    /// Waits on behalf of a client that has sent nothing more: pending while it may take longer,
    /// ready at the end of the stream.
    fn poll_patience(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.farewell.is_none() {
            if self.answer_due {
                return Poll::Pending;
            }
            let allowed = if self.heads.is_open {
                HEAD_MAX
            } else {
                IDLE_MAX
            };
            let deadline = self.since + allowed;
            if self.timer.deadline() != deadline {
                self.timer.as_mut().reset(deadline);
            }
            ready!(self.timer.as_mut().poll(cx));
            let answer = if self.heads.is_open {
                (self.last_answer)(Refusal::TooSlow)
            } else {
                Vec::new()
            };
            self.farewell = Some(answer.into());
        }
        while let Some(farewell) = self.farewell.as_mut()
            && farewell.has_remaining()
        {
            let written = ready!(Pin::new(&mut self.stream).poll_write(cx, farewell))?;
            if written == 0 {
                break;
            }
            farewell.advance(written);
        }
        Pin::new(&mut self.stream).poll_flush(cx)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Connection<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        while this.farewell.is_none() {
            let before = buffer.filled().len();
            let Poll::Ready(read) = Pin::new(&mut this.stream).poll_read(cx, buffer) else {
                break;
            };
            read?;
            let bytes = &buffer.filled()[before..];
            let is_at_end = bytes.is_empty();
            this.note_read(bytes);
            let Some(bad) = this.bad_address else {
                return Poll::Ready(Ok(()));
            };
            // The rest of a refused head is read, or closing the connection would reset it.
            buffer.set_filled(before);
            if is_at_end {
                return Poll::Ready(Ok(()));
            }
            if this.answer_due {
                let answer = (this.last_answer)(Refusal::BadAddress(bad));
                this.farewell = Some(answer.into());
            }
        }
        this.poll_patience(cx)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Connection<S> {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = ready!(Pin::new(&mut this.stream).poll_write(cx, bytes))?;
        this.note_written();
        Poll::Ready(Ok(written))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = ready!(Pin::new(&mut this.stream).poll_write_vectored(cx, slices))?;
        this.note_written();
        Poll::Ready(Ok(written))
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(cx)
    }
}

/// Where the heads of requests end in what is read. A head ends with a blank line; blank lines
/// before one are ignored (RFC 9112 section 2.2).
#[derive(Debug, Default)]
struct Heads {
    /// A head has begun and not ended.
    is_open: bool,
    /// The current line has something on it.
    line_has_text: bool,
}

impl Heads {
    /// Takes note of more bytes; whether a head ended in them.
    fn read(&mut self, bytes: &[u8]) -> bool {
        // Nearly every read is whole heads and nothing else.
        if bytes.ends_with(b"\r\n\r\n") && !bytes.starts_with(b"\r") && !bytes.starts_with(b"\n") {
            *self = Self::default();
            return true;
        }
        let mut ended = false;
        for &byte in bytes {
            match byte {
                b'\n' if !self.line_has_text => {
                    ended |= self.is_open;
                    self.is_open = false;
                }
                b'\n' => self.line_has_text = false,
                b'\r' => {}
                _ => {
                    self.is_open = true;
                    self.line_has_text = true;
                }
            }
        }
        ended
    }
}

#[cfg(test)]
mod tests;
