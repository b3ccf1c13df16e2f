//! Accepting connections on a socket that is bound already.
//!
//! Once the server is told to stop, those whose connection the operating system has made already
//! are still accepted, for closing the socket would reset them, and then the socket is closed. Who
//! is over a limit of connections is refused at once, rather than left to wait in a queue without
//! end.

use std::collections::VecDeque;
use std::future::pending;
use std::io::{self, ErrorKind};
use std::net::{SocketAddr, TcpListener as BoundListener, TcpStream as AcceptedStream};
use std::sync::Arc;
use std::time::Duration;

use salvo::ConnCtrl;
use salvo::conn::tcp::TcpCoupler;
use salvo::conn::{Accepted, Acceptor, Holding};
use salvo::fuse::{ArcFusePolicy, FuseConfig};
use salvo::http::Version;
use salvo::http::uri::Scheme;
use shared::clock::Clock;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::sleep;

use super::admission::{Admission, ConnectionLimits, Place};
use super::connection::{Connection, LastAnswer};
use super::refusing::Refusing;
use super::seldom::Seldom;

/// How long it waits when no connection can be accepted, as when too many files are open.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// The connections of one socket.
pub(crate) struct Connections {
    /// `None` once the server was told to stop.
    listener: Option<TcpListener>,
    /// What was accepted when the socket was closed, and is not served yet.
    last: VecDeque<(AcceptedStream, SocketAddr)>,
    stopping: watch::Receiver<bool>,
    admission: Admission,
    refusing: Refusing,
    last_answer: LastAnswer,
    clock: Arc<dyn Clock>,
    failures: Seldom,
    holdings: Vec<Holding>,
}

impl Connections {
    /// Connections of `listener`, as many as `limits` allow, until `stopping` is true.
    pub(crate) fn new(
        listener: BoundListener,
        limits: ConnectionLimits,
        last_answer: LastAnswer,
        clock: Arc<dyn Clock>,
        stopping: watch::Receiver<bool>,
    ) -> io::Result<Self> {
        listener.set_nonblocking(true)?;
        let listener = TcpListener::from_std(listener)?;
        let holding = Holding {
            local_addr: listener.local_addr()?.into(),
            http_versions: vec![Version::HTTP_11],
            http_scheme: Scheme::HTTP,
        };
        Ok(Self {
            listener: Some(listener),
            last: VecDeque::new(),
            stopping,
            admission: Admission::new(limits),
            refusing: Refusing::new(LastAnswer::clone(&last_answer), Arc::clone(&clock)),
            last_answer,
            clock,
            failures: Seldom::default(),
            holdings: vec![holding],
        })
    }

    /// The next connection that has a place.
    async fn next_admitted(&mut self) -> io::Result<(TcpStream, SocketAddr, Place)> {
        loop {
            let (stream, remote_addr) = self.next().await?;
            match self.admission.admit(remote_addr.ip()) {
                Ok(place) => return Ok((stream, remote_addr, place)),
                Err(full) => self.refusing.refuse(stream, remote_addr.ip(), full),
            }
        }
    }

    /// The next connection; after the last one it waits for ever.
    async fn next(&mut self) -> io::Result<(TcpStream, SocketAddr)> {
        while let Some(listener) = &self.listener {
            let accepted = tokio::select! {
                accepted = listener.accept() => Some(accepted),
                // A sender that is gone cannot tell to stop any more; nor can anything else.
                _told_or_gone = self.stopping.wait_for(|is_stopping| *is_stopping) => None,
            };
            match accepted {
                Some(Ok(accepted)) => return Ok(accepted),
                Some(Err(error)) => self.wait_after(&error).await,
                None => self.close()?,
            }
        }
        match self.last.pop_front() {
            Some((stream, remote_addr)) => Ok((TcpStream::from_std(stream)?, remote_addr)),
            None => pending().await,
        }
    }

    /// Whoever waits to be accepted can be accepted later: most often too many files are open.
    /// Trying again at once would use a processor up.
    async fn wait_after(&mut self, error: &io::Error) {
        if matches!(
            error.kind(),
            ErrorKind::ConnectionAborted | ErrorKind::Interrupted
        ) {
            return;
        }
        if let Some(left_out) = self.failures.due(self.clock.now()) {
            tracing::error!(
                left_out,
                "could not accept a connection, trying on: {error}"
            );
        }
        sleep(ACCEPT_PAUSE).await;
    }

    /// Accepts whoever waits, and closes the socket at once: every pause between the two would be
    /// one in which a client connects and is reset.
    fn close(&mut self) -> io::Result<()> {
        let Some(listener) = self.listener.take() else {
            return Ok(());
        };
        let listener = listener.into_std()?;
        while let Ok((stream, remote_addr)) = listener.accept() {
            self.last.push_back((stream, remote_addr));
        }
        drop(listener);
        self.last
            .iter()
            .try_for_each(|(stream, _)| stream.set_nonblocking(true))
    }
}

type Stream = Connection<TcpStream>;

impl Acceptor for Connections {
    type Coupler = TcpCoupler<Stream>;
    type Stream = Stream;

    fn holdings(&self) -> &[Holding] {
        &self.holdings
    }

    /// Asks no policy of the library: there is one, and it is ours.
    async fn accept(
        &mut self,
        _policy: Option<ArcFusePolicy>,
    ) -> io::Result<Accepted<Self::Coupler, Self::Stream>> {
        let (stream, remote_addr, place) = self.next_admitted().await?;
        // An answer is one write; waiting to fill a packet would only delay it. A socket that
        // refuses is one whose client has left already.
        let _no_delay = stream.set_nodelay(true);
        let last_answer = LastAnswer::clone(&self.last_answer);
        Ok(Accepted {
            coupler: TcpCoupler::new(),
            stream: Connection::new(stream, last_answer, Some(place)),
            fuse_config: Some(FuseConfig::disabled()),
            conn_ctrl: ConnCtrl::new(),
            local_addr: self.holdings[0].local_addr.clone(),
            remote_addr: remote_addr.into(),
            http_scheme: Scheme::HTTP,
        })
    }
}
