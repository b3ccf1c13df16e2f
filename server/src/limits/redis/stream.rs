//! The stream under a connection: a socket, with TLS if the address asks for it, from which no more
//! is read than replies may have.
//!
//! The library could connect too, but would accept replies of any length.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use futures_util::future::select_ok;
use redis::{ConnectionAddr, ConnectionInfo, ErrorKind, RedisResult};
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use shared::base::limited::{Allowance, Limited};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpStream, lookup_host};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_util::either::Either;

/// Replies have a few hundred bytes; reports of a Redis about itself a few thousand, requested with
/// two writes a second.
const REPLIES: Allowance = Allowance {
    per_write: 32 << 10,
    always: 1 << 20,
};

/// A limited stream.
pub(super) type LimitedStream = Limited<Gathering<Either<TcpStream, TlsStream<TcpStream>>>>;

/// A stream that delays writes by one turn of the runtime: all requests that are ready go in one
/// write, since a write costs more than any of them.
#[derive(Debug)]
pub(super) struct Gathering<S> {
    stream: S,
    has_waited: bool,
}

/// TLS, and the expected name in the certificate.
type Tls = (TlsConnector, ServerName<'static>);

/// Connects with whichever address of the host is first to answer.
pub(super) async fn connect(info: &ConnectionInfo) -> RedisResult<LimitedStream> {
    let (host, port, tls) = match info.addr() {
        ConnectionAddr::Tcp(host, port) => (host, *port, None),
        ConnectionAddr::TcpTls { host, port, .. } => (host, *port, Some(tls(host)?)),
        _ => return Err((ErrorKind::InvalidClientConfig, "No host in the address").into()),
    };
    let addresses = lookup_host((&**host, port)).await?;
    let reaching = addresses.map(|address| Box::pin(reach(address, tls.clone())));
    let reaching: Vec<_> = reaching.collect();
    if reaching.is_empty() {
        return Err((ErrorKind::InvalidClientConfig, "No address found for host").into());
    }
    let (stream, _slower) = select_ok(reaching).await?;
    Ok(Limited::new(Gathering::new(stream), REPLIES))
}

async fn reach(
    address: SocketAddr,
    tls: Option<Tls>,
) -> io::Result<Either<TcpStream, TlsStream<TcpStream>>> {
    let socket = TcpStream::connect(address).await?;
    socket.set_nodelay(true)?;
    Ok(match tls {
        None => Either::Left(socket),
        Some((connector, name)) => Either::Right(connector.connect(name, socket).await?),
    })
}

/// TLS that trusts the system's certificate authorities, or those in the file that `SSL_CERT_FILE`
/// names.
fn tls(host: &str) -> RedisResult<Tls> {
    let mut found = rustls_native_certs::load_native_certs();
    if let Some(unreadable) = found.errors.pop() {
        return Err(unreadable.into());
    }
    let mut authorities = RootCertStore::empty();
    for certificate in found.certs {
        authorities.add(certificate)?;
    }
    let config = ClientConfig::builder().with_root_certificates(authorities);
    let connector = TlsConnector::from(Arc::new(config.with_no_client_auth()));
    Ok((connector, ServerName::try_from(host.to_owned())?))
}

impl<S> Gathering<S> {
    const fn new(stream: S) -> Self {
        let has_waited = false;
        Self { stream, has_waited }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Gathering<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Gathering<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        if !self.has_waited {
            self.has_waited = true;
            // This task runs again after those that are ready now, with their requests.
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        let written = ready!(Pin::new(&mut self.stream).poll_write(cx, bytes));
        self.has_waited = false;
        Poll::Ready(written)
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
    use std::cell::RefCell;
    use std::future::poll_fn;

    use futures_util::future::join;

    use super::*;

    #[tokio::test]
    async fn what_is_asked_in_one_turn_goes_in_one_write() {
        let mut stream = Gathering::new(Vec::new());
        for _turn in 0..2 {
            let asked = RefCell::new(b"one".to_vec());
            let writing = poll_fn(|cx| Pin::new(&mut stream).poll_write(cx, &asked.borrow()));
            let asking = async { asked.borrow_mut().extend(b", two") };
            let (written, ()) = join(writing, asking).await;
            assert_eq!(written.unwrap(), "one, two".len());
        }
    }
}
