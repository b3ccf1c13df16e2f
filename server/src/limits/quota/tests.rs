//! Quotas over a ledger in memory: exact, shared, interrupted, refused.

use std::sync::mpsc::{Receiver, channel};

use shared::clock::{Clock, ManualClock};
use shared::keys::ledger::Lease;
use shared::keys::name::Name;
use shared::keys::subscription::{Plan, SubscriptionStatus};

use super::*;

mod models;

/// 2026-09-21T14:13:20Z
const START: i64 = 1_790_000_000;

fn subscription(id: i64, quota: u64) -> Subscription {
    Subscription {
        id: SubscriptionId(id),
        name: Name::parse("Acme").unwrap(),
        plan: Plan::Pro,
        status: SubscriptionStatus::Active,
        quota,
        started_at: 0,
        created_at: 0,
    }
}

/// Counts leases as a store does; every subscription has the same quota.
#[derive(Default)]
struct MemoryLedger(Mutex<Ledger>);

#[derive(Default)]
struct Ledger {
    quota: u64,
    charged: HashMap<(SubscriptionId, i64), u64>,
    leases: usize,
    trouble: Trouble,
    /// While it is there, each lease waits for a message or for the end of the sender.
    gate: Option<Receiver<()>>,
}

#[derive(Clone, Copy, Default)]
enum Trouble {
    #[default]
    None,
    Fails,
    Panics,
}

impl MemoryLedger {
    fn with_quota(quota: u64) -> Arc<Self> {
        let ledger = Self::default();
        ledger.lock().quota = quota;
        Arc::new(ledger)
    }

    fn lock(&self) -> MutexGuard<'_, Ledger> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn charged(&self) -> u64 {
        self.lock().charged.values().sum()
    }
}

impl QuotaLedger for MemoryLedger {
    fn lease(
        &self,
        id: SubscriptionId,
        period: Period,
        wanted: u64,
    ) -> Result<Lease, KeyStoreError> {
        let gate = self.lock().gate.take();
        if let Some(gate) = gate {
            let _opened = gate.recv();
        }
        let mut ledger = self.lock();
        ledger.leases += 1;
        match ledger.trouble {
            Trouble::None => {}
            Trouble::Fails => {
                return Err(KeyStoreError::Missing {
                    location: "here".to_owned(),
                });
            }
            Trouble::Panics => panic!("this ledger is made to panic"),
        }
        let quota = ledger.quota;
        let charged = ledger.charged.entry((id, period.start)).or_default();
        let granted = wanted.min(quota.saturating_sub(*charged));
        *charged += granted;
        Ok(Lease {
            granted,
            charged: *charged,
        })
    }

    fn give_back(
        &self,
        id: SubscriptionId,
        period: Period,
        unused: u64,
    ) -> Result<(), KeyStoreError> {
        let mut ledger = self.lock();
        let charged = ledger.charged.get_mut(&(id, period.start)).unwrap();
        *charged = charged.checked_sub(unused).unwrap();
        Ok(())
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
        let quotas = Quotas::new(Arc::clone(&ledger) as _);
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
    assert_eq!(scene.ledger.charged(), 3);
}

#[tokio::test]
async fn an_exhausted_quota_asks_the_ledger_at_most_once_a_second() {
    let scene = Scene::new(0);
    for leases in 1..4 {
        for _request in 0..50 {
            assert!(is_exceeded(&scene.check().await));
        }
        assert_eq!(scene.ledger.lock().leases, leases);
        scene.clock.advance(std::time::Duration::from_secs(1));
    }
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
    for trouble in [Trouble::Fails, Trouble::Panics] {
        scene.ledger.lock().trouble = trouble;
        let (check, charge) = tokio::join!(scene.check(), scene.charge());
        assert!(is_unavailable(&check) && is_unavailable(&charge));
        assert!(is_unavailable(&scene.charge().await));
        scene.ledger.lock().trouble = Trouble::None;
        assert!(scene.charge().await.is_ok());
    }
    assert_eq!(scene.ledger.charged(), 2);
}

#[tokio::test]
async fn requests_wait_for_one_lease_and_other_subscriptions_do_not_wait() {
    let scene = Scene::new(100);
    let other = subscription(2, 100);
    assert!(scene.quotas.check(&other, scene.clock.now()).await.is_ok());
    let (open, gate) = channel();
    scene.ledger.lock().gate = Some(gate);
    let others = async {
        assert_eq!(scene.ledger.lock().leases, 1);
        assert!(scene.quotas.charge(&other, scene.clock.now()).await.is_ok());
        drop(open);
    };
    let (one, two, ()) = tokio::join!(scene.check(), scene.check(), others);
    assert!(one.is_ok() && two.is_ok());
    assert_eq!(scene.ledger.lock().leases, 2);
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
    assert_eq!(scene.ledger.charged(), 1);
}

#[tokio::test]
async fn a_failure_that_nobody_waited_for_is_not_told_to_the_next_request() {
    let scene = Scene::new(100);
    scene.ledger.lock().trouble = Trouble::Fails;
    assert!(scene.charge().now_or_never().is_none());
    // The lease is over when its thread has let go of the ledger.
    while Arc::strong_count(&scene.ledger) != 2 {
        tokio::task::yield_now().await;
    }
    scene.ledger.lock().trouble = Trouble::None;
    assert!(scene.charge().await.is_ok());
}

#[tokio::test]
async fn giving_back_waits_for_a_lease_under_way_and_gives_each_unit_once() {
    let scene = Scene::new(100_000);
    for _request in 0..10 {
        scene.charge().await.unwrap();
    }
    let other = subscription(2, 100_000);
    let (open, gate) = channel();
    scene.ledger.lock().gate = Some(gate);
    assert!(
        scene
            .quotas
            .charge(&other, scene.clock.now())
            .now_or_never()
            .is_none()
    );
    drop(open);
    scene.quotas.give_back_all().await;
    assert_eq!(scene.ledger.charged(), 10);
    scene.quotas.give_back_all().await;
    assert_eq!(scene.ledger.charged(), 10);
    assert_eq!(scene.charge().await.unwrap().remaining, 100_000 - 11);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn tasks_that_race_are_granted_exactly_the_quota() {
    let scene = Arc::new(Scene::new(1000));
    let tasks: Vec<_> = (0..8)
        .map(|_task| {
            let scene = Arc::clone(&scene);
            tokio::spawn(async move {
                let mut granted = 0;
                for _attempt in 0..200 {
                    granted +=
                        u64::from(scene.check().await.is_ok() && scene.charge().await.is_ok());
                }
                granted
            })
        })
        .collect();
    let mut granted = 0;
    for task in tasks {
        granted += task.await.unwrap();
    }
    assert_eq!(granted, 1000);
    assert_eq!(scene.ledger.charged(), 1000);
}
