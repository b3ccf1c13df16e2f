//! Accepting connections on a socket that is bound already.

use std::io;
use std::net::TcpListener as BoundListener;

use salvo::ConnCtrl;
use salvo::conn::tcp::TcpCoupler;
use salvo::conn::{Accepted, Acceptor, Holding, StraightStream};
use salvo::fuse::{ArcFusePolicy, FuseConfig};
use salvo::http::Version;
use salvo::http::uri::Scheme;
use tokio::net::{TcpListener, TcpStream};

use super::connection::{Connection, TimeoutAnswer};

/// The connections of one socket.
pub(crate) struct Connections {
    listener: TcpListener,
    fuse: FuseConfig,
    timeout_answer: TimeoutAnswer,
    holdings: Vec<Holding>,
}

impl Connections {
    /// Connections of `listener`, which the library watches as `fuse` says.
    pub(crate) fn new(
        listener: BoundListener,
        fuse: FuseConfig,
        timeout_answer: TimeoutAnswer,
    ) -> io::Result<Self> {
        listener.set_nonblocking(true)?;
        let listener = TcpListener::from_std(listener)?;
        let holding = Holding {
            local_addr: listener.local_addr()?.into(),
            http_versions: vec![Version::HTTP_11],
            http_scheme: Scheme::HTTP,
        };
        Ok(Self {
            listener,
            fuse,
            timeout_answer,
            holdings: vec![holding],
        })
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
        let (stream, remote_addr) = self.listener.accept().await?;
        // An answer is one write; waiting to fill a packet would only delay it. A socket that
        // refuses is one whose client has left already.
        let _no_delay = stream.set_nodelay(true);
        let conn_ctrl = ConnCtrl::new();
        let stream = StraightStream::new(stream, Some(self.fuse), conn_ctrl.clone(), None);
        Ok(Accepted {
            coupler: TcpCoupler::new(),
            stream: Connection::new(stream, TimeoutAnswer::clone(&self.timeout_answer)),
            fuse_config: Some(self.fuse),
            conn_ctrl,
            local_addr: self.holdings[0].local_addr.clone(),
            remote_addr: remote_addr.into(),
            http_scheme: Scheme::HTTP,
        })
    }
}
