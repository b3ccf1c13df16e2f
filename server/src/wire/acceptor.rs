//! Accepts connections on a socket that is already bound.
//!
//! When the server stops, it accepts the connections that are still in the socket's queue, since
//! closing the socket would reset them, and then closes the socket. On a passed socket it leaves
//! them in the queue: nothing resets them, and the next server accepts them. Clients over a
//! connection limit are refused at once, rather than left waiting forever.

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
use shared::base::clock::Clock;
use socket2::SockRef;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::sleep;

use super::admission::{Admission, ConnectionLimits, ConnectionSlot};
use super::connection::{Connection, LastAnswer, Phase};
use super::refusing::Refusing;
use super::socket::Socket;
use crate::base::log_throttle::LogThrottle;
use crate::metrics::Connections as Counts;

/// How long to wait when no connection can be accepted, for example because too many files are
/// open.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Most connections that wait to be accepted: Linux's default limit of the queue.
const BACKLOG_MAX: usize = 4096;

/// Most response bytes of a connection that wait in the operating system before they are sent, so
/// that thousands of clients that read nothing do not use up the memory for connections.
const UNSENT_BYTES_MAX: u32 = 64 * 1024;

/// The connections of one socket.
pub(crate) struct Connections {
    /// `None` once the server is stopping.
    listener: Option<TcpListener>,
    /// Whether another process keeps the socket, with the connections in its queue.
    is_passed: bool,
    /// Connections accepted while closing the socket, and not yet served.
    last: VecDeque<(AcceptedStream, SocketAddr)>,
    phase: watch::Receiver<Phase>,
    admission: Admission,
    refusing: Refusing,
    last_answer: LastAnswer,
    clock: Arc<dyn Clock>,
    failures: LogThrottle,
    holdings: Vec<Holding>,
}

impl Connections {
    /// Connections of `socket`, at most `limits`, until the server is stopping.
    pub(crate) fn new(
        socket: Socket,
        limits: ConnectionLimits,
        last_answer: LastAnswer,
        clock: Arc<dyn Clock>,
        counts: Arc<Counts>,
        phase: watch::Receiver<Phase>,
    ) -> io::Result<Self> {
        let (listener, is_passed) = match socket {
            Socket::Own(listener) => (listener, false),
            Socket::Passed(listener) => (listener, true),
        };
        listener.set_nonblocking(true)?;
        bound_unsent(&listener)?;
        let listener = TcpListener::from_std(listener)?;
        let holding = Holding {
            local_addr: listener.local_addr()?.into(),
            http_versions: vec![Version::HTTP_11],
            http_scheme: Scheme::HTTP,
        };
        Ok(Self {
            listener: Some(listener),
            is_passed,
            last: VecDeque::new(),
            phase,
            admission: Admission::new(limits, counts),
            refusing: Refusing::new(LastAnswer::clone(&last_answer), Arc::clone(&clock)),
            last_answer,
            clock,
            failures: LogThrottle::default(),
            holdings: vec![holding],
        })
    }

    /// The next admitted connection.
    async fn next_admitted(&mut self) -> io::Result<(TcpStream, SocketAddr, ConnectionSlot)> {
        loop {
            let (stream, remote_addr) = self.next().await?;
            match self.admission.admit(remote_addr.ip()) {
                Ok(slot) => return Ok((stream, remote_addr, slot)),
                Err(full) => self.refusing.refuse(stream, remote_addr.ip(), full),
            }
        }
    }

    /// The next connection. After the last one this never completes.
    async fn next(&mut self) -> io::Result<(TcpStream, SocketAddr)> {
        while let Some(listener) = &self.listener {
            let accepted = tokio::select! {
                accepted = listener.accept() => Some(accepted),
                // Once the sender is gone, nothing can end `Serving`, so accepting stops as well.
                _told_or_gone = self.phase.wait_for(|phase| *phase != Phase::Serving) => None,
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

    /// Waits before the next attempt. Usually too many files are open, so the connections can be
    /// accepted later; trying again at once would keep a core busy.
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
                "could not accept a connection; trying again: {error}"
            );
        }
        sleep(ACCEPT_PAUSE).await;
    }

    /// Accepts the connections in the queue and closes the socket at once, since a client that
    /// connects in between is reset. A passed socket is only dropped.
    fn close(&mut self) -> io::Result<()> {
        let Some(listener) = self.listener.take() else {
            return Ok(());
        };
        if self.is_passed {
            return Ok(());
        }
        let listener = listener.into_std()?;
        self.last = take_waiting(&listener, BACKLOG_MAX);
        drop(listener);
        self.last
            .iter()
            .try_for_each(|(stream, _)| stream.set_nonblocking(true))
    }
}

/// Bounds what accepted connections hold unsent; they inherit the listener's setting. What is on its
/// way has no such bound: a file that goes far would take a round trip for each piece of that size.
#[cfg(target_os = "linux")]
fn bound_unsent(listener: &BoundListener) -> io::Result<()> {
    SockRef::from(listener).set_tcp_notsent_lowat(UNSENT_BYTES_MAX)
}

#[cfg(not(target_os = "linux"))]
fn bound_unsent(listener: &BoundListener) -> io::Result<()> {
    SockRef::from(listener).set_send_buffer_size(UNSENT_BYTES_MAX as usize)
}

/// Accepts waiting connections, at most `max`: clients that keep coming must not keep the socket
/// open.
fn take_waiting(listener: &BoundListener, max: usize) -> VecDeque<(AcceptedStream, SocketAddr)> {
    let accept = || listener.accept().ok();
    std::iter::from_fn(accept).take(max).collect()
}

type Stream = Connection<TcpStream>;

impl Acceptor for Connections {
    type Coupler = TcpCoupler<Stream>;
    type Stream = Stream;

    fn holdings(&self) -> &[Holding] {
        &self.holdings
    }

    /// Ignores the library's fuse policy: `Connection` has its own timeouts.
    async fn accept(
        &mut self,
        _policy: Option<ArcFusePolicy>,
    ) -> io::Result<Accepted<Self::Coupler, Self::Stream>> {
        let (stream, remote_addr, slot) = self.next_admitted().await?;
        // A response is one write; waiting to fill a packet would only delay it. If this fails, the
        // client has already left.
        let _no_delay = stream.set_nodelay(true);
        let last_answer = LastAnswer::clone(&self.last_answer);
        Ok(Accepted {
            coupler: TcpCoupler::new(),
            stream: Connection::new(stream, last_answer, self.phase.clone(), Some(slot)),
            fuse_config: Some(FuseConfig::disabled()),
            conn_ctrl: ConnCtrl::new(),
            local_addr: self.holdings[0].local_addr.clone(),
            remote_addr: remote_addr.into(),
            http_scheme: Scheme::HTTP,
        })
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;
    use shared::base::clock::ManualClock;

    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn an_accepted_connection_holds_little_of_its_answers() {
        let listener = BoundListener::bind("127.0.0.1:0").unwrap();
        bound_unsent(&listener).unwrap();
        let _client = AcceptedStream::connect(listener.local_addr().unwrap()).unwrap();
        let (accepted, _) = listener.accept().unwrap();
        let held = SockRef::from(&accepted).tcp_notsent_lowat().unwrap();
        assert_eq!(held, UNSENT_BYTES_MAX);
    }

    #[test]
    fn whoever_waits_is_taken_up_to_a_limit() {
        for (waiting, taken) in [(0, 0), (2, 2), (3, 3), (4, 3)] {
            let listener = BoundListener::bind("127.0.0.1:0").unwrap();
            listener.set_nonblocking(true).unwrap();
            let address = listener.local_addr().unwrap();
            let connect = |_| AcceptedStream::connect(address).unwrap();
            let _clients: Vec<_> = (0..waiting).map(connect).collect();
            assert_eq!(take_waiting(&listener, 3).len(), taken);
        }
    }

    #[tokio::test]
    async fn whoever_waits_on_a_passed_socket_at_the_end_is_left_to_the_next_server() {
        let kept = BoundListener::bind("127.0.0.1:0").unwrap();
        let passed = kept.try_clone().unwrap();
        let (_stopped, phase) = watch::channel(Phase::Stopping);
        let mut connections = Connections::new(
            Socket::Passed(passed),
            ConnectionLimits::default(),
            Arc::new(|_refusal, _origin| Vec::new()),
            Arc::new(ManualClock::at(0)),
            Arc::default(),
            phase,
        )
        .unwrap();
        let _clients = [0; 3].map(|_| AcceptedStream::connect(kept.local_addr().unwrap()).unwrap());
        connections.close().unwrap();
        assert!(connections.next().now_or_never().is_none());
        assert_eq!(take_waiting(&kept, 4).len(), 3);
    }
}
