//! How many connections may be open: in total, and of one address.
//!
//! Each loopback address stands for a different client.

use std::net::SocketAddr;

use server::ConnectionLimits;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::yield_now;

use crate::answer::Answer;
use crate::app::TestApp;
use crate::log::{logged, start_logging};
use crate::wire::{in_time, while_served_within};

const REQUEST: &[u8] = b"GET /health HTTP/1.1\r\nHost: test\r\n\r\n";

/// A connection from the client with this number.
async fn connect(server: SocketAddr, client: u8) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket
        .bind(SocketAddr::from(([127, 0, 0, client], 0)))
        .unwrap();
    socket.connect(server).await.unwrap()
}

/// An admitted connection, as its first response shows.
async fn admitted(server: SocketAddr, client: u8) -> TcpStream {
    let mut connection = connect(server, client).await;
    check_served(&mut connection).await;
    connection
}

/// Checks that a request gets a 200.
async fn check_served(connection: &mut TcpStream) {
    connection.write_all(REQUEST).await.unwrap();
    let mut received = Vec::new();
    while !received.ends_with(b"}") {
        received.push(connection.read_u8().await.unwrap());
    }
    let received = String::from_utf8(received).unwrap();
    assert!(received.starts_with("HTTP/1.1 200 OK\r\n"), "{received}");
}

/// Everything that a refused client receives, up to the end of its connection.
async fn refused(mut connection: TcpStream) -> String {
    let mut received = String::new();
    connection.read_to_string(&mut received).await.unwrap();
    assert!(received.starts_with("HTTP/1.1 503 "), "{received}");
    received
}

fn limits(total: usize, per_address: usize) -> ConnectionLimits {
    ConnectionLimits { total, per_address }
}

/// A request over a connection that is not admitted, and its response.
pub(crate) async fn refused_over_the_total() -> (String, Answer) {
    let (app, mut received) = (TestApp::new(), String::new());
    while_served_within(&app, limits(1, 1), async |server| {
        let _first = admitted(server, 1).await;
        received = refused(connect(server, 2).await).await;
    })
    .await;
    let request = "(a connection over the total, before anything is sent)";
    (request.to_owned(), Answer::read(&received))
}

#[tokio::test]
async fn who_comes_over_the_total_is_told_so_at_once() {
    let app = TestApp::new();
    while_served_within(&app, limits(2, 2), async |server| {
        let mut first = admitted(server, 1).await;
        let _second = admitted(server, 2).await;
        // It makes no difference whether the client sends a request.
        refused(connect(server, 3).await).await;
        let mut asking = connect(server, 3).await;
        asking.write_all(REQUEST).await.unwrap();
        refused(asking).await;
        check_served(&mut first).await;
    })
    .await;
}

#[tokio::test]
async fn one_address_leaves_room_for_others() {
    let app = TestApp::new();
    while_served_within(&app, limits(4, 2), async |server| {
        let mut of_first = [admitted(server, 1).await, admitted(server, 1).await];
        refused(connect(server, 1).await).await;
        let mut other = admitted(server, 2).await;
        check_served(&mut of_first[1]).await;
        check_served(&mut other).await;
    })
    .await;
}

#[tokio::test]
async fn each_limit_is_told_the_log_once_a_minute() {
    start_logging();
    let app = TestApp::new();
    while_served_within(&app, limits(2, 1), async |server| {
        let _first = admitted(server, 1).await;
        refused(connect(server, 1).await).await;
        let _second = admitted(server, 2).await;
        for client in [1, 2, 3, 3] {
            refused(connect(server, client).await).await;
        }
        let log = logged();
        for limit in [
            "this address already has as many as allowed",
            "there are already as many as allowed",
        ] {
            assert_eq!(
                log.matches(limit).count(),
                1,
                "{limit} is not once in:\n{log}"
            );
        }
    })
    .await;
}

#[tokio::test]
async fn a_place_is_free_again_once_its_connection_has_ended() {
    let app = TestApp::new();
    while_served_within(&app, limits(8, 1), async |server| {
        for _ in 0..20 {
            // The server may learn that a connection has ended only after the next client connects.
            let admitted = async {
                loop {
                    let (mut only, mut status) = (connect(server, 1).await, [0; 12]);
                    only.write_all(REQUEST).await.unwrap();
                    let answered = only.read_exact(&mut status).await;
                    if answered.is_ok() && &status == b"HTTP/1.1 200" {
                        return;
                    }
                    yield_now().await;
                }
            };
            in_time("a place that is free again", admitted).await;
        }
    })
    .await;
}

#[tokio::test]
async fn a_crowd_without_places_is_answered_and_disturbs_nobody() {
    let app = TestApp::new();
    while_served_within(&app, limits(1, 1), async |server| {
        let mut only = admitted(server, 1).await;
        let mut crowd = Vec::new();
        for _ in 0..300 {
            crowd.push(connect(server, 2).await);
        }
        check_served(&mut only).await;
        for connection in crowd {
            refused(connection).await;
        }
        check_served(&mut only).await;
    })
    .await;
}
