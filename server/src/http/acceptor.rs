//! Accepting connections on a socket that is bound already.
//!
//! Once the server is told to stop, those whose connection the operating system has made already
//! are still accepted, for closing the socket would reset them, and then the socket is closed.

use std::collections::VecDeque;
use std::future::pending;
use std::io;
use std::net::{SocketAddr, TcpListener as BoundListener, TcpStream as AcceptedStream};

use salvo::ConnCtrl;
use salvo::conn::tcp::TcpCoupler;
use salvo::conn::{Accepted, Acceptor, Holding, StraightStream};
use salvo::fuse::{ArcFusePolicy, FuseConfig};
use salvo::http::Version;
use salvo::http::uri::Scheme;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use super::connection::{Connection, LastAnswer};

/// The connections of one socket.
pub(crate) struct Connections {
    /// `None` once the server was told to stop.
    listener: Option<TcpListener>,
    /// What was accepted when the socket was closed, and is not served yet.
    last: VecDeque<(AcceptedStream, SocketAddr)>,
    stopping: watch::Receiver<bool>,
    fuse: FuseConfig,
    last_answer: LastAnswer,
    holdings: Vec<Holding>,
}

impl Connections {
    /// Connections of `listener`, which the library watches as `fuse` says, until `stopping` is
    /// true.
    pub(crate) fn new(
        listener: BoundListener,
        fuse: FuseConfig,
        last_answer: LastAnswer,
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
            fuse,
            last_answer,
            holdings: vec![holding],
        })
    }

    /// The next connection; after the last one it waits for ever.
    async fn next(&mut self) -> io::Result<(TcpStream, SocketAddr)> {
        if let Some(listener) = &self.listener {
            tokio::select! {
                accepted = listener.accept() => return accepted,
                // A sender that is gone cannot tell to stop any more; nor can anything else.
                _told_or_gone = self.stopping.wait_for(|is_stopping| *is_stopping) => {}
            }
            self.close()?;
        }
        match self.last.pop_front() {
            Some((stream, remote_addr)) => Ok((TcpStream::from_std(stream)?, remote_addr)),
            None => pending().await,
        }
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

type Stream = Connection<StraightStream<TcpStream>>;

impl Acceptor for Connections {
    type Coupler = TcpCoupler<Stream>;
    type Stream = Stream;

    fn holdings(&self) -> &[Holding] {
        &self.holdings
    }

    /// Admits every connection: there is one policy, and it is ours.
    async fn accept(
        &mut self,
        _policy: Option<ArcFusePolicy>,
    ) -> io::Result<Accepted<Self::Coupler, Self::Stream>> {
        let (stream, remote_addr) = self.next().await?;
        // An answer is one write; waiting to fill a packet would only delay it. A socket that
        // refuses is one whose client has left already.
        let _no_delay = stream.set_nodelay(true);
        let conn_ctrl = ConnCtrl::new();
        let stream = StraightStream::new(stream, Some(self.fuse), conn_ctrl.clone(), None);
        Ok(Accepted {
            coupler: TcpCoupler::new(),
            stream: Connection::new(stream, LastAnswer::clone(&self.last_answer)),
            fuse_config: Some(self.fuse),
            conn_ctrl,
            local_addr: self.holdings[0].local_addr.clone(),
            remote_addr: remote_addr.into(),
            http_scheme: Scheme::HTTP,
        })
    }
}
