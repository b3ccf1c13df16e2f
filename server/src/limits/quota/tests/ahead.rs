//! Leases that are asked for before they are needed: nobody waits for them, and they are counted
//! as exactly as all others.

use super::*;

/// Of a quota of a million, the second lease, which is the first ahead.
const LEASE: u64 = 999_999 / 256;

/// Waits until nobody asks the ledger any more.
async fn at_rest(scene: &Scene) {
    // A lease is over when its thread has let go of the ledger.
    while Arc::strong_count(&scene.ledger) != 2 {
        tokio::task::yield_now().await;
    }
}

/// One unit is charged and a lease is there; the next may be asked for.
async fn with_a_lease() -> Scene {
    let scene = Scene::new(1_000_000);
    scene.charge().await.unwrap();
    at_rest(&scene).await;
    assert_eq!(scene.ledger.lock().leases, 2);
    scene.clock.advance(Duration::from_secs(1));
    scene
}

/// Charges that wait for nothing.
fn charge_at_once(scene: &Scene, count: u64) {
    for place in 0..count {
        let answer = scene.charge().now_or_never();
        assert!(answer.is_some_and(|answer| answer.is_ok()), "{place}");
    }
}

#[tokio::test]
async fn requests_go_on_while_the_ledger_takes_its_time_over_the_next_lease() {
    let scene = with_a_lease().await;
    let (open, gate) = channel();
    scene.ledger.lock().gate = Some(gate);
    charge_at_once(&scene, LEASE);
    assert!(scene.charge().now_or_never().is_none(), "none is left");
    drop(open);
    scene.charge().await.unwrap();
    at_rest(&scene).await;
    assert_eq!(scene.ledger.lock().leases, 3);
    scene.quotas.give_back_all().await;
    assert_eq!(scene.ledger.charged_in_all(), LEASE + 2);
}

#[tokio::test]
async fn a_lease_ahead_that_fails_is_told_to_nobody_before_the_units_are_used_up() {
    let scene = with_a_lease().await;
    scene.ledger.lock().trouble = Trouble::Fails;
    charge_at_once(&scene, LEASE);
    at_rest(&scene).await;
    assert!(is_unavailable(&scene.charge().await));
    scene.ledger.lock().trouble = Trouble::None;
    scene.charge().await.unwrap();
    at_rest(&scene).await;
    scene.quotas.give_back_all().await;
    assert_eq!(scene.ledger.charged_in_all(), LEASE + 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn servers_that_lease_ahead_grant_exactly_the_quota_together() {
    const QUOTA: u64 = 5000;
    let ledger = MemoryLedger::with_quota(QUOTA);
    let size = LeaseSize {
        share: 4,
        max: 1000,
    };
    let server = || Arc::new(Quotas::with_lease_size(Arc::clone(&ledger) as _, size));
    let servers = [server(), server()];
    let now = ManualClock::at(START).now();
    let tasks = (0..8).map(|task| {
        let quotas = Arc::clone(&servers[task % 2]);
        tokio::spawn(async move {
            let mut granted = 0;
            while quotas.charge(&subscription(1, QUOTA), now).await.is_ok() {
                granted += 1;
            }
            granted
        })
    });
    let mut granted = 0;
    for task in tasks.collect::<Vec<_>>() {
        granted += task.await.unwrap();
    }
    assert_eq!((granted, ledger.charged_in_all()), (QUOTA, QUOTA));
}
