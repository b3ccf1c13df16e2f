//! Bounds on the replies of a database or another service: on the bytes read, and on the text
//! shown.
//!
//! The clients of Redis and PostgreSQL collect a reply of any length, so an endless one, from a
//! broken or hostile server, would fill the memory. [`Limited`] goes between them and the network,
//! above TLS. Nothing here knows a protocol.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Most characters shown of a text from another service: something else may answer at its address,
/// or echo a whole statement.
pub const CHARS_MAX: usize = 2_000;

/// How many bytes may be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance {
    /// Bytes that each write allows to be read. Requests sent while an endless reply arrives allow
    /// no more than this of it.
    pub per_write: usize,
    /// Bytes that are always allowed, however many requests have no reply yet.
    pub always: usize,
}

/// A stream whose writes bound how much can be read from it.
#[derive(Debug)]
pub struct Limited<S> {
    stream: S,
    allowance: Allowance,
    left: usize,
}

/// The beginning of a text, with a mark where more would follow.
pub fn shortened(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(CHARS_MAX) {
        text.truncate(end);
        text.push('…');
    }
    text
}

impl Allowance {
    /// Replies of at most so many bytes, to one request at a time.
    pub const fn of_one(bytes: usize) -> Self {
        Self {
            per_write: bytes,
            always: bytes,
        }
    }
}

impl<S> Limited<S> {
    /// Limits a stream on which no request was sent yet.
    pub fn new(stream: S, allowance: Allowance) -> Self {
        Self {
            stream,
            allowance,
            left: allowance.always,
        }
    }

    /// The stream.
    pub fn get_ref(&self) -> &S {
        &self.stream
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Limited<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(cx, buffer))?;
        let read = buffer.filled().len() - before;
        let Some(left) = self.left.checked_sub(read) else {
            self.left = 0;
            let most = self.allowance.always;
            let why = format!("what it sends is longer than any answer, {most} bytes");
            return Poll::Ready(Err(io::Error::new(io::ErrorKind::InvalidData, why)));
        };
        self.left = left;
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Limited<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = ready!(Pin::new(&mut self.stream).poll_write(cx, bytes))?;
        let Allowance { per_write, always } = self.allowance;
        self.left = self.left.saturating_add(per_write).min(always);
        Poll::Ready(Ok(written))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;
    use std::future::poll_fn;

    use super::*;

    const ALLOWANCE: Allowance = Allowance {
        per_write: 10,
        always: 25,
    };

    /// Has no end.
    struct Endless;

    impl AsyncRead for Endless {
        fn poll_read(
            self: Pin<&mut Self>,
            _cx: &mut Context<'_>,
            buffer: &mut ReadBuf<'_>,
        ) -> Poll<io::Result<()>> {
            buffer.initialize_unfilled().fill(b' ');
            buffer.set_filled(buffer.capacity());
            Poll::Ready(Ok(()))
        }
    }

    impl AsyncWrite for Endless {
        fn poll_write(
            self: Pin<&mut Self>,
            _cx: &mut Context<'_>,
            bytes: &[u8],
        ) -> Poll<io::Result<usize>> {
            Poll::Ready(Ok(bytes.len()))
        }

        fn poll_flush(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }

        fn poll_shutdown(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }
    }

    fn read(stream: &mut Limited<Endless>, bytes: usize) -> io::Result<()> {
        let mut buffer = vec![0; bytes];
        let mut buffer = ReadBuf::new(&mut buffer);
        let read = poll_fn(|cx| Pin::new(&mut *stream).poll_read(cx, &mut buffer));
        read.now_or_never().unwrap()
    }

    fn write(stream: &mut Limited<Endless>) {
        let write = poll_fn(|cx| Pin::new(&mut *stream).poll_write(cx, b"?"));
        write.now_or_never().unwrap().unwrap();
    }

    #[test]
    fn no_more_is_read_than_what_was_written_allows() {
        let mut stream = Limited::new(Endless, ALLOWANCE);
        for _piece in 0..5 {
            read(&mut stream, 5).unwrap();
        }
        write(&mut stream);
        read(&mut stream, 10).unwrap();
        let refused = read(&mut stream, 1).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::InvalidData);
        assert!(read(&mut stream, 1).is_err());
    }

    #[test]
    fn what_was_not_read_is_not_kept_beyond_what_is_allowed_in_all() {
        let mut stream = Limited::new(Endless, ALLOWANCE);
        for _question in 0..9 {
            write(&mut stream);
        }
        read(&mut stream, 25).unwrap();
        assert!(read(&mut stream, 1).is_err());
    }

    #[test]
    fn a_text_that_is_too_long_is_cut_between_characters() {
        for (text, expected) in [
            (String::new(), String::new()),
            ("é".repeat(CHARS_MAX), "é".repeat(CHARS_MAX)),
            ("é".repeat(CHARS_MAX + 1), "é".repeat(CHARS_MAX) + "…"),
        ] {
            assert_eq!(shortened(text), expected);
        }
    }
}
