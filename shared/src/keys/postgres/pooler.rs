//! Whether a connection leads to the database itself, or to a pooler.
//!
//! A pooler greets each client with a process number of its own, and answers by whichever process
//! of the database is free: so the one that greets is not the one that answers. What lasts as long
//! as a session, such as `LISTEN`, must not be asked for then: the pooler would lose it, or leave
//! it to others.

use std::future::{Ready, ready};
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_util::FutureExt;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::tls::{ChannelBinding, TlsConnect, TlsStream};
use tokio_postgres::{Client, SimpleQueryMessage};

/// The column that [`is_direct`] reads: the process that answers.
pub(super) const COLUMN: &str = "pg_catalog.pg_backend_pid() AS process";

/// Whether the process that greeted is the one that gave these answers, to a query with [`COLUMN`].
pub(super) fn is_direct(client: &Client, answers: &[SimpleQueryMessage]) -> bool {
    let process = answers.iter().find_map(|answer| match answer {
        SimpleQueryMessage::Row(row) => row.try_get("process").ok()??.parse::<i32>().ok(),
        _ => None,
    });
    process.is_some() && process == greeter(client)
}

/// The process that greeted. The library keeps its number only to cancel queries, so it is read
/// from such a request, which is sent nowhere: a length, a code, and the number.
fn greeter(client: &Client) -> Option<i32> {
    let mut request = Unsent(Vec::new());
    let cancel = client.cancel_token();
    let written = cancel.cancel_query_raw(&mut request, AsIs);
    written.now_or_never()?.ok()?;
    let number = request.0.get(8..12)?;
    Some(i32::from_be_bytes(number.try_into().ok()?))
}

/// What is written into memory.
struct Unsent(Vec<u8>);

/// Writes it unencrypted.
struct AsIs;

impl<'u> TlsConnect<&'u mut Unsent> for AsIs {
    type Stream = &'u mut Unsent;
    type Error = io::Error;
    type Future = Ready<io::Result<&'u mut Unsent>>;

    fn connect(self, unsent: &'u mut Unsent) -> Self::Future {
        ready(Ok(unsent))
    }
}

impl TlsStream for &mut Unsent {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl AsyncRead for Unsent {
    fn poll_read(
        self: Pin<&mut Self>,
        _cx: &mut Context<'_>,
        _buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Unsent {
    fn poll_write(
        mut self: Pin<&mut Self>,
        _cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.0.extend_from_slice(bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
