//! Leases requested ahead: nobody waits for them, and they are counted as exactly as all others.

use std::sync::mpsc::Sender;

use super::*;

/// Of a quota of a million, the second lease, which is the first ahead.
const LEASE: u64 = 999_999 / 256;
/// As many units as must be charged before the next lease is requested, and a few more.
const HALF: u64 = LEASE / 2 + 10;

/// One unit is charged, there is a lease, and the next may be requested.
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

/// All but `left` units of the lease are charged, and the next one was aborted.
async fn with_a_broken_off_lease(left: u64) -> Scene {
    let scene = with_a_lease().await;
    scene.ledger.lock().trouble = Trouble::Panics;
    charge_at_once(&scene, LEASE - left);
    at_rest(&scene).await;
    scene.ledger.lock().trouble = Trouble::None;
    scene
}

#[tokio::test]
async fn a_lease_ahead_that_is_broken_off_is_told_to_nobody() {
    let scene = with_a_broken_off_lease(0).await;
    scene.charge().await.unwrap();
    at_rest(&scene).await;
    scene.quotas.give_back_all().await;
    assert_eq!(scene.ledger.charged_in_all(), LEASE + 2);
}

#[tokio::test]
async fn units_lie_idle_beside_a_lease_ahead_that_was_broken_off() {
    let scene = with_a_broken_off_lease(10).await;
    for _look in 0..2 {
        scene.quotas.give_back_idle(scene.clock.now()).await;
        scene.clock.advance(Duration::from_secs(1));
    }
    assert_eq!(scene.ledger.charged_in_all(), LEASE + 1 - 10);
}

/// The next lease is under way until the sender ends; half of this one is charged.
async fn with_a_lease_under_way() -> (Scene, Sender<()>) {
    let scene = with_a_lease().await;
    let (open, gate) = channel();
    scene.ledger.lock().gate = Some(gate);
    charge_at_once(&scene, HALF);
    assert_eq!(scene.quotas.pending().len(), 1);
    (scene, open)
}

#[tokio::test]
async fn a_stop_waits_for_a_lease_ahead_and_gives_it_back_with_the_rest() {
    let (scene, open) = with_a_lease_under_way().await;
    let mut stop = Box::pin(scene.quotas.give_back_all());
    assert!(stop.as_mut().now_or_never().is_none());
    drop(open);
    stop.await;
    assert_eq!(scene.ledger.lock().leases, 3);
    assert_eq!(scene.ledger.charged_in_all(), HALF + 1);
}

#[tokio::test]
async fn a_lease_ahead_of_a_period_that_ends_meanwhile_goes_back_to_it() {
    let (scene, open) = with_a_lease_under_way().await;
    let end = subscription(1, 0).period(START).end;
    scene.clock.jump_wall(end - START);
    let opened = async { drop(open) };
    let (charge, ()) = tokio::join!(scene.charge(), opened);
    assert_eq!(charge.unwrap().remaining, 1_000_000 - 1);
    at_rest(&scene).await;
    scene.quotas.give_back_all().await;
    let charged = [START, end].map(|now| scene.ledger.charged_at(now));
    assert_eq!(charged, [HALF + 1, 1]);
}

#[tokio::test]
async fn a_quota_that_is_lowered_during_a_lease_ahead_holds_at_once_and_afterwards() {
    let (mut scene, open) = with_a_lease_under_way().await;
    let lowered = HALF + 1 + 10;
    scene.quota = lowered;
    scene.ledger.lock().quota = lowered;
    charge_at_once(&scene, 10);
    let refused = scene.charge().now_or_never();
    assert!(refused.is_some_and(|refused| is_exceeded(&refused)));
    drop(open);
    at_rest(&scene).await;
    assert!(is_exceeded(&scene.charge().await));
    scene.quotas.give_back_all().await;
    assert_eq!(scene.ledger.charged_in_all(), lowered);
    scene.quota += 1;
    scene.ledger.lock().quota += 1;
    assert_eq!(scene.charge().await.unwrap().remaining, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn servers_that_lease_ahead_grant_exactly_the_quota_together() {
    const QUOTA: u64 = 5000;
    let ledger = MemoryLedger::with_quota(QUOTA);
    let size = LeaseSize {
        share: 4,
        max: 1000,
        ahead_min: 64,
    };
    let server =
        || Arc::new(Quotas::with_lease_size(Arc::clone(&ledger) as _, size).with_wait(WAIT_MAX));
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
