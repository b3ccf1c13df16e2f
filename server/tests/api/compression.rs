//! Compressed responses: negotiation, and the same body in every encoding.

mod tags;

use std::fmt::Write;

use futures_util::FutureExt;
use server::http::openapi;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::answer::{Answer, check_text};
use crate::app::{Ask, TestApp};
use crate::openapi::check_documented;
use crate::wire::while_served;

/// An operation, a target of it, and whether its response is too short to be worth compressing.
const TARGETS: [(&str, &str, bool); 6] = [
    ("list_boats", "/v1/boats", false),
    ("get_boat", "/v1/boats/b1", false),
    ("list_manufacturers", "/v1/manufacturers", false),
    ("get_manufacturer", "/v1/manufacturers/m1", true),
    (
        "list_manufacturer_boats",
        "/v1/manufacturers/m1/boats",
        false,
    ),
    ("describe_api", "/openapi.json", false),
];

const CODINGS: [&str; 3] = ["gzip", "br", "zstd"];

/// A `GET` with this `Accept-Encoding`.
fn ask<'a>(app: &'a TestApp, target: &str, accepted: &str) -> Ask<'a> {
    let ask = app.get(target).header("accept-encoding", accepted);
    if target.starts_with("/v1/") {
        ask.key("thousand_a_minute")
    } else {
        ask
    }
}

/// What the head of a response says that the plain one's does not. The decompressed bodies must be
/// the same.
///
/// It says no exact length, since that depends on the compression libraries and the processor.
fn difference(answer: &Answer, plain: &Answer) -> String {
    assert_eq!(answer.decoded(), plain.body);
    let length = answer.body.len().to_string();
    assert_eq!(answer.header("content-length"), Some(length.as_str()));
    let is_shorter = answer.body.len() < plain.body.len();
    assert_eq!(is_shorter, answer.header("content-encoding").is_some());
    for name in plain.headers.keys() {
        assert!(answer.headers.contains_key(name), "{name} is missing");
    }
    let (plain, head) = (plain.head(), answer.head());
    let different = head
        .lines()
        .filter(|line| !plain.lines().any(|other| other == *line));
    let length = format!("content-length: {length}");
    let different: Vec<&str> = different.collect();
    match &different[..] {
        [] => "the same".to_owned(),
        some => some.join("; ").replace(&length, "content-length: less"),
    }
}

#[tokio::test]
async fn every_operation_answers_in_every_coding_as_recorded() {
    let mut table = String::new();
    for (id, target, is_tiny) in TARGETS {
        let app = TestApp::new();
        let plain = ask(&app, target, "identity").send().await;
        writeln!(table, "{id}").unwrap();
        for coding in CODINGS {
            let app = TestApp::new();
            for time in ["first", "again"] {
                let answer = ask(&app, target, coding).send().await;
                check_documented(id, &answer);
                let sent = answer.header("content-encoding");
                assert_eq!(sent, (!is_tiny).then_some(coding), "{target}");
                let difference = difference(&answer, &plain);
                writeln!(table, "    {coding}, {time}: {difference}").unwrap();
            }
        }
    }
    check_text(
        "compression",
        "Every operation in every coding: what its head says that it does not in identity.",
        &table,
    );
}

#[tokio::test]
async fn head_is_answered_as_get_with_the_length_of_the_compressed_body() {
    for (_, target, _) in TARGETS {
        for coding in CODINGS {
            let (one, other) = (TestApp::new(), TestApp::new());
            let get = ask(&one, target, coding).send().await;
            let mut head = other.ask("HEAD", target).header("accept-encoding", coding);
            if target.starts_with("/v1/") {
                head = head.key("thousand_a_minute");
            }
            let head = head.send().await;
            assert_eq!(head.headers, get.headers, "{coding} of {target}");
            assert!(head.body.is_empty(), "{coding} of {target}");
        }
    }
}

#[tokio::test]
async fn the_best_accepted_coding_is_sent() {
    let app = TestApp::new();
    for (accepted, sent) in [
        ("gzip, deflate, br, zstd", Some("zstd")),
        ("gzip, deflate, br", Some("br")),
        ("X-GZip", Some("gzip")),
        ("br;q=0.5, gzip", Some("gzip")),
        ("*", Some("zstd")),
        ("", None),
        ("deflate", None),
        ("gzip;q=0", None),
        ("gzip;q=2", None),
        // The client accepts nothing, but a 406 is never sent.
        ("*;q=0", None),
        ("identity;q=0", None),
    ] {
        let answer = ask(&app, "/v1/boats/b1", accepted).send().await;
        assert_eq!(answer.status, 200, "{accepted}");
        assert_eq!(answer.header("content-encoding"), sent, "{accepted}");
    }
    let none = app
        .get("/v1/boats/b1")
        .key("thousand_a_minute")
        .send()
        .await;
    assert_eq!(none.header("content-encoding"), None);
    let lines = ask(&app, "/v1/boats/b1", "gzip;q=0.5").header("accept-encoding", "br");
    assert_eq!(lines.send().await.header("content-encoding"), Some("br"));
}

#[tokio::test]
async fn a_tiny_body_is_compressed_only_for_who_refuses_it_as_it_is() {
    let app = TestApp::new();
    for target in ["/v1/manufacturers/m1", "/v1/boats?offset=100"] {
        let plain = ask(&app, target, "zstd, br, gzip").send().await;
        assert_eq!(plain.header("content-encoding"), None, "{target}");
        assert!(!plain.header("etag").unwrap().contains('-'), "{target}");
        for coding in CODINGS {
            let accepted = format!("identity;q=0, {coding}");
            let answer = ask(&app, target, &accepted).send().await;
            assert_eq!(answer.header("content-encoding"), Some(coding), "{target}");
            assert_eq!(answer.decoded(), plain.body, "{target}");
        }
    }
}

#[tokio::test]
async fn service_answers_without_a_tag_and_errors_are_never_compressed() {
    let app = TestApp::new();
    for target in ["/v1", "/health", "/v1/boats/none", "/v1/boats?x=1", "/none"] {
        let answer = ask(&app, target, "gzip, identity;q=0")
            .key("thousand_a_minute")
            .send()
            .await;
        assert_eq!(answer.header("content-encoding"), None, "{target}");
        assert!(answer.body.starts_with(b"{"), "{target}");
    }
    let unavailable = ask(&app, "/v1/boats/b1", "gzip");
    app.lose_key_store();
    let unavailable = unavailable.send().await;
    assert_eq!(unavailable.status, 503);
    assert_eq!(unavailable.header("content-encoding"), None);
}

#[tokio::test]
async fn lists_are_remembered_whatever_the_coding_and_each_200_is_charged() {
    let app = TestApp::new();
    let mut remaining = Vec::new();
    for (accepted, cache) in [
        ("gzip", "MISS"),
        ("br", "HIT"),
        ("identity", "HIT"),
        ("br", "HIT"),
    ] {
        let answer = ask(&app, "/v1/boats", accepted).send().await;
        assert_eq!(answer.header("x-cache"), Some(cache), "{accepted}");
        let left = answer.header("x-quota-remaining").unwrap();
        remaining.push(left.parse::<i64>().unwrap());
    }
    assert!(
        remaining.is_sorted_by(|before, after| before - after == 1),
        "{remaining:?}"
    );
}

#[tokio::test]
async fn a_client_that_goes_away_leaves_the_next_its_answer() {
    let app = TestApp::new();
    let target = "/openapi.json";
    let abandoned = ask(&app, target, "br").send().now_or_never();
    assert!(
        abandoned.is_none(),
        "a long body waits for a thread that may block"
    );
    let answer = ask(&app, target, "br").send().await;
    assert_eq!(answer.header("content-encoding"), Some("br"));
    assert_eq!(answer.decoded(), openapi::text().into_bytes());
}

/// Everything that arrives over a socket until the server closes it.
async fn exchange(app: &TestApp, request: &str) -> Vec<u8> {
    let mut received = Vec::new();
    while_served(app, async |address| {
        let mut socket = TcpStream::connect(address).await.unwrap();
        socket.write_all(request.as_bytes()).await.unwrap();
        socket.read_to_end(&mut received).await.unwrap();
    })
    .await;
    received
}

#[tokio::test]
async fn over_a_socket_head_is_only_a_head_and_get_is_exactly_the_compressed_body() {
    let app = TestApp::new();
    let key = app.keys.secret("thousand_a_minute").to_owned();
    for coding in CODINGS {
        let expected = ask(&app, "/v1/boats/b1", coding).send().await.body;
        let fields = format!(
            "/v1/boats/b1 HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer {key}\r\n\
             Accept-Encoding: {coding}\r\n"
        );
        let requests = format!("HEAD {fields}\r\nGET {fields}Connection: close\r\n\r\n");
        let received = exchange(&app, &requests).await;
        let body = received.len() - expected.len();
        assert_eq!(&received[body..], expected, "{coding}");
        let heads = String::from_utf8(received[..body].to_vec()).unwrap();
        let heads: Vec<&str> = heads.split_terminator("\r\n\r\n").collect();
        assert_eq!(heads.len(), 2, "{coding}: {heads:?}");
        for head in heads {
            let length = format!("\r\ncontent-length: {}\r\n", expected.len());
            let head = format!("{}\r\n", head.to_ascii_lowercase());
            assert!(head.starts_with("http/1.1 200 ok\r\n"), "{head}");
            assert!(head.contains(&length), "{head}");
            assert!(
                head.contains(&format!("\r\ncontent-encoding: {coding}\r\n")),
                "{head}"
            );
        }
    }
}
