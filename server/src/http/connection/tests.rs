//! Connections over a pipe in memory, with a clock that the tests move.

use futures_util::FutureExt;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};
use tokio::time::advance;

use super::*;

const MOMENT: Duration = Duration::from_millis(1);
const NEARLY_IDLE_MAX: Duration = Duration::from_millis(74_999);
const NEARLY_HEAD_MAX: Duration = Duration::from_millis(9_999);

fn connect() -> (DuplexStream, Connection<DuplexStream>) {
    let (client, server) = duplex(4096);
    (
        client,
        Connection::new(
            server,
            Arc::new(|refusal| match refusal {
                Refusal::TooSlow => b"too slow".to_vec(),
                Refusal::BadAddress(_) => b"bad address".to_vec(),
            }),
        ),
    )
}

/// What the connection gives without waiting; `None` when it would wait.
fn read_now(connection: &mut Connection<DuplexStream>) -> Option<Vec<u8>> {
    let mut buffer = [0; 256];
    let length = connection.read(&mut buffer).now_or_never()?.unwrap();
    Some(buffer[..length].to_vec())
}

#[tokio::test(start_paused = true)]
async fn a_silent_client_is_dropped_without_a_word() {
    let (mut client, mut connection) = connect();
    assert!(read_now(&mut connection).is_none());
    advance(NEARLY_IDLE_MAX).await;
    assert!(read_now(&mut connection).is_none());
    advance(MOMENT).await;
    assert_eq!(read_now(&mut connection), Some(Vec::new()));
    drop(connection);
    let mut received = Vec::new();
    client.read_to_end(&mut received).await.unwrap();
    assert_eq!(received, b"");
}

#[tokio::test(start_paused = true)]
async fn a_head_that_takes_too_long_is_told_so_however_it_dribbles_in() {
    let (mut client, mut connection) = connect();
    advance(IDLE_MAX / 2).await;
    let pieces = [
        &b"GET /v1 HTTP/1.1\r\n"[..],
        b"Host: a\r\n",
        b"A: b\r\n",
        b"C: d\r",
        b"\n",
    ];
    for piece in pieces {
        client.write_all(piece).await.unwrap();
        assert_eq!(read_now(&mut connection), Some(piece.to_vec()));
        assert!(read_now(&mut connection).is_none());
        advance(HEAD_MAX / 5).await;
    }
    assert_eq!(read_now(&mut connection), Some(Vec::new()));
    drop(connection);
    let mut received = Vec::new();
    client.read_to_end(&mut received).await.unwrap();
    assert_eq!(received, b"too slow");
}

#[tokio::test(start_paused = true)]
async fn while_an_answer_is_due_nobody_waits_for_the_client() {
    let (mut client, mut connection) = connect();
    client
        .write_all(b"GET / HTTP/1.1\r\n\r\nGET")
        .await
        .unwrap();
    assert!(read_now(&mut connection).is_some());
    advance(IDLE_MAX * 2).await;
    assert!(read_now(&mut connection).is_none());

    connection.write_all(b"answer").await.unwrap();
    advance(NEARLY_HEAD_MAX).await;
    assert!(read_now(&mut connection).is_none());
    advance(MOMENT).await;
    assert_eq!(read_now(&mut connection), Some(Vec::new()));
    drop(connection);
    let mut received = Vec::new();
    client.read_to_end(&mut received).await.unwrap();
    assert_eq!(received, b"answertoo slow");
}

#[tokio::test(start_paused = true)]
async fn an_answer_begins_a_new_idle_time() {
    let (mut client, mut connection) = connect();
    for _ in 0..3 {
        client.write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
        assert!(read_now(&mut connection).is_some());
        connection.write_all(b"answer").await.unwrap();
        advance(NEARLY_IDLE_MAX).await;
        assert!(read_now(&mut connection).is_none());
    }
    advance(MOMENT).await;
    assert_eq!(read_now(&mut connection), Some(Vec::new()));
}

#[tokio::test(start_paused = true)]
async fn a_bad_address_is_refused_once_its_head_is_whole_and_nothing_of_it_is_given_on() {
    let (mut client, mut connection) = connect();
    client.write_all(b"GET /< HTTP/1.1\r\n").await.unwrap();
    assert!(read_now(&mut connection).is_none());
    let rest = b"Host: a\r\n\r\nGET / HTTP/1.1\r\n\r\n";
    client.write_all(rest).await.unwrap();
    assert_eq!(read_now(&mut connection), Some(Vec::new()));
    drop(connection);
    let mut received = Vec::new();
    client.read_to_end(&mut received).await.unwrap();
    assert_eq!(received, b"bad address");
}

#[tokio::test(start_paused = true)]
async fn a_bad_address_whose_head_never_ends_is_too_slow() {
    let (mut client, mut connection) = connect();
    client.write_all(b"GET /< HTTP/1.1\r\n").await.unwrap();
    assert!(read_now(&mut connection).is_none());
    advance(HEAD_MAX).await;
    assert_eq!(read_now(&mut connection), Some(Vec::new()));
    drop(connection);
    let mut received = Vec::new();
    client.read_to_end(&mut received).await.unwrap();
    assert_eq!(received, b"too slow");
}

#[tokio::test(start_paused = true)]
async fn a_body_that_looks_like_a_bad_request_is_not_taken_for_one() {
    let (mut client, mut connection) = connect();
    let sent = b"POST / HTTP/1.1\r\nContent-Length: 19\r\n\r\nGET /< HTTP/1.1\r\n\r\n";
    client.write_all(sent).await.unwrap();
    assert_eq!(read_now(&mut connection), Some(sent.to_vec()));
}

#[test]
fn heads_end_at_blank_lines_wherever_reads_cut_them() {
    let table: [(&[u8], bool, bool); 11] = [
        (b"GET / HTTP/1.1\r\nA: b\r\n\r\n", true, false),
        (b"GET / HTTP/1.1\n\n", true, false),
        (b"GET / HTTP/1.1\r\n\r\nGET", true, true),
        (b"GET / HTTP/1.1\r\n", false, true),
        (b"G", false, true),
        (b"", false, false),
        (b"\r\n\r\n", false, false),
        (b"\n\r\n\r\n", false, false),
        (b"\n\n\r\n\r\nGET", false, true),
        (b"\r\n\r\nGET / HTTP/1.1\r\n\r\n", true, false),
        (
            b"GET /1 HTTP/1.1\r\n\r\nGET /2 HTTP/1.1\r\n\r\n",
            true,
            false,
        ),
    ];
    for (bytes, ended, is_open) in table {
        for cut in 0..=bytes.len() {
            let mut heads = Heads::default();
            let (first, second) = bytes.split_at(cut);
            let ended_here = heads.read(first) | heads.read(second);
            let shown = String::from_utf8_lossy(bytes);
            assert_eq!(
                (ended_here, heads.is_open),
                (ended, is_open),
                "{shown:?} cut at {cut}"
            );
        }
    }
}
