//! One connection: decides what the HTTP library gets to read, and how long the client may keep the
//! server waiting.
//!
//! The library gets whole lines of well-formed heads, one head at a time, and nothing while a
//! response is being sent. A client that sends anything else, or does not finish a head, gets an
//! error in our envelope, which the library would not send, and none of its later bytes are read as
//! a request. A client that sends nothing, or does not read its response, is dropped silently.

mod head;
mod lingering_close;
mod phase;
mod refusal;
mod state;
mod timer;

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::watch;
use tokio::time::{Instant, Sleep};

use super::admission::ConnectionSlot;
pub(crate) use head::{BadHead, check};
use head::{Checked, RequestHeads};
use lingering_close::LingeringClose;
use phase::Closing;
pub(crate) use phase::Phase;
pub(crate) use refusal::{LastAnswer, Refusal};
pub(crate) use state::HEAD_MAX;
use state::{Answering, GONE_AFTER, IDLE_MAX, State};
use timer::poll_until;

/// Most bytes read at a time.
const READ_BYTES_MAX: usize = 8 * 1024;
/// Most buffer that an idle connection keeps.
const IDLE_BYTES_MAX: usize = 2 * 1024;

/// Most bytes of later requests read while a response is due.
const AHEAD_BYTES_MAX: usize = 8 * 1024;

/// A byte stream of heads that ends when its client is refused or waits too long.
pub(crate) struct Connection<S> {
    stream: S,
    last_answer: LastAnswer,
    heads: RequestHeads,
    /// Bytes read but not passed on: an unfinished line, and heads after the current one.
    held: Vec<u8>,
    /// How much of `held` may be passed on.
    checked: Checked,
    state: State,
    /// Whether the library wanted to read while a response was being sent.
    is_read_due: bool,
    /// When the client closed its side.
    closed: Option<Instant>,
    /// For the deadline of the current state.
    timer: Pin<Box<Sleep>>,
    /// Ready when the server no longer waits for unfinished requests.
    closing: Closing,
    /// Released when the connection ends.
    _slot: Option<ConnectionSlot>,
}

impl<S> Connection<S> {
    /// A new connection; `phase` is the phase of its server.
    pub(crate) fn new(
        stream: S,
        last_answer: LastAnswer,
        phase: watch::Receiver<Phase>,
        slot: Option<ConnectionSlot>,
    ) -> Self {
        let since = Instant::now();
        Self {
            stream,
            last_answer,
            heads: RequestHeads::default(),
            held: Vec::new(),
            checked: Checked::default(),
            state: State::Receiving { since },
            is_read_due: false,
            closed: None,
            timer: Box::pin(tokio::time::sleep_until(since + IDLE_MAX)),
            closing: phase::closing(phase),
            _slot: slot,
        }
    }

    /// Begins to end the connection with this response, or silently if it is empty.
    fn end(&mut self, answer: Vec<u8>) {
        self.state = State::Ending(LingeringClose::new(answer, !self.held.is_empty()));
    }

    /// Checks the held bytes and records how many may pass, or begins to end with a refusal.
    fn check_held(&mut self) {
        match self.heads.read(&self.held) {
            Ok(checked) => {
                self.held.drain(..checked.dropped);
                self.checked = checked;
            }
            Err(bad) => {
                let is_head = self.heads.is_head();
                let origin = self.heads.origin(&self.held);
                let answer = (self.last_answer)(Refusal::BadHead { bad, is_head }, origin);
                self.end(answer);
            }
        }
    }

    /// Passes on checked bytes, as many as fit into the buffer.
    fn give(&mut self, buffer: &mut ReadBuf<'_>) {
        let length = self.checked.given.min(buffer.remaining());
        buffer.put_slice(&self.held[..length]);
        self.held.drain(..length);
        self.checked.given -= length;
        if self.checked.given == 0 && self.checked.is_whole {
            self.checked.is_whole = false;
            if let State::Receiving { since } = self.state {
                self.state = State::Due { since };
            }
        }
        if self.held.is_empty() && IDLE_BYTES_MAX < self.held.capacity() {
            self.held = Vec::new();
        }
    }

    /// Whether a head has begun and not ended.
    fn is_open(&self) -> bool {
        self.heads.is_open() || !matches!(self.held[..], [] | [b'\r'])
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> Connection<S> {
    /// Reads more from the client. Ready with `false` at the end of the stream.
    fn poll_more(
        &mut self,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<bool>> {
        let mut room = buffer.take(READ_BYTES_MAX);
        ready!(Pin::new(&mut self.stream).poll_read(cx, &mut room))?;
        let bytes = room.filled();
        let is_end_of_line = |byte: &u8| matches!(byte, b'\r' | b'\n');
        let begins_head = !self.is_open() && !bytes.iter().all(is_end_of_line);
        if let State::Receiving { since } = &mut self.state
            && begins_head
        {
            *since = Instant::now();
        }
        self.held.extend_from_slice(bytes);
        Poll::Ready(Ok(!bytes.is_empty()))
    }

    /// Passes on the next part of a head, or ends the connection with a refusal.
    fn poll_receive(
        &mut self,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        while let State::Receiving { since } = self.state {
            if self.checked.given == 0 {
                self.check_held();
            }
            if 0 < self.checked.given {
                self.give(buffer);
                return Poll::Ready(Ok(()));
            }
            if matches!(self.state, State::Ending(_)) {
                break;
            }
            match self.poll_more(cx, buffer) {
                Poll::Ready(Ok(true)) => {}
                Poll::Ready(end) => return Poll::Ready(end.map(drop)),
                Poll::Pending => ready!(self.poll_too_late(since, cx)),
            }
        }
        self.poll_end(cx)
    }

    /// Begins to end the connection when the client takes too long to send more, or when the server
    /// is closing while a head is unfinished.
    fn poll_too_late(&mut self, since: Instant, cx: &mut Context<'_>) -> Poll<()> {
        let answer = if self.is_open() {
            let is_closing = self.closing.as_mut().poll(cx).is_ready();
            if !is_closing {
                ready!(poll_until(&mut self.timer, since + HEAD_MAX, cx));
            }
            let (is_head, waited) = (self.heads.is_head(), since.elapsed());
            let origin = self.heads.origin(&self.held);
            (self.last_answer)(Refusal::TooSlow { is_head, waited }, origin)
        } else {
            ready!(poll_until(&mut self.timer, since + IDLE_MAX, cx));
            Vec::new()
        };
        self.end(answer);
        Poll::Ready(())
    }

    /// Pending while the client waits for the response that has been due since `due_since`. When
    /// the client has left, it is ready and reports the end of the stream, so the library drops the
    /// request.
    fn poll_client_left(
        &mut self,
        due_since: Instant,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
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

    /// Updates the state before an attempt to write a part of a response. The library writes a whole
    /// head first, as a slice of its own.
    fn begin_answer(&mut self, first: &[u8]) {
        if matches!(self.state, State::Receiving { .. } | State::Due { .. }) {
            self.state = State::Answering(Answering::begin(first, self.heads.is_head()));
        }
    }

    /// Updates the state after it.
    fn poll_written(
        &mut self,
        cx: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        match &mut self.state {
            State::Answering(answering) => answering.poll(&mut self.timer, cx, written),
            _ => written,
        }
    }

    fn poll_end(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if let State::Ending(lingering_close) = &mut self.state {
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
        match this.state {
            State::Receiving { .. } => this.poll_receive(cx, buffer),
            State::Due { since } => {
                this.is_read_due = true;
                this.poll_client_left(since, cx, buffer)
            }
            // The connection's own refusals must not come between the bytes of a response.
            State::Answering(_) => {
                this.is_read_due = true;
                Poll::Pending
            }
            State::Ending(_) => this.poll_end(cx),
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
        this.begin_answer(bytes);
        let written = Pin::new(&mut this.stream).poll_write(cx, bytes);
        this.poll_written(cx, written)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        this.begin_answer(slices.first().map_or(&[], |first| first));
        let written = Pin::new(&mut this.stream).poll_write_vectored(cx, slices);
        this.poll_written(cx, written)
    }

    /// Always, so that the library does not join a head and its body.
    fn is_write_vectored(&self) -> bool {
        true
    }

    /// The library flushes after writing a whole response, before the first one, and in the middle of
    /// one that it gets in parts.
    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(Pin::new(&mut this.stream).poll_flush(cx))?;
        if let State::Answering(answering) = &this.state
            && answering.is_whole()
        {
            let since = Instant::now();
            this.state = State::Receiving { since };
            if std::mem::take(&mut this.is_read_due) {
                cx.waker().wake_by_ref();
            }
        }
        Poll::Ready(Ok(()))
    }

    /// The library shuts the connection down after its last response.
    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if !matches!(this.state, State::Ending(_)) {
            this.end(Vec::new());
        }
        this.poll_end(cx)
    }
}

#[cfg(test)]
mod tests;
