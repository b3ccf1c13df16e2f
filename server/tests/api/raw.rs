//! Requests that are malformed or meant to smuggle another request, sent byte for byte over a
//! socket.
//!
//! Each is followed by a canary on the same connection: the only request that gets a 304. The
//! server must answer it once and last, or close the connection before it. So nothing inside a
//! request is ever answered as a request of its own. No deadline of the server is involved: a
//! connection that is still open shortly before the first of them is a failure.

mod addresses;
mod case;
mod fields;
mod framing;
mod pipelines;
mod sizes;
mod strangers;

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::yield_now;
use tokio::time::timeout;

use crate::app::TestApp;
use crate::wire::while_served;
use case::{Case, Expected, GOOD, outcome};

/// How long a connection may take to end: less than the ten seconds that the server gives a head.
const HANG: Duration = Duration::from_secs(9);
/// Cases up to this length are also sent byte by byte.
const DRIBBLED_BYTES_MAX: usize = 1000;

fn corpus() -> Vec<Case> {
    let families = [
        framing::cases(),
        fields::cases(),
        addresses::cases(),
        strangers::cases(),
        sizes::cases(),
        pipelines::cases(),
    ];
    families.into_iter().flatten().collect()
}

/// A request that gets a 304, and is the last of its connection.
fn canary(key: &str) -> Vec<u8> {
    let canary = format!(
        "GET /v1/boats/b1 HTTP/1.1\r\nHost: canary\r\nAuthorization: Bearer {key}\r\n\
         If-None-Match: *\r\nConnection: close\r\n\r\n"
    );
    canary.into_bytes()
}

/// Sends the pieces, and returns all that was received until the server closed the connection.
async fn exchange(address: SocketAddr, pieces: impl Iterator<Item = &[u8]>) -> Vec<u8> {
    let connection = TcpStream::connect(address).await.unwrap();
    connection.set_nodelay(true).unwrap();
    let (mut reading, mut writing) = connection.into_split();
    let mut received = Vec::new();
    let sending = async {
        for piece in pieces {
            // This may fail: after refusing a request, the server need not read the rest of it.
            let _sent = writing.write_all(piece).await;
            yield_now().await;
        }
        writing
    };
    let talk = async { tokio::join!(sending, reading.read_to_end(&mut received)).1 };
    timeout(HANG, talk)
        .await
        .expect("no hang")
        .expect("an end and no reset");
    received
}

/// The parts of a response that decide the outcome of a case.
struct Answered {
    status: u16,
    is_last: bool,
}

/// All responses in `received`. Each must be complete and ours. Those with their index in `heads`
/// have no body.
fn answers(name: &str, received: &[u8], heads: &[usize]) -> Vec<Answered> {
    let mut rest = std::str::from_utf8(received).unwrap();
    let mut answers = Vec::new();
    while !rest.is_empty() {
        let (head, after) = rest
            .split_once("\r\n\r\n")
            .unwrap_or_else(|| panic!("{name}: {rest}"));
        let mut lines = head.split("\r\n");
        let status: u16 = lines
            .next()
            .unwrap()
            .split(' ')
            .nth(1)
            .unwrap()
            .parse()
            .unwrap();
        let fields: Vec<(&str, &str)> = lines.map(|line| line.split_once(": ").unwrap()).collect();
        let field = |wanted: &str| {
            let mut found = fields
                .iter()
                .filter(|(name, _)| name.eq_ignore_ascii_case(wanted));
            let value = found.next().map(|(_, value)| *value);
            assert!(found.next().is_none(), "{name}: {wanted} comes twice");
            value
        };
        assert!(
            field("x-request-id").is_some(),
            "{name}: not an answer of ours: {head}"
        );
        assert!(status < 500, "{name}: {head}");
        let has_body = !heads.contains(&answers.len()) && !matches!(status, 304 | 308);
        let length = if has_body {
            field("content-length").unwrap().parse().unwrap()
        } else {
            0
        };
        let (body, next) = after.split_at(length);
        if has_body {
            let json: serde_json::Value = serde_json::from_str(body).unwrap();
            assert_eq!(
                json["error"]["code"].is_string(),
                status != 200,
                "{name}: {body}"
            );
        }
        let is_old = head.starts_with("HTTP/1.0 ");
        let is_last = match field("connection") {
            Some("close") => true,
            kept => is_old && kept.is_none(),
        };
        answers.push(Answered { status, is_last });
        rest = next;
    }
    answers
}

/// The outcome of a case: the statuses, and whether the canary was answered after them.
fn outcome_of(case: &Case, received: &[u8]) -> String {
    let mut answers = answers(&case.name, received, case.heads);
    let canary = answers.pop_if(|answer| answer.status == 304);
    if canary.is_none() {
        let is_told = answers.last().is_none_or(|answer| answer.is_last);
        assert!(is_told, "{}: closed without saying so", case.name);
    }
    let statuses: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
    outcome(
        &statuses,
        if canary.is_some() { "canary" } else { "closed" },
    )
}

/// Adds a line to `wrong` if the outcome is not the expected one.
fn check(case: &Case, received: &[u8], wrong: &mut Vec<String>) {
    let (outcome, expected) = (outcome_of(case, received), case.expected.to_string());
    if outcome != expected {
        let Case { family, name, .. } = case;
        wrong.push(format!("{outcome} instead of {expected}: {family}: {name}"));
    }
}

#[tokio::test]
async fn nothing_that_a_request_carries_is_answered_as_a_request() {
    let app = TestApp::new();
    let canary = canary(app.keys.secret("unlimited"));
    let cases = corpus();
    let mut wrong = Vec::new();
    while_served(&app, async |address| {
        for case in &cases {
            let sent = [&case.sent[..], &canary].concat();
            let received = exchange(address, [&sent[..]].into_iter()).await;
            check(case, &received, &mut wrong);
        }
    })
    .await;
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn it_makes_no_difference_where_reads_cut_a_request() {
    let app = TestApp::new();
    let canary = canary(app.keys.secret("unlimited"));
    let mut wrong = Vec::new();
    while_served(&app, async |address| {
        for case in corpus()
            .iter()
            .filter(|case| case.sent.len() <= DRIBBLED_BYTES_MAX)
        {
            let sent = [&case.sent[..], &canary].concat();
            check(case, &exchange(address, sent.chunks(1)).await, &mut wrong);
        }
        let sent = [GOOD, &canary].concat();
        let expected = Expected::Answered(&[200]);
        let good = Case::new("cut once", "", GOOD.to_vec(), expected);
        for cut in 0..sent.len() {
            let (first, second) = sent.split_at(cut);
            check(
                &good,
                &exchange(address, [first, second].into_iter()).await,
                &mut wrong,
            );
        }
    })
    .await;
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn who_closes_within_a_head_gets_no_answer() {
    let app = TestApp::new();
    while_served(&app, async |address| {
        for length in 0..=GOOD.len() {
            let mut connection = TcpStream::connect(address).await.unwrap();
            connection.write_all(&GOOD[..length]).await.unwrap();
            connection.shutdown().await.unwrap();
            let mut received = Vec::new();
            let end = timeout(HANG, connection.read_to_end(&mut received)).await;
            end.expect("no hang").expect("an end and no reset");
            assert_eq!(
                received.is_empty(),
                length < GOOD.len(),
                "closed after {length} bytes"
            );
        }
    })
    .await;
}
