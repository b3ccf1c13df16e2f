//! Connections over a pipe in memory, with a clock that the tests move.

mod ends;

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};
use tokio::time::advance;

use super::lingering_close::LINGER_MAX;
use super::state::ANSWER_MAX;
use super::*;

const MOMENT: Duration = Duration::from_millis(1);
const NEARLY_IDLE_MAX: Duration = Duration::from_millis(74_999);
const NEARLY_HEAD_MAX: Duration = Duration::from_millis(9_999);
const NEARLY_LINGER_MAX: Duration = Duration::from_millis(1_999);
const NEARLY_STALLED_MAX: Duration = Duration::from_millis(29_999);
const PIPE_BYTES: usize = 4096;
const REQUEST: &[u8] = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n";

fn connect() -> (DuplexStream, Connection<DuplexStream>) {
    let (_never, phase) = watch::channel(Phase::Serving);
    connect_in(phase)
}

fn connect_in(phase: watch::Receiver<Phase>) -> (DuplexStream, Connection<DuplexStream>) {
    let (client, server) = duplex(PIPE_BYTES);
    let last_answer: LastAnswer = Arc::new(said);
    (client, Connection::new(server, last_answer, phase, None))
}

/// A response that shows its refusal and origin.
fn said(refusal: Refusal, origin: Option<&[u8]>) -> Vec<u8> {
    let of = origin.map(|origin| format!(" of {}", origin.escape_ascii()));
    format!("{refusal:?}{}", of.unwrap_or_default()).into_bytes()
}

/// What the connection yields without waiting; `None` if it would wait.
fn read_now(connection: &mut Connection<DuplexStream>) -> Option<Vec<u8>> {
    let mut buffer = [0; 256];
    let length = connection.read(&mut buffer).now_or_never()?.unwrap();
    Some(buffer[..length].to_vec())
}

/// Everything that the client receives before the connection ends.
async fn received(mut client: DuplexStream, connection: Connection<DuplexStream>) -> String {
    drop(connection);
    let mut received = String::new();
    client.read_to_string(&mut received).await.unwrap();
    received
}

async fn answer(connection: &mut Connection<DuplexStream>, answer: &[u8]) {
    connection.write_all(answer).await.unwrap();
    connection.flush().await.unwrap();
}

/// Checks that the client gets a refusal, and that the connection still reads for a while, so the
/// response reaches the client, and then ends.
async fn check_refused(
    client: DuplexStream,
    mut connection: Connection<DuplexStream>,
    expected: &str,
) {
    assert!(read_now(&mut connection).is_none());
    advance(NEARLY_LINGER_MAX).await;
    assert!(read_now(&mut connection).is_none());
    advance(MOMENT).await;
    assert_eq!(read_now(&mut connection), Some(Vec::new()));
    assert_eq!(received(client, connection).await, expected);
}

#[tokio::test(start_paused = true)]
async fn a_silent_client_is_dropped_without_a_word() {
    for said in ["", "\r\n\r\n"] {
        let (mut client, mut connection) = connect();
        client.write_all(said.as_bytes()).await.unwrap();
        assert!(read_now(&mut connection).is_none());
        advance(NEARLY_IDLE_MAX).await;
        assert!(read_now(&mut connection).is_none());
        advance(MOMENT).await;
        assert_eq!(read_now(&mut connection), Some(Vec::new()));
        assert_eq!(received(client, connection).await, "");
    }
}

#[tokio::test(start_paused = true)]
async fn a_head_that_takes_too_long_is_told_so_however_it_dribbles_in() {
    let (mut client, mut connection) = connect();
    advance(IDLE_MAX / 2).await;
    for (piece, given) in [
        ("GET /v1 HTTP/1.1\r\n", Some("GET /v1 HTTP/1.1\r\n")),
        ("Host: a", None),
        ("\r\nA: b\r\n", Some("Host: a\r\nA: b\r\n")),
        ("C: d\r", None),
        ("\n", Some("C: d\r\n")),
    ] {
        client.write_all(piece.as_bytes()).await.unwrap();
        let given = given.map(|given| given.as_bytes().to_vec());
        assert_eq!(read_now(&mut connection), given);
        if given.is_some() {
            assert!(read_now(&mut connection).is_none());
        }
        advance(HEAD_MAX / 5).await;
    }
    check_refused(
        client,
        connection,
        "TooSlow { is_head: false, waited: 10s }",
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn while_an_answer_is_due_nobody_waits_for_the_client() {
    let (mut client, mut connection) = connect();
    client.write_all(REQUEST).await.unwrap();
    client.write_all(b"GET").await.unwrap();
    assert_eq!(read_now(&mut connection).as_deref(), Some(REQUEST));
    advance(IDLE_MAX * 2).await;
    assert!(read_now(&mut connection).is_none());

    answer(&mut connection, b"answer ").await;
    advance(NEARLY_HEAD_MAX).await;
    assert!(read_now(&mut connection).is_none());
    advance(MOMENT).await;
    check_refused(
        client,
        connection,
        "answer TooSlow { is_head: false, waited: 10s }",
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn an_answer_begins_a_new_idle_time() {
    let (mut client, mut connection) = connect();
    for _ in 0..3 {
        client.write_all(REQUEST).await.unwrap();
        assert!(read_now(&mut connection).is_some());
        answer(&mut connection, b"answer").await;
        advance(NEARLY_IDLE_MAX).await;
        assert!(read_now(&mut connection).is_none());
    }
    advance(MOMENT).await;
    assert_eq!(read_now(&mut connection), Some(Vec::new()));
}

#[tokio::test(start_paused = true)]
async fn heads_are_given_on_one_at_a_time() {
    let (mut client, mut connection) = connect();
    client.write_all(&REQUEST.repeat(3)).await.unwrap();
    for _ in 0..3 {
        assert_eq!(read_now(&mut connection).as_deref(), Some(REQUEST));
        assert!(read_now(&mut connection).is_none());
        // A flush before any response is not the end of one.
        connection.flush().await.unwrap();
        assert!(read_now(&mut connection).is_none());
        answer(&mut connection, b"answer").await;
    }
    assert!(read_now(&mut connection).is_none());
}

#[tokio::test(start_paused = true)]
async fn the_answer_to_a_slow_head_has_a_body_unless_its_own_method_is_head() {
    let head = &b"HEAD / HTTP/1.1\r\nHost: a\r\n\r\n"[..];
    for (before, begun, is_head) in [
        (head, &b"GET /"[..], false),
        (head, b"GET / HTTP/1.1\r\nHost", false),
        (head, b"HEA", false),
        (REQUEST, b"HEAD /", true),
        (REQUEST, b"\r\nHEAD / HTTP/1.1\r\nHost", true),
    ] {
        let (mut client, mut connection) = connect();
        client.write_all(&[before, begun].concat()).await.unwrap();
        assert_eq!(read_now(&mut connection).as_deref(), Some(before));
        answer(&mut connection, b"answer ").await;
        while read_now(&mut connection).is_some() {}
        advance(HEAD_MAX).await;
        let expected = format!("answer TooSlow {{ is_head: {is_head}, waited: 10s }}");
        check_refused(client, connection, &expected).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_bad_head_is_refused_after_the_answers_before_it_and_nothing_after_it_is_given_on() {
    let (mut client, mut connection) = connect();
    let bad = b"GET /< HTTP/1.1\r\nHost: a\r\n\r\n";
    let sent = [REQUEST, bad, REQUEST].concat();
    client.write_all(&sent).await.unwrap();
    assert_eq!(read_now(&mut connection).as_deref(), Some(REQUEST));
    assert!(read_now(&mut connection).is_none());
    connection.write_all(b"ans").await.unwrap();
    assert!(read_now(&mut connection).is_none());
    answer(&mut connection, b"wer ").await;
    let expected = "answer BadHead { bad: Address, is_head: false }";
    check_refused(client, connection, expected).await;
}

#[tokio::test(start_paused = true)]
async fn a_body_is_refused_and_never_read_as_a_request() {
    let (mut client, connection) = connect();
    let sent = b"HEAD / HTTP/1.1\r\nHost: a\r\nContent-Length: 27\r\n\r\n";
    client.write_all(&[sent, REQUEST].concat()).await.unwrap();
    let expected = "BadHead { bad: Body, is_head: true }";
    check_refused(client, connection, expected).await;
}

#[tokio::test(start_paused = true)]
async fn a_refused_client_that_closes_is_not_waited_for() {
    let (mut client, mut connection) = connect();
    client.write_all(b"\0").await.unwrap();
    client.shutdown().await.unwrap();
    assert_eq!(read_now(&mut connection), Some(Vec::new()));
    let expected = "BadHead { bad: ControlCharacter, is_head: false }";
    assert_eq!(received(client, connection).await, expected);
}

#[tokio::test(start_paused = true)]
async fn who_still_sends_after_the_last_answer_is_listened_to_for_a_while() {
    for (more, waits) in [(&b""[..], false), (REQUEST, true)] {
        let (mut client, mut connection) = connect();
        client.write_all(&[REQUEST, more].concat()).await.unwrap();
        assert!(read_now(&mut connection).is_some());
        answer(&mut connection, b"answer").await;
        let is_shut = connection.shutdown().now_or_never();
        assert_eq!(is_shut.is_none(), waits);
        advance(LINGER_MAX).await;
        connection.shutdown().now_or_never().unwrap().unwrap();
        assert_eq!(received(client, connection).await, "answer");
    }
}

/// Fills the pipe with the beginning of a response.
async fn begin_answer() -> (DuplexStream, Connection<DuplexStream>) {
    let (mut client, mut connection) = connect();
    client.write_all(REQUEST).await.unwrap();
    assert!(read_now(&mut connection).is_some());
    connection.write_all(&[b'a'; PIPE_BYTES]).await.unwrap();
    (client, connection)
}

fn write_now(connection: &mut Connection<DuplexStream>) -> Option<io::Result<usize>> {
    connection.write(b"a").now_or_never()
}

#[tokio::test(start_paused = true)]
async fn a_client_that_takes_nothing_of_its_answer_is_dropped() {
    let (client, mut connection) = begin_answer().await;
    assert!(write_now(&mut connection).is_none());
    advance(NEARLY_STALLED_MAX).await;
    assert!(write_now(&mut connection).is_none());
    advance(MOMENT).await;
    let dropped = write_now(&mut connection).unwrap().unwrap_err();
    assert_eq!(dropped.kind(), io::ErrorKind::TimedOut);
    drop(client);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_takes_a_little_of_its_answer_now_and_then_is_dropped_in_the_end() {
    let (mut client, mut connection) = begin_answer().await;
    let pause = NEARLY_STALLED_MAX;
    let mut taken = Duration::ZERO;
    while taken + pause < ANSWER_MAX {
        assert!(write_now(&mut connection).is_none());
        advance(pause).await;
        taken += pause;
        client.read_u8().await.unwrap();
        assert!(write_now(&mut connection).unwrap().is_ok());
    }
    assert!(write_now(&mut connection).is_none());
    advance(ANSWER_MAX.saturating_sub(taken)).await;
    assert!(write_now(&mut connection).unwrap().is_err());
}

#[tokio::test(start_paused = true)]
async fn a_flush_in_the_middle_of_an_answer_is_not_its_end() {
    let bad = b"GET /< HTTP/1.1\r\nHost: a\r\n\r\n";
    let head = "HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\n";
    for (flushed, refused_early) in [
        (&[head, "ans", "wer"][..], None),
        (&["HTTP/1.1 304 Not Modified\r\n\r\n"], None),
        (&[head, "a"], Some(())),
    ] {
        let (mut client, mut connection) = connect();
        client.write_all(&[REQUEST, bad].concat()).await.unwrap();
        assert_eq!(read_now(&mut connection).as_deref(), Some(REQUEST));
        for part in flushed {
            assert!(read_now(&mut connection).is_none());
            answer(&mut connection, part.as_bytes()).await;
        }
        let refusal = "BadHead { bad: Address, is_head: false }";
        assert!(read_now(&mut connection).is_none());
        let expected = match refused_early {
            None => flushed.concat() + refusal,
            Some(()) => flushed.concat(),
        };
        assert_eq!(received(client, connection).await, expected);
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_to_head_ends_with_its_head() {
    let (mut client, mut connection) = connect();
    let head = b"HEAD / HTTP/1.1\r\nHost: a\r\n\r\n";
    client
        .write_all(&[&head[..], REQUEST].concat())
        .await
        .unwrap();
    assert!(read_now(&mut connection).is_some());
    let told = b"HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\n";
    answer(&mut connection, told).await;
    assert_eq!(read_now(&mut connection).as_deref(), Some(REQUEST));
}

#[tokio::test(start_paused = true)]
async fn a_client_that_keeps_taking_a_long_answer_has_time_for_it() {
    let (mut client, mut connection) = begin_answer().await;
    let mut part = [0; PIPE_BYTES];
    // 64 KiB, one second more, are taken every half second.
    for _second in 0..2 * ANSWER_MAX.as_secs() {
        for _part in 0..16 {
            client.read_exact(&mut part).await.unwrap();
            connection.write_all(&part).await.unwrap();
        }
        assert!(write_now(&mut connection).is_none());
        advance(Duration::from_millis(900)).await;
    }
    assert!(write_now(&mut connection).is_none());
}
