//! Mutations that can only be sent over a socket: bytes that no field may contain, broken lines, a
//! megabyte.

use std::net::SocketAddr;

use crate::app::TestApp;
use crate::wire::{Client, Received, while_served};

/// Sends one request with these header lines over a connection of its own.
async fn ask(address: SocketAddr, lines: &[u8]) -> Option<Received> {
    let head = b"GET /v1/boats/b1 HTTP/1.1\r\nhost: test\r\nconnection: close\r\n";
    let mut client = Client::connect(address).await;
    client.send(&[head, lines, b"\r\n\r\n"].concat()).await
}

/// Checks that the request gets a 400, 401 or 431, or that the connection is closed without a
/// response.
async fn check_refused(address: SocketAddr, lines: &[u8]) {
    let shown = lines.iter().take(120).copied().collect::<Vec<_>>();
    let shown = shown.escape_ascii();
    match ask(address, lines).await {
        None => {}
        Some(answer) => {
            let is_refusal = matches!(answer.status, 400 | 401 | 431);
            assert!(is_refusal, "{shown}: {} {}", answer.status, answer.body);
        }
    }
}

/// Checks the valid field with one byte inserted or replaced, at every place.
async fn check_byte_everywhere(address: SocketAddr, field: &[u8], byte: u8) {
    for place in 0..field.len() {
        let (before, rest) = field.split_at(place);
        check_refused(address, &[before, &[byte], &rest[1..]].concat()).await;
        // Between two lines, a control character might belong to neither, so it is only inserted
        // inside.
        if place != 0 {
            check_refused(address, &[before, &[byte], rest].concat()).await;
        }
    }
}

#[tokio::test]
async fn bytes_that_no_field_may_hold_open_nothing() {
    let app = TestApp::new();
    let field = format!("Authorization: Bearer {}", app.keys.secret("unlimited"));
    while_served(&app, async |address| {
        for byte in [0, 1, 7, 8, 0x0b, 0x0c, 0x1b, 0x1f, 0x7f] {
            check_byte_everywhere(address, field.as_bytes(), byte).await;
        }
    })
    .await;
}

#[tokio::test]
async fn broken_lines_and_a_megabyte_open_nothing() {
    let app = TestApp::new();
    let key = app.keys.secret("unlimited").to_owned();
    let megabyte = "a".repeat(1 << 20);
    let lines = [
        format!("Authorization: Bearer\r\n {key}"),
        format!("Authorization: Bearer\r\n\t{key}"),
        format!("Authorization:\r\n Bearer {key}"),
        format!("Authorization : Bearer {key}"),
        format!(" Authorization: Bearer {key}"),
        format!("Authorization\r\n: Bearer {key}"),
        format!("Authorization Bearer {key}"),
        format!("Authorization: Bearer {}\r\n {}", &key[..20], &key[20..]),
        format!("Authorization: Bearer {}\r{}", &key[..20], &key[20..]),
        format!("Authorization: Bearer {}\n{}", &key[..20], &key[20..]),
        format!("Authorisation: Bearer {key}"),
        format!("Proxy-Authorization: Bearer {key}"),
        format!("X-Authorization: Bearer {key}"),
        format!("WWW-Authenticate: Bearer {key}"),
        format!("X-Api-Key: {key}"),
        format!("Api-Key: {key}"),
        format!("Cookie: authorization=Bearer {key}"),
        format!("Authorization: Bearer {key}\r\nauthorization: Bearer {key}"),
        format!("AUTHORIZATION: Bearer {key}\r\nAuthorization:"),
        format!("Authorization: Bearer {megabyte}"),
        format!("Authorization: Bearer {key}{megabyte}"),
        format!("Authorization: Bearer {key}\r\nx: {megabyte}"),
        format!("Authorization: {megabyte} {key}"),
        format!("{megabyte}: Bearer {key}"),
    ];
    while_served(&app, async |address| {
        for lines in &lines {
            check_refused(address, lines.as_bytes()).await;
        }
        // White space around a field's value is not part of it.
        for space in ["", " ", "\t", "   \t "] {
            let line = format!("aUthorization:{space}Bearer {key}{space}");
            let answer = ask(address, line.as_bytes()).await.unwrap();
            assert_eq!(answer.status, 200, "{space:?}: {}", answer.body);
        }
    })
    .await;
}
