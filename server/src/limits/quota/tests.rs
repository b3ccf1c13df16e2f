//! Quotas over a ledger in memory: exact, shared, interrupted, refused.

use std::pin::pin;
use std::sync::mpsc::channel;
use std::time::Duration;

use futures_util::future::join_all;
use shared::base::clock::{Clock, ManualClock};
use shared::keys::name::Name;
use shared::keys::quota::Period;
use shared::keys::subscription::{SubscriptionId, SubscriptionStatus};

use super::*;

mod ahead;
mod clock;
mod given_back;
mod ledger;
mod models;

use ledger::{MemoryLedger, Trouble};

/// 2026-09-21T14:13:20Z
const START: i64 = 1_790_000_000;

/// Long, so that a busy machine does not fail tests.
const WAIT_MAX: Duration = Duration::from_mins(1);

fn subscription(id: i64, quota: u64) -> Subscription {
    Subscription {
        id: SubscriptionId(id),
        name: Name::parse("Acme").unwrap(),
        status: SubscriptionStatus::Active,
        quota,
        started_at: 0,
        created_at: 0,
        deleted_at: None,
    }
}

impl Quotas {
    /// Whether there is a request left. Takes none.
    async fn check(&self, subscription: &Subscription, now: Moment) -> Result<Usage, QuotaError> {
        let left = Duration::MAX;
        self.demand(Demand::Check, left, subscription, now).await
    }

    /// Charges one request, or refuses it. What is charged stays charged.
    async fn charge(&self, subscription: &Subscription, now: Moment) -> Result<Usage, QuotaError> {
        let left = Duration::MAX;
        self.demand(Demand::Charge, left, subscription, now).await
    }
}

struct Scene {
    ledger: Arc<MemoryLedger>,
    clock: ManualClock,
    quotas: Quotas,
    quota: u64,
}

impl Scene {
    fn new(quota: u64) -> Self {
        let ledger = MemoryLedger::with_quota(quota);
        let quotas = Quotas::new(Arc::clone(&ledger) as _).with_wait(WAIT_MAX);
        Self {
            ledger,
            clock: ManualClock::at(START),
            quotas,
            quota,
        }
    }

    async fn check(&self) -> Result<Usage, QuotaError> {
        self.quotas
            .check(&subscription(1, self.quota), self.clock.now())
            .await
    }

    async fn charge(&self) -> Result<Usage, QuotaError> {
        self.quotas
            .charge(&subscription(1, self.quota), self.clock.now())
            .await
    }
}

/// Waits until nobody asks the ledger any more.
async fn at_rest(scene: &Scene) {
    // A lease is over when its thread has dropped the ledger.
    let is_over = async {
        while Arc::strong_count(&scene.ledger) != 2 {
            tokio::task::yield_now().await;
        }
    };
    let in_time = tokio::time::timeout(Duration::from_mins(1), is_over).await;
    in_time.expect("the lease is over within a minute");
    // One that panicked has dropped the ledger before it is known to be over.
    for pending in scene.quotas.pending() {
        _ = pending.await;
    }
}

fn is_unavailable(answer: &Result<Usage, QuotaError>) -> bool {
    matches!(answer, Err(QuotaError::Unavailable(_)))
}

fn is_exceeded(answer: &Result<Usage, QuotaError>) -> bool {
    matches!(
        answer,
        Err(QuotaError::Exceeded(Usage { remaining: 0, .. }))
    )
}

#[tokio::test]
async fn checks_are_free_and_the_last_unit_is_exact() {
    let scene = Scene::new(3);
    for remaining in [2, 1, 0] {
        for _check in 0..5 {
            assert_eq!(scene.check().await.unwrap().remaining, remaining + 1);
        }
        assert_eq!(scene.charge().await.unwrap().remaining, remaining);
    }
    assert!(is_exceeded(&scene.check().await));
    assert!(is_exceeded(&scene.charge().await));
    assert_eq!(scene.ledger.charged_in_all(), 3);
}

#[tokio::test]
async fn checks_ask_the_ledger_at_most_once_a_second_and_lease_nothing() {
    for quota in [0, 1, 100_000] {
        let scene = Scene::new(quota);
        for questions in 1..4 {
            for _request in 0..50 {
                assert_eq!(scene.check().await.is_ok(), quota != 0);
            }
            assert_eq!(scene.ledger.lock().questions, questions);
            scene.clock.advance(Duration::from_secs(1));
        }
        assert_eq!(scene.ledger.lock().leases, 0);
        assert_eq!(scene.ledger.charged_in_all(), 0);
    }
}

#[tokio::test]
async fn an_exhausted_quota_is_leased_at_most_once_a_second() {
    let scene = Scene::new(0);
    for leases in 1..4 {
        for _request in 0..50 {
            assert!(is_exceeded(&scene.charge().await));
        }
        assert_eq!(scene.ledger.lock().leases, leases);
        scene.clock.advance(Duration::from_secs(1));
    }
}

#[tokio::test]
async fn a_check_takes_the_last_unit_from_nobody() {
    let scene = Scene::new(1);
    let other = Quotas::new(Arc::clone(&scene.ledger) as _).with_wait(WAIT_MAX);
    assert!(scene.check().await.is_ok());
    let charge = other.charge(&subscription(1, 1), scene.clock.now()).await;
    assert_eq!(charge.unwrap().remaining, 0);
    assert!(is_exceeded(&scene.charge().await));
}

#[tokio::test]
async fn a_raised_quota_is_noticed_at_once() {
    let mut scene = Scene::new(1);
    assert!(scene.charge().await.is_ok());
    assert!(is_exceeded(&scene.charge().await));
    scene.quota = 2;
    scene.ledger.lock().quota = 2;
    assert!(scene.charge().await.is_ok());
    assert!(is_exceeded(&scene.charge().await));
}

#[tokio::test]
async fn a_ledger_that_fails_makes_the_quota_unavailable_until_it_recovers() {
    let scene = Scene::new(5);
    for trouble in [Trouble::Fails, Trouble::Locked, Trouble::Panics] {
        scene.ledger.lock().trouble = trouble;
        scene.clock.advance(Duration::from_secs(1));
        let (check, charge) = tokio::join!(scene.check(), scene.charge());
        assert!(is_unavailable(&check) && is_unavailable(&charge));
        assert!(is_unavailable(&scene.charge().await));
        scene.ledger.lock().trouble = Trouble::None;
        assert!(scene.charge().await.is_ok());
    }
    assert_eq!(scene.ledger.charged_in_all(), 3);
}

#[tokio::test]
async fn requests_wait_for_one_answer_and_other_subscriptions_do_not_wait() {
    let scene = Scene::new(10_000);
    let other = subscription(2, 10_000);
    let charge = || scene.quotas.charge(&other, scene.clock.now());
    for _request in 0..2 {
        charge().await.unwrap();
    }
    let (open, gate) = channel();
    scene.ledger.lock().gate = Some(gate);
    let others = async {
        assert!(charge().await.is_ok());
        drop(open);
    };
    let (one, two, three, ()) = tokio::join!(scene.check(), scene.check(), scene.charge(), others);
    assert!(one.is_ok() && two.is_ok() && three.is_ok());
    let ledger = scene.ledger.lock();
    assert_eq!((ledger.questions, ledger.leases), (1, 3));
}

#[tokio::test]
async fn a_request_that_goes_away_during_a_lease_loses_no_unit() {
    let scene = Scene::new(100);
    let (open, gate) = channel();
    scene.ledger.lock().gate = Some(gate);
    assert!(scene.charge().now_or_never().is_none());
    open.send(()).unwrap();
    assert_eq!(scene.charge().await.unwrap().remaining, 99);
    assert_eq!(scene.ledger.lock().leases, 1);
    assert_eq!(scene.ledger.charged_in_all(), 1);
}

#[tokio::test]
async fn a_failure_that_nobody_waited_for_is_not_told_to_the_next_request() {
    let scene = Scene::new(100);
    let (open, gate) = channel();
    scene.ledger.lock().gate = Some(gate);
    scene.ledger.lock().trouble = Trouble::Fails;
    assert!(scene.charge().now_or_never().is_none());
    drop(open);
    at_rest(&scene).await;
    scene.ledger.lock().trouble = Trouble::None;
    assert!(scene.charge().await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_ledger_that_takes_its_time_is_unavailable_and_what_it_says_later_still_counts() {
    let mut scene = Scene::new(3);
    scene.quotas = Quotas::new(Arc::clone(&scene.ledger) as _);
    scene.check().await.unwrap();
    let (open, gate) = channel();
    scene.ledger.lock().gate = Some(gate);
    let (refused, ()) = tokio::join!(scene.charge(), tokio::time::advance(LEDGER_WAIT_MAX));
    let told = refused.unwrap_err();
    assert!(matches!(
        told,
        QuotaError::Unavailable(LedgerFailure::TooSlow { .. })
    ));
    drop(open);
    assert_eq!(scene.charge().await.unwrap().remaining, 2);
    assert_eq!(scene.ledger.charged_in_all(), 1, "the late lease was used");
}

#[tokio::test]
async fn charges_that_wait_for_a_lease_are_leased_for_together() {
    // The quota is nearly used up, so a lease has one unit unless several requests wait.
    let scene = Scene::new(100);
    let (open, gate) = channel();
    scene.ledger.lock().gate = Some(gate);
    let charges = (0..60).map(|_| scene.charge());
    let opened = async { open.send(()).unwrap() };
    let (answers, ()) = tokio::join!(join_all(charges), opened);
    assert!(answers.iter().all(Result::is_ok));
    assert_eq!(scene.ledger.lock().leases, 2);
    assert_eq!(scene.ledger.charged_in_all(), 60, "nobody counts twice");
    scene.quotas.give_back_all().await;
    assert_eq!(scene.ledger.charged_in_all(), 60);
}

#[tokio::test(start_paused = true)]
async fn a_scrape_asks_about_one_quota_at_a_time_and_shows_what_is_known_when_time_is_up() {
    let scene = Scene::new(100);
    let all: Vec<_> = (1..=200)
        .map(|id| Arc::new(subscription(id, 100)))
        .collect();
    let last = scene.quotas.check(&all[199], scene.clock.now()).await;
    let (open, gate) = channel();
    scene.ledger.lock().gate = Some(gate);
    let waited = Duration::from_secs(1);
    let mut usages = pin!(scene.quotas.usages(&all, scene.clock.now(), waited));
    assert!(usages.as_mut().now_or_never().is_none());
    assert_eq!(scene.quotas.pending().len(), 1);
    tokio::time::advance(waited).await;
    let known = usages.await;
    assert_eq!((known.len(), known.iter().flatten().count()), (200, 1));
    assert_eq!(known[199], last.ok());
    drop(open);
    let all = scene.quotas.usages(&all, scene.clock.now(), waited).await;
    assert_eq!(all.iter().flatten().count(), 200);
}

#[tokio::test]
async fn a_quota_that_the_ledger_cannot_tell_hides_no_other_from_a_scrape() {
    let scene = Scene::new(100);
    let both = [1, 2].map(|id| Arc::new(subscription(id, 100)));
    scene
        .quotas
        .check(&both[1], scene.clock.now())
        .await
        .unwrap();
    scene.ledger.lock().trouble = Trouble::Fails;
    let waited = Duration::from_secs(1);
    let usages = scene.quotas.usages(&both, scene.clock.now(), waited).await;
    let remaining = usages
        .iter()
        .map(|usage| usage.as_ref().map(|usage| usage.remaining));
    assert_eq!(remaining.collect::<Vec<_>>(), [None, Some(100)]);
}
