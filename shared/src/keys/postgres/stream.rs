//! The stream under a connection: a socket, with TLS if the address asks for it, from which no more
//! is read than a reply may have.
//!
//! The library connects and chooses among hosts; the only layer it lets others put above the socket
//! is TLS. So it is set to use TLS, and gets this. For a Unix socket it never uses TLS, so a
//! connection to a single one is made here; among several hosts, Unix sockets are not limited.

use std::io;
use std::path::Path;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::net::UnixStream;
use tokio_postgres::config::{Host, SslMode, SslNegotiation, TargetSessionAttrs};
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, NoTlsStream, TlsConnect, TlsStream};
use tokio_postgres::{Client, Config, Connection, Error, NoTls, Socket};
use tokio_postgres_rustls::MakeRustlsConnect;
use tokio_util::either::Either;

use crate::base::limited::{Allowance, Limited};
use crate::keys::postgres::address::PORT_USUAL;

/// Asks whether there is TLS: a length, and the code of the request.
const IS_THERE_TLS: [u8; 8] = [0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f];
const THERE_IS: u8 = b'S';

type Rustls = <MakeRustlsConnect as MakeTlsConnect<Socket>>::TlsConnect;

/// A connection through a Unix socket.
type FileConnection = Connection<Limited<UnixStream>, NoTlsStream>;

/// Makes limited streams.
#[derive(Clone)]
pub(super) struct LimitedStreams {
    tls: MakeRustlsConnect,
    start: Start,
    answers: Allowance,
}

/// How a connection begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Start {
    Plain,
    /// It is asked for.
    AskedTls,
    /// At once, for which the address may ask.
    DirectTls,
}

/// A stream of one connection, yet to be made.
pub(super) struct LimitedConnect {
    tls: Rustls,
    start: Start,
    answers: Allowance,
}

/// A limited stream.
pub(super) struct LimitedStream(
    Limited<Either<Socket, <MakeRustlsConnect as MakeTlsConnect<Socket>>::Stream>>,
);

impl LimitedStreams {
    /// Streams of the kind that `config` asks for, which is changed so that the library takes them.
    pub(super) fn of(config: &mut Config, tls: MakeRustlsConnect, answers: Allowance) -> Self {
        let is_file = |host: &Host| matches!(host, Host::Unix(_));
        let start = match (config.get_ssl_mode(), config.get_ssl_negotiation()) {
            // It asks by itself.
            _ if config.get_hosts().iter().any(is_file) => {
                return Self {
                    tls,
                    start: Start::DirectTls,
                    answers,
                };
            }
            (SslMode::Disable, _) => Start::Plain,
            (_, SslNegotiation::Direct) => Start::DirectTls,
            _ => Start::AskedTls,
        };
        config.ssl_mode(SslMode::Require);
        config.ssl_negotiation(SslNegotiation::Direct);
        Self {
            tls,
            start,
            answers,
        }
    }

    /// Connects through the file in `folder`.
    pub(super) async fn connect_through(
        &self,
        folder: &Path,
        config: &Config,
    ) -> Result<(Client, FileConnection), Error> {
        let port = config.get_ports().first().unwrap_or(&PORT_USUAL);
        let file = folder.join(format!(".s.PGSQL.{port}"));
        loop {
            if let Ok(socket) = UnixStream::connect(&file).await {
                let stream = Limited::new(socket, self.answers);
                return config.connect_raw(stream, NoTls).await;
            }
            // The library reports why not; if it can connect, so can we.
            drop(config.connect(NoTls).await?);
        }
    }
}

/// The file's folder, if that is how a database is reached, and the only way.
pub(super) fn lone_folder(config: &Config) -> Option<&Path> {
    match (
        config.get_hosts(),
        config.get_hostaddrs(),
        config.get_target_session_attrs(),
    ) {
        ([Host::Unix(folder)], [], TargetSessionAttrs::Any) => Some(folder),
        _ => None,
    }
}

impl MakeTlsConnect<Socket> for LimitedStreams {
    type Stream = LimitedStream;
    type TlsConnect = LimitedConnect;
    type Error = <MakeRustlsConnect as MakeTlsConnect<Socket>>::Error;

    fn make_tls_connect(&mut self, host: &str) -> Result<LimitedConnect, Self::Error> {
        let tls = MakeTlsConnect::<Socket>::make_tls_connect(&mut self.tls, host)?;
        let (start, answers) = (self.start, self.answers);
        Ok(LimitedConnect {
            tls,
            start,
            answers,
        })
    }
}

impl TlsConnect<Socket> for LimitedConnect {
    type Stream = LimitedStream;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<LimitedStream>> + Send>>;

    fn connect(self, mut socket: Socket) -> Self::Future {
        Box::pin(async move {
            if self.start == Start::AskedTls {
                ask_for_tls(&mut socket).await?;
            }
            let stream = match self.start {
                Start::Plain => Either::Left(socket),
                Start::AskedTls | Start::DirectTls => {
                    Either::Right(self.tls.connect(socket).await?)
                }
            };
            Ok(LimitedStream(Limited::new(stream, self.answers)))
        })
    }
}

async fn ask_for_tls(socket: &mut Socket) -> io::Result<()> {
    socket.write_all(&IS_THERE_TLS).await?;
    let mut answer = [0];
    socket.read_exact(&mut answer).await?;
    if answer != [THERE_IS] {
        return Err(io::Error::other("server does not support TLS"));
    }
    Ok(())
}

impl TlsStream for LimitedStream {
    fn channel_binding(&self) -> ChannelBinding {
        match self.0.get_ref() {
            Either::Left(_plain) => ChannelBinding::none(),
            Either::Right(tls) => tls.channel_binding(),
        }
    }
}

impl AsyncRead for LimitedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(cx, buffer)
    }
}

impl AsyncWrite for LimitedStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(cx)
    }
}
