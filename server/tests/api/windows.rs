//! The minute limit compared with a plain list of all requests: ten thousand generated histories,
//! then real sockets.
//!
//! The oracle knows only the contract: a request counts for 60 seconds, and at any moment at most
//! as many count as the limit allows. Nothing here sleeps: minutes pass on a clock that the test
//! moves.

use std::time::Duration;

use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use server::limits::{MINUTE, RateLimits, Usage};
use shared::base::clock::{Clock, ManualClock, Moment};
use shared::keys::key::KeyId;

use crate::app::{NOW, TestApp};
use crate::wire::{Client, share, while_served};

const HISTORIES: u64 = 10_000;
const REQUESTS_MAX: usize = 40;
const NANOS: i64 = 1_000_000_000;

/// A family of keys as the oracle knows it, with the time of each counted request.
struct Family {
    id: KeyId,
    limit: u32,
    /// Whether the limit never changed.
    is_constant: bool,
    counted: Vec<Duration>,
}

impl Family {
    fn new(random: &mut StdRng) -> Self {
        Self {
            id: KeyId::generate(random),
            limit: random.random_range(1..=6),
            is_constant: true,
            counted: Vec::new(),
        }
    }

    fn counted_at(&self, time: Duration) -> usize {
        let is_counted = |&&counted: &&Duration| counted <= time && time < counted + MINUTE;
        self.counted.iter().filter(is_counted).count()
    }

    /// The expected result for a request.
    fn answer(&mut self, now: Moment) -> Result<Usage, Usage> {
        let limit = self.limit as usize;
        let is_free = self.counted_at(now.monotonic) < limit;
        if is_free {
            self.counted.push(now.monotonic);
        }
        // `remaining` grows when the oldest counted request expires. If more are counted than a
        // lowered limit allows, a request fits only once all but `limit - 1` have expired.
        let kept = self.counted_at(now.monotonic);
        let awaited = self.counted[self.counted.len() - kept.min(limit)];
        let wait = (awaited + MINUTE).saturating_sub(now.monotonic);
        let usage = Usage {
            limit: limit as u64,
            remaining: limit.saturating_sub(kept) as u64,
            reset_unix_seconds: ceil(now.plus(wait).unix_nanos),
            retry_after_seconds: whole_seconds(wait),
        };
        if is_free { Ok(usage) } else { Err(usage) }
    }

    /// Checks that no 60 seconds of the history contain more requests than the limit.
    fn check_every_minute(&self, history: u64) {
        for pair in self.counted.windows(self.limit as usize + 1) {
            let span = pair[pair.len() - 1].saturating_sub(pair[0]);
            assert!(MINUTE <= span, "history {history}: {span:?}");
        }
    }
}

fn ceil(nanos: i64) -> i64 {
    (nanos + NANOS - 1).div_euclid(NANOS)
}

fn whole_seconds(wait: Duration) -> u64 {
    let more = u64::from(wait.subsec_nanos() != 0);
    (wait.as_secs() + more).max(1)
}

/// Time until the next request: often to the edge of a window, or one nanosecond before or after
/// it.
fn pause(random: &mut StdRng, families: &[Family], now: Duration) -> Duration {
    let to_an_edge = families
        .choose(random)
        .and_then(|family| family.counted.choose(random))
        .map_or(Duration::ZERO, |&counted| {
            (counted + MINUTE).saturating_sub(now)
        });
    let nanosecond = Duration::from_nanos(1);
    match random.random_range(0..8) {
        0 | 1 => Duration::ZERO,
        2 => to_an_edge,
        3 => to_an_edge.saturating_sub(nanosecond),
        4 => to_an_edge + nanosecond,
        5 => Duration::from_nanos(random.random_range(0..3_000_000_000)),
        6 => Duration::from_nanos(random.random_range(0..30_000_000_000)),
        _ => Duration::from_secs(random.random_range(0..150)),
    }
}

fn check_history(history: u64) -> (usize, usize) {
    let mut random = StdRng::seed_from_u64(history);
    let (limits, clock) = (RateLimits::default(), ManualClock::at(NOW));
    let mut families = [(); 3].map(|()| Family::new(&mut random));
    let (mut granted, mut refused) = (0, 0);
    for request in 0..random.random_range(1..=REQUESTS_MAX) {
        clock.advance(pause(&mut random, &families, clock.now().monotonic));
        if random.random_bool(0.1) {
            clock.jump_wall(random.random_range(-100_000..100_000));
        }
        let family = &mut families[random.random_range(0..3)];
        if random.random_bool(0.05) {
            family.limit = random.random_range(1..=6);
            family.is_constant = false;
        }
        let now = clock.now();
        let found = limits.count(&family.id, family.limit, now);
        assert_eq!(found, family.answer(now), "history {history}, {request}");
        match found {
            Ok(_) => granted += 1,
            Err(_) => refused += 1,
        }
    }
    for family in families.iter().filter(|family| family.is_constant) {
        family.check_every_minute(history);
    }
    (granted, refused)
}

#[test]
fn ten_thousand_histories_agree_with_a_list_of_all_requests() {
    let (mut granted, mut refused) = (0, 0);
    for history in 0..HISTORIES {
        let answers = check_history(history);
        granted += answers.0;
        refused += answers.1;
    }
    // Histories with hardly any refusals, or with hardly anything else, would prove nothing.
    assert!(
        refused < granted && granted < 10 * refused,
        "{granted} {refused}"
    );
}

const CLIENTS: usize = 64;
const LIMIT: usize = 1000;
const ATTEMPTS: usize = 5000;
/// Kept low for speed; the test would hold for any number.
const WINDOWS: usize = 2;

/// Sends one client's attempts over one connection. Returns how many were accepted.
async fn attempt(address: std::net::SocketAddr, key: String, attempts: usize) -> usize {
    let mut client = Client::connect(address).await;
    let mut accepted = 0;
    for _attempt in 0..attempts {
        let answer = client.get("/v1/boats/b1", &[("authorization", &key)]).await;
        match answer.status {
            200 => accepted += 1,
            429 => assert!(answer.body.contains("RATE_LIMITED"), "{}", answer.body),
            other => panic!("{other}: {}", answer.body),
        }
    }
    accepted
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clients_that_race_over_sockets_are_granted_exactly_the_limit_in_every_window() {
    let app = TestApp::new();
    let key = format!("Bearer {}", app.keys.secret("thousand_a_minute"));
    while_served(&app, async |address| {
        for window in 0..WINDOWS {
            let clients: Vec<_> = (0..CLIENTS)
                .map(|client| {
                    let attempts = share(ATTEMPTS, CLIENTS, client);
                    tokio::spawn(attempt(address, key.clone(), attempts))
                })
                .collect();
            let mut accepted = 0;
            for client in clients {
                accepted += client.await.unwrap();
            }
            assert_eq!(accepted, LIMIT, "window {window}");
            app.advance(MINUTE);
        }
    })
    .await;
}
