//! The HTTP library over an in-memory pipe, with a clock that the tests move: who is cut off, when,
//! and with which response, is decided by the connection alone.

use std::future::pending;
use std::time::Duration;

use salvo::conn::tcp::TcpCoupler;
use salvo::conn::{Accepted, Acceptor, Holding};
use salvo::fuse::{ArcFusePolicy, FuseConfig};
use salvo::http::StatusCode;
use salvo::http::uri::Scheme;
use salvo::{ConnCtrl, Response, Router, Service, handler};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};
use tokio::task::JoinHandle;
use tokio::time::sleep;

use super::*;
use crate::wire::{Connection, LastAnswer};

/// One connection, and never another.
struct OneConnection(Option<Connection<DuplexStream>>);

impl Acceptor for OneConnection {
    type Coupler = TcpCoupler<Self::Stream>;
    type Stream = Connection<DuplexStream>;

    fn holdings(&self) -> &[Holding] {
        &[]
    }

    async fn accept(
        &mut self,
        _policy: Option<ArcFusePolicy>,
    ) -> io::Result<Accepted<Self::Coupler, Self::Stream>> {
        let Some(stream) = self.0.take() else {
            return pending().await;
        };
        Ok(Accepted {
            coupler: TcpCoupler::new(),
            stream,
            fuse_config: Some(FuseConfig::disabled()),
            conn_ctrl: ConnCtrl::new(),
            local_addr: std::net::SocketAddr::from(([127, 0, 0, 1], 1)).into(),
            remote_addr: std::net::SocketAddr::from(([127, 0, 0, 1], 2)).into(),
            http_scheme: Scheme::HTTP,
        })
    }
}

#[handler]
async fn answer(response: &mut Response) {
    // The connection checks its client again before the response is ready.
    sleep(MOMENT).await;
    response.status_code(StatusCode::OK);
    response.body("answered");
}

/// The client's end of a connection that is served.
fn connect() -> (DuplexStream, JoinHandle<io::Result<()>>) {
    let (client, pipe) = duplex(4096);
    let (_never, phase) = watch::channel(Phase::Serving);
    let last_answer: LastAnswer = Arc::new(|_refusal, _origin| b"too slow".to_vec());
    let connection = Connection::new(pipe, last_answer, phase, None);
    let server = server_of(OneConnection(Some(connection)));
    let serving = tokio::spawn(server.try_serve(Service::new(Router::new()).hoop(answer)));
    (client, serving)
}

/// What the server sends to a client that sends these pieces, each after a pause, and then waits.
async fn converse(pieces: &[(Duration, &str)]) -> String {
    let (mut client, serving) = connect();
    for (pause, piece) in pieces {
        sleep(*pause).await;
        // A client that was already cut off notices when it reads.
        let _sent = client.write_all(piece.as_bytes()).await;
    }
    let mut received = String::new();
    client.read_to_string(&mut received).await.unwrap();
    serving.abort();
    received
}

const MOMENT: Duration = Duration::from_millis(1);
const SECOND: Duration = Duration::from_secs(1);
const NEARLY_IDLE_MAX: Duration = Duration::from_secs(74);
const NEARLY_HEAD_MAX: Duration = Duration::from_secs(9);

#[tokio::test(start_paused = true)]
async fn a_slow_head_is_answered_however_long_the_client_was_idle_before() {
    for idle in [SECOND, 29 * SECOND, NEARLY_IDLE_MAX] {
        let received = converse(&[
            (idle, "GET / HTTP/1.1\r\n"),
            (3 * SECOND, "Host: test\r\nConnection: close\r\n"),
            (3 * SECOND, "\r\n"),
        ])
        .await;
        assert!(received.starts_with("HTTP/1.1 200 OK\r\n"), "{received}");
        assert!(received.ends_with("answered"), "{received}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_head_that_never_ends_is_told_so_however_long_the_client_was_idle_before() {
    for idle in [SECOND, 29 * SECOND, NEARLY_IDLE_MAX] {
        let received = converse(&[
            (idle, "GET / HTTP/1.1\r\n"),
            (NEARLY_HEAD_MAX, "Host: test\r\n"),
        ])
        .await;
        assert_eq!(received, "too slow");
    }
}

#[tokio::test(start_paused = true)]
async fn a_client_that_says_nothing_is_dropped_without_a_word() {
    assert_eq!(converse(&[]).await, "");
}

#[tokio::test(start_paused = true)]
async fn a_client_that_closes_its_half_after_the_request_is_answered() {
    let (mut client, serving) = connect();
    let request = b"GET / HTTP/1.1\r\nHost: test\r\n\r\n";
    client.write_all(request).await.unwrap();
    client.shutdown().await.unwrap();
    let mut received = String::new();
    client.read_to_string(&mut received).await.unwrap();
    serving.abort();
    assert!(received.ends_with("answered"), "{received}");
}
