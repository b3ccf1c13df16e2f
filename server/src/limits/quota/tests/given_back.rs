//! What is given back to the ledger: at the end, and idle units before.

use std::pin::pin;
use std::thread;
use std::time::Duration;

use super::*;
use crate::limits::give_back::{GIVE_BACKS_MAX, LAST_ATTEMPTS_MAX};

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
    assert_eq!(scene.ledger.charged_in_all(), 10);
    scene.quotas.give_back_all().await;
    assert_eq!(scene.ledger.charged_in_all(), 10);
    assert_eq!(scene.charge().await.unwrap().remaining, 100_000 - 11);
}

/// A server that leased more than it used, just after that was first noticed.
async fn idle_scene() -> Scene {
    let scene = Scene::new(100_000);
    for _request in 0..3 {
        scene.charge().await.unwrap();
    }
    assert!(3 < scene.ledger.charged_in_all());
    scene.quotas.give_back_idle(scene.clock.now()).await;
    scene.clock.advance(Duration::from_secs(1));
    scene
}

#[tokio::test]
async fn what_lies_unused_is_given_back_once() {
    let scene = idle_scene().await;
    for _look in 0..3 {
        scene.quotas.give_back_idle(scene.clock.now()).await;
        assert_eq!(scene.ledger.charged_in_all(), 3);
        scene.clock.advance(Duration::from_secs(1));
    }
    assert_eq!(scene.charge().await.unwrap().remaining, 100_000 - 4);
}

#[tokio::test]
async fn what_a_locked_ledger_does_not_take_back_is_kept_and_what_fails_is_lost() {
    let scene = idle_scene().await;
    let leased = scene.ledger.charged_in_all();
    scene.ledger.lock().trouble = Trouble::Locked;
    scene.quotas.give_back_idle(scene.clock.now()).await;
    assert_eq!(scene.charge().await.unwrap().remaining, 100_000 - 4);
    scene.quotas.give_back_idle(scene.clock.now()).await;
    scene.clock.advance(Duration::from_secs(1));
    scene.ledger.lock().trouble = Trouble::Fails;
    scene.quotas.give_back_idle(scene.clock.now()).await;
    scene.ledger.lock().trouble = Trouble::None;
    scene.quotas.give_back_all().await;
    assert_eq!(scene.ledger.charged_in_all(), leased);
}

#[tokio::test]
async fn a_charge_waits_for_what_is_being_given_back_and_leases_anew() {
    let scene = idle_scene().await;
    let (open, gate) = channel();
    scene.ledger.lock().gate = Some(gate);
    let now = scene.clock.now();
    let charge = async {
        let charge = scene.charge();
        open.send(()).unwrap();
        charge.await
    };
    let ((), charge) = tokio::join!(scene.quotas.give_back_idle(now), charge);
    assert_eq!(charge.unwrap().remaining, 100_000 - 4);
    scene.quotas.give_back_all().await;
    assert_eq!(scene.ledger.charged_in_all(), 4);
}

#[tokio::test(start_paused = true)]
async fn a_ledger_that_is_busy_for_a_moment_gets_everything_back_at_the_end() {
    let scene = Scene::new(100_000);
    for id in [1, 1, 2, 2, 3, 3] {
        let subscription = subscription(id, 100_000);
        let charged = scene.quotas.charge(&subscription, scene.clock.now());
        charged.await.unwrap();
    }
    assert!(6 < scene.ledger.charged_in_all());
    scene.ledger.lock().busy = 7;
    scene.quotas.give_back_all().await;
    assert_eq!(scene.ledger.charged_in_all(), 6);
}

/// Time passes only in the pauses between attempts.
#[tokio::test(start_paused = true)]
async fn a_ledger_that_is_away_for_a_second_gets_everything_back_at_the_end() {
    let scene = Scene::new(100_000);
    scene.charge().await.unwrap();
    scene.charge().await.unwrap();
    scene.ledger.lock().trouble = Trouble::Locked;
    let is_back = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        scene.ledger.lock().trouble = Trouble::None;
    };
    tokio::join!(scene.quotas.give_back_all(), is_back);
    assert_eq!(scene.ledger.charged_in_all(), 2);
}

#[tokio::test]
async fn no_more_than_a_few_subscriptions_give_back_at_a_time() {
    let scene = Scene::new(100_000);
    for id in 1..=100 {
        let subscription = subscription(id, 100_000);
        for _request in 0..2 {
            let charged = scene.quotas.charge(&subscription, scene.clock.now());
            charged.await.unwrap();
        }
    }
    for pending in scene.quotas.pending() {
        pending.await.unwrap();
    }
    let mut give_back = pin!(scene.quotas.give_back_all());
    // While the ledger is locked, giving back is under way.
    let held = scene.ledger.lock();
    assert!(give_back.as_mut().now_or_never().is_none());
    assert_eq!(scene.quotas.pending().len(), GIVE_BACKS_MAX);
    drop(held);
    give_back.await;
    assert_eq!(scene.ledger.charged_in_all(), 200);
}

#[tokio::test(start_paused = true)]
async fn a_stop_does_not_wait_for_ever_for_a_ledger_that_says_nothing() {
    let scene = Scene::new(100_000);
    scene.charge().await.unwrap();
    scene.charge().await.unwrap();
    let (ledger, (held, is_held)) = (Arc::clone(&scene.ledger), channel());
    let (release, released) = channel::<()>();
    let holder = thread::spawn(move || {
        let _ledger = ledger.lock();
        held.send(()).unwrap();
        released.recv().unwrap_err();
    });
    is_held.recv().unwrap();
    let mut give_back = pin!(scene.quotas.give_back_all());
    assert!(give_back.as_mut().now_or_never().is_none());
    tokio::time::advance(LAST_ATTEMPTS_MAX).await;
    give_back.await;
    drop(release);
    holder.join().unwrap();
}
