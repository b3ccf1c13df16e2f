//! Clients over real sockets that do not wait for their list.

use server::catalogue::{ListError, QueryError, QueueError};
use server::params::{BOATS, ListQuery, QueryString};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::task::yield_now;

use super::*;
use crate::answer::check_text;
use crate::wire::{in_time, while_served};

/// The text of a list request.
fn list_request(app: &TestApp, target: &str) -> String {
    let secret = app.keys.secret("reader");
    format!("GET {target} HTTP/1.1\r\nhost: test\r\nauthorization: Bearer {secret}\r\n\r\n")
}

/// Whether the queue is full, so one more query would be refused.
fn is_full(catalogue: &Arc<Catalogue>) -> bool {
    let query = QueryString::parse(Some("limit=3"));
    let query = ListQuery::parse(&query, &BOATS).unwrap();
    let answer = catalogue.list(&query).now_or_never();
    matches!(
        answer,
        Some(Err(ListError::Query(QueryError::Queue(
            QueueError::Full { .. }
        ))))
    )
}

/// Waits until the queue is full, or is not.
async fn until_full(catalogue: &Arc<Catalogue>, expected: bool) {
    let changed = async {
        while is_full(catalogue) != expected {
            yield_now().await;
        }
    };
    in_time("a change of the queue", changed).await;
}

#[test]
fn a_client_that_is_gone_waits_for_no_list_any_more() {
    let app = &app(settings());
    while_occupied(app, async |occupied| {
        let catalogue = app.app.catalogue();
        let running = begin(app, "/v1/boats?limit=1");
        while_served(app, async |address| {
            let mut client = TcpStream::connect(address).await.unwrap();
            let request = list_request(app, "/v1/boats?limit=2");
            client.write_all(request.as_bytes()).await.unwrap();
            until_full(&catalogue, true).await;
            // Reset the connection: a client that only closes its side may still be waiting.
            client.set_zero_linger().unwrap();
            drop(client);
            until_full(&catalogue, false).await;
            occupied.end().await;
        })
        .await;
        assert_eq!(running.await.status, 200);
    });
}

#[test]
fn a_request_whose_client_has_left_is_a_line_without_a_status_in_the_log() {
    start_logging();
    let app = &app(settings());
    while_occupied(app, async |occupied| {
        let leaving = begin(app, "/v1/boats?limit=1");
        logged();
        drop(leaving);
        check_text(
            "log_client_left",
            "What the log says of a request whose client has left.",
            &logged(),
        );
        occupied.end().await;
    });
}
