//! What a connection goes over: a socket, with TLS where the address asks for it, of which no more
//! is read than replies may have.
//!
//! The library could connect, too, but takes replies of any length then.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use futures_util::future::select_ok;
use redis::{ConnectionAddr, ConnectionInfo, ErrorKind, RedisResult};
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use shared::base::limited::{Allowance, Limited};
use tokio::net::{TcpStream, lookup_host};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_util::either::Either;

/// Replies have some hundred bytes, and what a Redis tells of itself some thousand, for which it is
/// asked with two writes a second.
const REPLIES: Allowance = Allowance {
    of_each: 32 << 10,
    in_all: 1 << 20,
};

/// A stream that has an end.
pub(super) type LimitedStream = Limited<Either<TcpStream, TlsStream<TcpStream>>>;

/// TLS, and whose certificate is expected.
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
    Ok(Limited::new(stream, REPLIES))
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

/// TLS that believes the authorities of the system, or those in the file that `SSL_CERT_FILE` names.
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
