//! Clients that close their side of the connection, and a server that stops.

use super::*;

const NEARLY_GONE: Duration = Duration::from_millis(999);

#[tokio::test(start_paused = true)]
async fn each_request_of_a_client_that_has_closed_its_side_has_its_second() {
    let (mut client, mut connection) = connect();
    client.write_all(&REQUEST.repeat(3)).await.unwrap();
    client.shutdown().await.unwrap();
    for _ in 0..3 {
        assert_eq!(read_now(&mut connection).as_deref(), Some(REQUEST));
        assert!(read_now(&mut connection).is_none());
        advance(NEARLY_GONE).await;
        assert!(read_now(&mut connection).is_none());
        answer(&mut connection, b"answer").await;
    }
    assert_eq!(read_now(&mut connection), Some(Vec::new()));
}

#[tokio::test(start_paused = true)]
async fn a_client_that_has_closed_its_side_is_gone_a_second_after_its_answer_was_due() {
    let (mut client, mut connection) = connect();
    client.write_all(&REQUEST.repeat(2)).await.unwrap();
    client.shutdown().await.unwrap();
    assert!(read_now(&mut connection).is_some());
    advance(GONE_AFTER / 2).await;
    answer(&mut connection, b"answer").await;
    assert!(read_now(&mut connection).is_some());
    assert!(read_now(&mut connection).is_none());
    advance(NEARLY_GONE).await;
    assert!(read_now(&mut connection).is_none());
    advance(MOMENT).await;
    assert_eq!(read_now(&mut connection), Some(Vec::new()));
}

#[tokio::test(start_paused = true)]
async fn a_server_that_is_closing_waits_for_no_head_that_has_begun() {
    for (begun, expected) in [
        (&b"GET"[..], Some("TooSlow { is_head: false, waited: 1s }")),
        (
            b"HEAD / HTTP/1.1\r\n",
            Some("TooSlow { is_head: true, waited: 1s }"),
        ),
        (b"", None),
    ] {
        let (phases, phase) = watch::channel(Phase::Serving);
        let (mut client, mut connection) = connect_in(phase);
        client.write_all(begun).await.unwrap();
        while read_now(&mut connection).is_some() {}
        advance(Duration::from_secs(1)).await;
        phases.send_replace(Phase::Stopping);
        assert!(read_now(&mut connection).is_none());
        phases.send_replace(Phase::Closing);
        match expected {
            Some(expected) => check_refused(client, connection, expected).await,
            None => assert!(read_now(&mut connection).is_none()),
        }
    }
}
