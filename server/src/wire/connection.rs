//! One connection: what of it is given to the HTTP library, and how long its client may keep the
//! server waiting.
//!
//! The library gets whole lines of well-formed heads, one head at a time, and nothing while an
//! answer is on its way. A client that sends something else, or does not finish a head, gets a refusal in the
//! envelope, which the library would not do, and nothing after that is read as a request. A client
//! that sends nothing, or does not take its answer, is dropped without a word.

mod head;
mod lingering_close;
mod phase;
mod refusal;
mod timer;
mod write_timeout;

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::watch;
use tokio::time::{Instant, Sleep};

use super::admission::Place;
pub(crate) use head::{BadHead, check};
use head::{Checked, RequestHeads};
use lingering_close::LingeringClose;
use phase::Closing;
pub(crate) use phase::Phase;
pub(crate) use refusal::{LastAnswer, Refusal};
use timer::poll_until;
use write_timeout::{GONE_AFTER, WriteTimeout};

/// How long a connection may be idle before the next request begins.
pub(crate) const IDLE_MAX: Duration = Duration::from_secs(75);
/// How long a head may take from its first byte to its last.
pub(crate) const HEAD_MAX: Duration = Duration::from_secs(10);
/// Most bytes that are read at a time.
const READ_BYTES_MAX: usize = 8 * 1024;
/// What an idle connection may keep of the room for what was read.
const IDLE_BYTES_MAX: usize = 2 * 1024;

/// Most bytes of later requests that are read while an answer is due.
const AHEAD_BYTES_MAX: usize = 8 * 1024;

/// A byte stream of heads that ends when its client is refused or waits too long.
pub(crate) struct Connection<S> {
    stream: S,
    last_answer: LastAnswer,
    heads: RequestHeads,
    /// What was read and is not given on: a line that has not ended, and heads after the current.
    held: Vec<u8>,
    /// What of that may be given on.
    checked: Checked,
    taking: WriteTimeout,
    /// The library wanted to read while an answer was on its way.
    is_read_due: bool,
    /// Since when the client has closed its side.
    closed: Option<Instant>,
    /// Since when the client is the one to act.
    since: Instant,
    timer: Pin<Box<Sleep>>,
    /// Ready when what has begun and not ended is waited for no longer.
    closing: Closing,
    lingering_close: Option<LingeringClose>,
    /// Given back when the connection ends.
    _place: Option<Place>,
}

impl<S> Connection<S> {
    /// A connection of a server that is in this phase.
    pub(crate) fn new(
        stream: S,
        last_answer: LastAnswer,
        phase: watch::Receiver<Phase>,
        place: Option<Place>,
    ) -> Self {
        let since = Instant::now();
        Self {
            stream,
            last_answer,
            heads: RequestHeads::default(),
            held: Vec::new(),
            checked: Checked::default(),
            taking: WriteTimeout::default(),
            is_read_due: false,
            closed: None,
            since,
            timer: Box::pin(tokio::time::sleep_until(since + IDLE_MAX)),
            closing: phase::closing(phase),
            lingering_close: None,
            _place: place,
        }
    }

    fn say_farewell(&mut self, answer: Vec<u8>) {
        self.lingering_close = Some(LingeringClose::new(answer, !self.held.is_empty()));
    }

    /// Looks at what is held; what of it passes is noted.
    fn look(&mut self) {
        match self.heads.read(&self.held) {
            Ok(checked) => {
                self.held.drain(..checked.dropped);
                self.checked = checked;
            }
            Err(bad) => {
                let is_head = self.heads.is_head();
                let origin = self.heads.origin(&self.held);
                let answer = (self.last_answer)(Refusal::BadHead { bad, is_head }, origin);
                self.say_farewell(answer);
            }
        }
    }

    /// Gives on what has passed, as far as there is room.
    fn give(&mut self, buffer: &mut ReadBuf<'_>) {
        let length = self.checked.given.min(buffer.remaining());
        buffer.put_slice(&self.held[..length]);
        self.held.drain(..length);
        self.checked.given -= length;
        if self.checked.given == 0 && self.checked.is_whole {
            self.checked.is_whole = false;
            self.taking.expect(self.since);
        }
        if self.held.is_empty() && IDLE_BYTES_MAX < self.held.capacity() {
            self.held = Vec::new();
        }
    }

    /// A head has begun and not ended.
    fn is_open(&self) -> bool {
        self.heads.is_open() || !matches!(self.held[..], [] | [b'\r'])
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> Connection<S> {
    /// Reads more from the client. Ready with whether there was more.
    fn poll_more(
        &mut self,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<bool>> {
        let mut room = buffer.take(READ_BYTES_MAX);
        ready!(Pin::new(&mut self.stream).poll_read(cx, &mut room))?;
        let bytes = room.filled();
        let is_end_of_line = |byte: &u8| matches!(byte, b'\r' | b'\n');
        if !self.is_open() && !bytes.iter().all(is_end_of_line) {
            self.since = Instant::now();
        }
        self.held.extend_from_slice(bytes);
        Poll::Ready(Ok(!bytes.is_empty()))
    }

    /// Waits on behalf of a client that has sent nothing more; ready when it took too long, or
    /// when the server is closing within its head.
    fn poll_patience(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let answer = if self.is_open() {
            let is_closing = self.closing.as_mut().poll(cx).is_ready();
            if !is_closing {
                ready!(poll_until(&mut self.timer, self.since + HEAD_MAX, cx));
            }
            let (is_head, waited) = (self.heads.is_head(), self.since.elapsed());
            let origin = self.heads.origin(&self.held);
            (self.last_answer)(Refusal::TooSlow { is_head, waited }, origin)
        } else {
            ready!(poll_until(&mut self.timer, self.since + IDLE_MAX, cx));
            Vec::new()
        };
        self.say_farewell(answer);
        Poll::Ready(())
    }

    /// Pending while the client waits for the answer that is due. Ready, at the end of the stream,
    /// when it has left, so that the library drops the request.
    fn poll_departure(
        &mut self,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let Some(due_since) = self.taking.due_since() else {
            return Poll::Pending;
        };
        let closed = loop {
            if let Some(closed) = self.closed {
                break closed;
            }
            if AHEAD_BYTES_MAX <= self.held.len() {
                return Poll::Pending;
            }
            if !ready!(self.poll_more(cx, buffer))? {
                self.closed = Some(Instant::now());
            }
        };
        let gone = closed.max(due_since) + GONE_AFTER;
        ready!(poll_until(&mut self.timer, gone, cx));
        Poll::Ready(Ok(()))
    }

    fn poll_farewell(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if let Some(lingering_close) = &mut self.lingering_close {
            ready!(lingering_close.poll(&mut self.stream, &mut self.timer, cx))?;
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Connection<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        // What the connection itself says must not come between the bytes of an answer.
        if this.taking.is_under_way() {
            this.is_read_due = true;
            return this.poll_departure(cx, buffer);
        }
        loop {
            if this.lingering_close.is_some() {
                return this.poll_farewell(cx);
            }
            if this.checked.given == 0 {
                this.look();
            }
            if 0 < this.checked.given {
                this.give(buffer);
                return Poll::Ready(Ok(()));
            }
            if this.lingering_close.is_some() {
                continue;
            }
            match this.poll_more(cx, buffer) {
                Poll::Ready(Ok(true)) => {}
                Poll::Ready(end) => return Poll::Ready(end.map(drop)),
                Poll::Pending => ready!(this.poll_patience(cx)),
            }
        }
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Connection<S> {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut this.stream).poll_write(cx, bytes);
        this.taking.poll(cx, written)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut this.stream).poll_write_vectored(cx, slices);
        this.taking.poll(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    /// The library flushes when it has written all of an answer, and before there is one.
    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(Pin::new(&mut this.stream).poll_flush(cx))?;
        if this.taking.end() {
            this.since = Instant::now();
            if std::mem::take(&mut this.is_read_due) {
                cx.waker().wake_by_ref();
            }
        }
        Poll::Ready(Ok(()))
    }

    /// The library shuts the connection after its last answer.
    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.lingering_close.is_none() {
            this.say_farewell(Vec::new());
        }
        this.poll_farewell(cx)
    }
}

#[cfg(test)]
mod tests;
