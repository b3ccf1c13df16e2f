//! What happens to requests when Redis, or the network to it, fails: each server counts alone.

use super::proxy::{Mode, Proxy};
use super::*;

/// The time left for a request that runs out of it.
const LITTLE: Duration = Duration::from_millis(50);

fn behind(proxy: &Proxy) -> Rig {
    Rig::behind(|runtime, redis| proxy.start(runtime, redis))
}

#[test]
#[ignore = "needs Redis"]
fn while_a_store_does_not_answer_a_server_goes_on_from_what_it_granted() {
    let proxy = Proxy::new(Mode::Pass);
    let rig = behind(&proxy);
    let key = family(1);
    assert!(rig.count(&key, 3).is_ok());
    proxy.set(Mode::Hold);
    assert_eq!(rig.count_within(LITTLE, &key, 3).unwrap().remaining, 1);
    assert!(rig.limits.is_alone());
    assert_eq!(rig.count(&key, 3).unwrap().remaining, 0);
    assert!(rig.count(&key, 3).is_err());
    proxy.set(Mode::Pass);
    rig.wait_until_alone(false);
    assert!(rig.count(&key, 3).is_err());
    rig.pass(Duration::from_mins(1));
    assert!(rig.count(&key, 3).is_ok());
    assert_eq!(rig.held(&key), 1);
}

#[test]
#[ignore = "needs Redis"]
fn a_request_that_nobody_waits_for_any_more_takes_no_room() {
    let proxy = Proxy::new(Mode::Pass);
    let rig = behind(&proxy);
    let key = family(1);
    proxy.set(Mode::Hold);
    let counting = rig.limits.count(&key, 1, rig.now(), WAIT_MAX);
    // Polled once, so that it is sent, and then dropped.
    assert!(rig.wait(async { timeout(Duration::ZERO, counting).await.is_err() }));
    proxy.set(Mode::Cut);
    rig.wait_until_alone(true);
    assert!(rig.count(&key, 1).is_ok());
}

#[test]
#[ignore = "needs Redis"]
fn connections_that_are_cut_are_made_again_and_no_request_is_refused() {
    let proxy = Proxy::new(Mode::Pass);
    let rig = behind(&proxy);
    for _round in 0..3 {
        assert!(rig.count(&family(1), 9).is_ok());
        proxy.set(Mode::Cut);
        assert!(rig.count(&family(1), 9).is_ok());
        rig.wait_until_alone(true);
        proxy.set(Mode::Pass);
        rig.wait_until_alone(false);
    }
}

#[test]
#[ignore = "needs Redis"]
fn a_store_that_answers_with_garbage_is_left_and_no_request_is_refused() {
    let garbage: [(&[u8], &[u8]); 4] = [
        (b"*4", b"*3"),
        (b":", b"?"),
        (b":1\r", b":x\r"),
        (b"*4\r\n", b"$9\r\n"),
    ];
    for (bytes, others) in garbage {
        let proxy = Proxy::new(Mode::Pass);
        let rig = behind(&proxy);
        assert!(rig.count(&family(1), 2).is_ok());
        proxy.set(Mode::Replace(bytes, others));
        assert!(rig.count_within(LITTLE, &family(1), 2).is_ok(), "{bytes:?}");
        assert!(
            rig.count_within(LITTLE, &family(1), 2).is_err(),
            "{bytes:?}"
        );
        rig.wait_until_alone(true);
        proxy.set(Mode::Pass);
        rig.wait_until_alone(false);
        rig.pass(Duration::from_mins(1));
        assert!(rig.count(&family(1), 2).is_ok());
    }
}

#[test]
#[ignore = "needs Redis"]
fn a_store_that_becomes_a_replica_is_left_also_without_requests() {
    let proxy = Proxy::new(Mode::Pass);
    let rig = behind(&proxy);
    proxy.set(Mode::Replace(b"role:master", b"role:slave2"));
    rig.wait_until_alone(true);
    proxy.set(Mode::Pass);
    rig.wait_until_alone(false);
}

#[test]
fn a_server_starts_without_its_store_and_counts_alone() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let clock = Arc::new(ManualClock::at(START));
    // Nobody listens on port 1.
    let address = "redis://127.0.0.1:1".parse().unwrap();
    let starting = RedisLimits::start(address, Arc::<ManualClock>::clone(&clock));
    let limits = runtime.block_on(starting).unwrap();
    assert!(limits.is_alone());
    let key = family(1);
    let count = || runtime.block_on(limits.count(&key, 1, clock.now(), WAIT_MAX));
    assert!(count().is_ok());
    assert!(count().is_err());
}

#[test]
#[ignore = "needs Redis"]
fn a_server_does_not_start_on_a_store_that_makes_room_by_forgetting() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let evicting = Proxy::new(Mode::Replace(b"policy:noeviction", b"policy:allkeyslru"));
    let redis = evicting.start(&runtime, &rig::service(rig::REDIS));
    let clock = Arc::new(ManualClock::at(START));
    let started = runtime.block_on(RedisLimits::start(redis.parse().unwrap(), clock));
    let refused = started.err().unwrap();
    assert!(matches!(refused, RedisFailure::Evicts { .. }), "{refused}");
    assert!(refused.hint().unwrap().contains("noeviction"));
}

#[test]
#[ignore = "needs a Redis Cluster"]
fn a_part_of_a_cluster_is_refused() {
    let clustered = rig::service(rig::CLUSTERED).parse().unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let clock = Arc::new(ManualClock::at(START));
    let started = runtime.block_on(RedisLimits::start(clustered, clock));
    let refused = started.err().unwrap();
    assert!(matches!(refused, RedisFailure::Cluster { .. }), "{refused}");
    assert!(refused.hint().unwrap().contains("not part of a cluster"));
}
