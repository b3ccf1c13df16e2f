//! Serving over a socket: tests that need a real connection.
//!
//! The runtime's clock is real, like the sockets. Timeouts are tested in memory, next to the code;
//! here a test moves the clock only once the server is known to wait.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use server::serve::Answering;
use server::{ConnectionLimits, Socket};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::time::{advance, pause, resume};

use crate::answer::Answer;
use crate::app::TestApp;
use crate::keys::PLENTY;
use crate::wire::{in_time, while_served};

async fn connect(address: SocketAddr) -> TcpStream {
    TcpStream::connect(address).await.unwrap()
}

/// Sends `request`, and reads until the server closes the connection.
async fn exchange(address: SocketAddr, request: &str) -> String {
    let mut connection = connect(address).await;
    connection.write_all(request.as_bytes()).await.unwrap();
    let mut received = String::new();
    connection.read_to_string(&mut received).await.unwrap();
    received
}

#[tokio::test]
async fn requests_are_answered_and_unused_leases_given_back_at_the_end() {
    let app = TestApp::new();
    let key = app.keys.secret("reader").to_owned();
    while_served(&app, async |address| {
        let request = format!(
            "GET /v1/boats/b1 HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\
             Authorization: Bearer {key}\r\n\r\n"
        );
        for _ in 0..2 {
            let received = exchange(address, &request).await;
            assert!(received.starts_with("HTTP/1.1 200 OK\r\n"), "{received}");
        }
        assert!(2 < app.ledger.leased(PLENTY.0));
    })
    .await;
    assert_eq!(app.ledger.leased(PLENTY.0), 2);
}

/// The date of the HTTP library itself would only ever move forward.
#[tokio::test]
async fn the_date_follows_the_clock_both_ways_and_is_the_last_field() {
    let app = TestApp::new();
    while_served(&app, async |address| {
        for (jump, date) in [
            (0, "Thu, 01 Oct 2026 12:00:00 GMT"),
            (86_400, "Fri, 02 Oct 2026 12:00:00 GMT"),
            (-172_800, "Wed, 30 Sep 2026 12:00:00 GMT"),
        ] {
            app.clock.jump_wall(jump);
            for (version, connection) in [("1.1", "close"), ("1.0", "keep-alive"), ("1.0", "none")]
            {
                let request = format!(
                    "GET /health HTTP/{version}\r\nHost: test\r\nConnection: {connection}\r\n\r\n"
                );
                // The last request ends a connection that is kept alive.
                let last = "GET /health HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n";
                let received = exchange(address, &(request + last)).await;
                let heads = received
                    .split("\r\n\r\n")
                    .filter(|part| part.contains("HTTP/1."));
                for head in heads {
                    assert!(head.ends_with(&format!("\r\ndate: {date}")), "{head}");
                }
            }
        }
    })
    .await;
}

fn health_request() -> &'static [u8] {
    b"GET /health HTTP/1.1\r\nHost: test\r\n\r\n"
}

/// Reads a connection to its end; it must give one whole response and no reset.
async fn check_answered(mut connection: TcpStream) {
    let mut received = String::new();
    connection.read_to_string(&mut received).await.unwrap();
    assert!(received.starts_with("HTTP/1.1 200 OK\r\n"), "{received}");
    assert!(received.ends_with('}'), "{received}");
}

#[tokio::test]
async fn who_sent_a_request_before_the_stop_is_answered() {
    let app = TestApp::new();
    let mut waiting = Vec::new();
    while_served(&app, async |address| {
        // The server does not run before the stop, so the connections stay in the socket's queue.
        for _ in 0..100 {
            let mut client = std::net::TcpStream::connect(address).unwrap();
            std::io::Write::write_all(&mut client, health_request()).unwrap();
            waiting.push(client);
        }
    })
    .await;
    for client in waiting {
        client.set_nonblocking(true).unwrap();
        check_answered(TcpStream::from_std(client).unwrap()).await;
    }
}

#[tokio::test]
async fn who_is_connected_at_the_stop_may_still_ask_once() {
    let app = TestApp::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = oneshot::channel::<()>();
    let shutdown = async move { stopped.await.unwrap() };
    let socket = Socket::Own(listener);
    let answering =
        Answering::prepare(Arc::clone(&app.app), socket, ConnectionLimits::default()).unwrap();
    let serving = tokio::spawn(answering.until(shutdown));
    let silent = connect(address).await;
    let fresh = connect(address).await;
    let mut kept_alive = connect(address).await;
    kept_alive.write_all(health_request()).await.unwrap();
    while kept_alive.read_u8().await.unwrap() != b'}' {}
    stop.send(()).unwrap();
    // A refused connection shows that the server has begun to stop.
    let refused = async { while TcpStream::connect(address).await.is_ok() {} };
    in_time("a refused connection", refused).await;
    for mut client in [fresh, kept_alive] {
        client.write_all(health_request()).await.unwrap();
        check_answered(client).await;
    }
    serving.await.unwrap().unwrap();
    drop(silent);
}

#[tokio::test]
async fn a_draining_server_accepts_still_and_each_answer_is_the_last_of_its_connection() {
    let app = TestApp::new();
    while_served(&app, async |address| {
        app.app.begin_draining();
        for _ in 0..2 {
            let mut client = connect(address).await;
            client.write_all(health_request()).await.unwrap();
            check_answered(client).await;
        }
    })
    .await;
}

#[tokio::test]
async fn a_head_that_has_not_ended_when_the_server_stops_is_408() {
    let app = TestApp::new();
    let mut begun = Vec::new();
    while_served(&app, async |address| {
        for piece in [
            "G",
            "GET /v1/boats HTTP/1.1\r\n",
            "GET /v1 HTTP/1.1\r\nHost: te",
        ] {
            let mut connection = connect(address).await;
            connection.write_all(health_request()).await.unwrap();
            connection.write_all(piece.as_bytes()).await.unwrap();
            while connection.read_u8().await.unwrap() != b'}' {}
            begun.push(tokio::spawn(async move {
                let mut received = String::new();
                connection.read_to_string(&mut received).await.unwrap();
                received
            }));
        }
    })
    .await;
    for received in begun {
        let received = received.await.unwrap();
        assert!(received.starts_with("HTTP/1.1 408 "), "{received}");
    }
}

/// A request whose head never ends, and its response.
pub(crate) async fn unfinished_head() -> (String, Answer) {
    let app = TestApp::new();
    let (begun, mut received) = ("GET /v1/boats HTTP/1.1\r\nHost: te", String::new());
    while_served(&app, async |address| {
        let mut connection = connect(address).await;
        let whole = "GET /health HTTP/1.1\r\nHost: test\r\n\r\n";
        let sent = format!("{whole}{begun}");
        connection.write_all(sent.as_bytes()).await.unwrap();
        // The response to the first request shows that the server has read the second too.
        while connection.read_u8().await.unwrap() != b'}' {}
        pause();
        advance(Duration::from_secs(10)).await;
        connection.read_to_string(&mut received).await.unwrap();
        resume();
    })
    .await;
    (begun.replace("\r\n", "\n"), Answer::read(&received))
}

#[tokio::test]
async fn a_connection_that_is_idle_is_closed_without_a_word() {
    let app = TestApp::new();
    while_served(&app, async |address| {
        let mut connection = connect(address).await;
        connection.write_all(health_request()).await.unwrap();
        while connection.read_u8().await.unwrap() != b'}' {}
        pause();
        advance(Duration::from_secs(75)).await;
        let end = connection.read(&mut [0]).await.unwrap();
        resume();
        assert_eq!(end, 0);
    })
    .await;
}

/// A request whose target cannot be parsed, and its response.
pub(crate) async fn unreadable_target() -> (String, Answer) {
    let app = TestApp::new();
    let (request, mut received) = ("GET /v1/boats?search=a b HTTP/1.1", String::new());
    while_served(&app, async |address| {
        received = exchange(address, &format!("{request}\r\nHost: test\r\n\r\n")).await;
    })
    .await;
    (request.to_owned(), Answer::read(&received))
}

#[tokio::test]
async fn a_refusal_of_a_target_that_cannot_be_read_has_no_body_with_head() {
    let app = TestApp::new();
    while_served(&app, async |address| {
        let request = "HEAD /v1/boats?search=a b HTTP/1.1\r\nHost: test\r\n\r\n";
        let received = exchange(address, request).await;
        assert!(
            received.starts_with("HTTP/1.1 400 Bad Request\r\n"),
            "{received}"
        );
        assert!(received.ends_with("\r\n\r\n"), "{received}");
    })
    .await;
}

#[tokio::test]
async fn heads_over_the_limits_get_the_envelope() {
    let app = TestApp::new();
    while_served(&app, async |address| {
        let fields = "x: 1\r\n".repeat(200);
        let large = format!("x: {}\r\n", "a".repeat(100_000));
        let target = format!("/v1?{}", "a".repeat(60_000));
        for (target, fields, code) in [
            ("/v1", fields.as_str(), "HEADERS_TOO_LARGE"),
            ("/v1", large.as_str(), "HEADERS_TOO_LARGE"),
            (target.as_str(), "", "URI_TOO_LONG"),
        ] {
            let request =
                format!("GET {target} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n{fields}\r\n");
            let received = exchange(address, &request).await;
            assert!(received.contains(code), "{received}");
        }
    })
    .await;
}
