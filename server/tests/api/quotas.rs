//! The monthly quota over real sockets, and with a ledger that another process keeps locked.
//! `limits` has what servers charge in any history of requests, crashes and faults.

mod locked;

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use crate::app::TestApp;
use crate::keys::TEN_THOUSAND;
use crate::wire::{Client, Received, while_served};

const CLIENTS: usize = 64;
const QUOTA: usize = 10_000;
/// What a client requests in turn: the target, whether it already has the body, and the status
/// while quota is left.
const MIX: [(&str, bool, u16); 7] = [
    ("/v1/boats/b1", false, 200),
    ("/v1/boats/b1", true, 304),
    ("/v1/manufacturers/m1", false, 200),
    ("/v1/boats?limit=0", false, 400),
    ("/v1/boats/hr-31", false, 200),
    ("/v1/boats/unknown", false, 404),
    ("/v1/boats?limit=1", false, 200),
];

/// How often all clients together got each status.
#[derive(Default)]
struct Tally(Mutex<HashMap<u16, usize>>);

impl Tally {
    fn add(&self, status: u16) {
        *self.0.lock().unwrap().entry(status).or_default() += 1;
    }

    fn of(&self, status: u16) -> usize {
        *self.0.lock().unwrap().get(&status).unwrap_or(&0)
    }
}

async fn ask(client: &mut Client, key: &str, target: &str, holds_body: bool) -> Received {
    let mut fields = vec![("authorization", key)];
    if holds_body {
        fields.push(("if-none-match", "*"));
    }
    client.get(target, &fields).await
}

/// Requests everything in turn until the quota is used up, starting at index `begin` of the mix.
async fn use_up(address: SocketAddr, key: String, begin: usize, tally: Arc<Tally>) {
    let mut client = Client::connect(address).await;
    for (target, holds_body, expected) in MIX.into_iter().cycle().skip(begin).take(2 * QUOTA) {
        let answer = ask(&mut client, &key, target, holds_body).await;
        tally.add(answer.status);
        if answer.status == 429 {
            assert!(answer.body.contains("QUOTA_EXCEEDED"), "{}", answer.body);
            break;
        }
        assert_eq!(answer.status, expected, "{target}: {}", answer.body);
    }
    // Once the quota is used up, free requests are refused too; only a bad request is reported
    // first.
    for (target, holds_body, expected) in MIX {
        let answer = ask(&mut client, &key, target, holds_body).await;
        assert_eq!(answer.status, if expected == 400 { 400 } else { 429 });
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clients_that_race_over_sockets_get_exactly_the_quota_and_the_rest_is_free() {
    let app = TestApp::new();
    let key = format!("Bearer {}", app.keys.secret("ten_thousand_a_month"));
    let tally = Arc::new(Tally::default());
    while_served(&app, async |address| {
        let clients: Vec<_> = (0..CLIENTS)
            .map(|client| tokio::spawn(use_up(address, key.clone(), client, Arc::clone(&tally))))
            .collect();
        for client in clients {
            client.await.unwrap();
        }
    })
    .await;
    assert_eq!(tally.of(200), QUOTA);
    assert_eq!(app.ledger.leased(TEN_THOUSAND.0), QUOTA as u64);
    for free in [304, 400, 404] {
        assert!(QUOTA / 5 < tally.of(free), "{free}: {}", tally.of(free));
    }
    assert_eq!(tally.of(429), CLIENTS);
}
