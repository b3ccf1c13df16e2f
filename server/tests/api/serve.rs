//! Serving over a socket: what only a real connection shows.
//!
//! The runtime's clock is paused, so whatever would wait for a timer gets there at once.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

use server::http::serve;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::oneshot;

use crate::answer::check_text;
use crate::app::TestApp;
use crate::keys::PLENTY;

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

/// Serves `app` while `client` runs, then stops.
async fn while_served(app: &TestApp, client: impl AsyncFnOnce(SocketAddr)) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = oneshot::channel::<()>();
    let shutdown = async move { stopped.await.unwrap() };
    let serving = tokio::spawn(serve(Arc::clone(&app.app), listener, shutdown));
    client(address).await;
    stop.send(()).unwrap();
    serving.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
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

#[tokio::test(start_paused = true)]
async fn a_head_that_never_ends_is_408_in_the_envelope() {
    let app = TestApp::new();
    while_served(&app, async |address| {
        let received = exchange(address, "GET /v1/boats HTTP/1.1\r\nHost: te").await;
        check_text("errors__408", &received.replace("\r\n", "\n"));
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_says_nothing_is_closed() {
    let app = TestApp::new();
    while_served(&app, async |address| {
        assert_eq!(exchange(address, "").await, "");
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn heads_over_our_limits_and_below_the_library_s_get_the_envelope() {
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
