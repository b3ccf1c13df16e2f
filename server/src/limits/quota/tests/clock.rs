//! A wall clock that jumps: each period is charged for itself, and nothing of another one is lost.

use super::*;

/// From September to the middle of the next January, and so on.
const MONTHS: i64 = 120 * 86_400;

#[tokio::test]
async fn a_clock_that_is_ahead_for_one_request_opens_nothing_and_closes_nothing() {
    let scene = Scene::new(5);
    for _request in 0..5 {
        scene.charge().await.unwrap();
    }
    scene.clock.jump_wall(MONTHS);
    assert_eq!(scene.charge().await.unwrap().remaining, 4);
    scene.clock.jump_wall(-MONTHS);
    scene.clock.advance(Duration::from_secs(1));
    let Err(QuotaError::Exceeded(usage)) = scene.check().await else {
        panic!("the quota of this month was used up before");
    };
    let renewal = Period::containing(0, START).end;
    assert_eq!(usage.reset_unix_seconds, renewal);
    let wait = u64::try_from(renewal - START - 1).unwrap();
    assert_eq!(usage.retry_after_seconds, wait);
    assert!(is_exceeded(&scene.charge().await));
    scene.clock.jump_wall(renewal - START);
    for remaining in (0..5).rev() {
        assert_eq!(scene.charge().await.unwrap().remaining, remaining);
    }
}

#[tokio::test]
async fn what_was_leased_of_another_period_is_used_there_or_goes_back_to_it() {
    let scene = Scene::new(100_000);
    for jump in [0, MONTHS, -2 * MONTHS] {
        scene.clock.jump_wall(jump);
        for _request in 0..3 {
            scene.charge().await.unwrap();
        }
    }
    scene.clock.jump_wall(MONTHS);
    assert_eq!(scene.charge().await.unwrap().remaining, 100_000 - 4);
    for _look in 0..2 {
        scene.quotas.give_back_idle(scene.clock.now()).await;
        scene.clock.advance(Duration::from_secs(1));
    }
    let charged = [0, MONTHS, -MONTHS].map(|jump| scene.ledger.charged_at(START + jump));
    assert_eq!(charged, [4, 3, 3]);
    let ids = scene.quotas.accounts.lock().ids();
    assert_eq!(
        ids.len(),
        1,
        "periods of which nothing is left are forgotten"
    );
}

#[tokio::test]
async fn a_stop_after_a_renewal_gives_back_what_is_left_of_both_periods() {
    let scene = Scene::new(100_000);
    let renewal = Period::containing(0, START).end;
    for now in [renewal - 1, renewal] {
        scene
            .clock
            .jump_wall(now - scene.clock.now().unix_seconds());
        for _request in 0..3 {
            scene.charge().await.unwrap();
        }
    }
    scene.quotas.give_back_all().await;
    let charged = [renewal - 1, renewal].map(|now| scene.ledger.charged_at(now));
    assert_eq!(charged, [3, 3]);
}

#[tokio::test]
async fn a_clock_before_all_periods_counts_in_the_first() {
    let scene = Scene::new(3);
    scene.clock.jump_wall(-2 * START);
    for remaining in [2, 1, 0] {
        assert_eq!(scene.charge().await.unwrap().remaining, remaining);
    }
    assert!(is_exceeded(&scene.charge().await));
}

#[tokio::test]
async fn a_charge_is_not_counted_as_waiting_for_an_account_that_was_forgotten_before() {
    let scene = Scene::new(5);
    scene.charge().await.unwrap();
    let id = scene.quotas.accounts.lock().ids()[0];
    let forgotten = (id.0, Period::containing(0, START + MONTHS));
    let waiting = Waiting::count(&scene.quotas.accounts, forgotten);
    scene.clock.jump_wall(MONTHS);
    scene.charge().await.unwrap();
    drop(waiting);
    let mut accounts = scene.quotas.accounts.lock();
    assert_eq!(accounts.get_mut(forgotten).unwrap().waiting, 0);
}
