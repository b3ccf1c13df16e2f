//! A Redis that sentinels name: who is asked, what a failover does, and what is refused.

use super::*;

/// How long every window is closed after a failover: a minute, and what another server may still
/// have counted in the former master.
const CLOSED_FOR: Duration = Duration::from_secs(63);
const MICRO: Duration = Duration::from_micros(1);

/// Counts once the server is confirmed as the master: the clock of a test jumps.
#[track_caller]
fn try_count(rig: &Rig, key: &KeyId, limit: u32) -> Result<(), RedisFailure> {
    let clock = shared::base::clock::SystemClock::new();
    let latest = clock.monotonic() + Duration::from_mins(1);
    while clock.monotonic() < latest {
        match rig.try_count(key, limit) {
            Err(RedisFailure::Away { .. } | RedisFailure::Unconfirmed { .. }) => {
                rig.wait_for(|state| !matches!(state, State::Away(_)));
            }
            counted => return counted,
        }
    }
    panic!("not confirmed within a minute");
}

#[test]
#[ignore = "needs sentinels"]
fn a_failover_closes_every_window_until_none_can_miss_a_count() {
    let rig = Rig::behind_sentinels();
    let key = family(1);
    assert!(rig.count(&key, 1).is_ok());
    let former = rig.server();
    rig.fail_over();
    rig.wait_for(|state| matches!(state, State::Closed(_)));
    assert_ne!(rig.server(), former);
    rig.pass(Duration::from_micros(62_999_999));
    let closed = try_count(&rig, &key, 9).unwrap_err();
    assert!(matches!(closed, RedisFailure::Closed { .. }), "{closed}");
    rig.pass(MICRO);
    assert!(try_count(&rig, &key, 1).is_ok());
    assert!(rig.count(&key, 1).is_err());

    // It was the master before, and comes back with what it knew then, of the same process.
    rig.set_marker(&[("failover", "0")]);
    let begun = rig.begin();
    assert_eq!(
        (begun.verdict, begun.closed_for),
        (Verdict::FailedOver, CLOSED_FOR)
    );
    assert_eq!(rig.begin().verdict, Verdict::Same);
}

#[test]
#[ignore = "needs sentinels"]
fn nothing_is_counted_in_a_master_that_sentinels_have_not_named_lately() {
    let rig = Rig::behind_sentinels();
    let clock = shared::base::clock::ManualClock::at(START);
    let place = rig.place();
    let (lines, _begun) = rig.wait(place.connect(&clock)).unwrap();
    let named_for = Duration::from_secs(2);
    for (later, expected) in [(named_for, true), (named_for + MICRO, false)] {
        let asked = clock.monotonic() + later;
        let counted = rig.wait(lines.count(&place, &family(1), 1, (asked, WAIT_MAX)));
        match counted {
            Ok(_reply) => assert!(expected),
            Err(failure) => assert!(
                !expected && matches!(failure, RedisFailure::Unconfirmed { .. }),
                "{failure}"
            ),
        }
    }
}

/// The address with some of its sentinels replaced by ports on which nobody listens.
fn with_missing(sentinels: &str, missing: usize) -> String {
    let (hosts, master) = sentinels
        .strip_prefix("redis+sentinel://")
        .and_then(|rest| rest.split_once('/'))
        .unwrap();
    let nowhere = (1..=missing).map(|port| format!("127.0.0.1:{port}"));
    let hosts: Vec<_> = nowhere
        .chain(hosts.split(',').skip(missing).map(str::to_owned))
        .collect();
    format!("redis+sentinel://{}/{master}", hosts.join(","))
}

#[test]
#[ignore = "needs sentinels"]
fn a_master_is_the_one_that_most_sentinels_name() {
    let sentinels = rig::service(rig::SENTINELS);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    for (missing, is_found) in [(1, true), (2, false)] {
        let place = rig::place(&with_missing(&sentinels, missing), "", "");
        let examined = runtime.block_on(RedisLimits::examine_place(place));
        match examined {
            Ok(examined) => assert!(is_found && !examined.keeps_all, "{examined:?}"),
            Err(failure) => {
                let said = failure.to_string();
                assert!(!is_found && said.contains(" named 127.0.0.1:"), "{said}");
                assert!(
                    said.contains(": 127.0.0.1:1, 127.0.0.1:2 could not be asked: "),
                    "{said}"
                );
                assert!(failure.hint().is_none());
            }
        }
    }
}

#[test]
#[ignore = "needs sentinels"]
fn who_names_what_is_no_sentinel_or_no_master_is_told_what_to_name() {
    let [redis, sentinels] = [rig::REDIS, rig::SENTINELS].map(rig::service);
    let first = sentinels.split(['/', ',']).nth(2).unwrap();
    let server = redis.split('/').nth(2).unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    for (address, expected) in [
        (
            format!("redis+sentinel://{first}/another"),
            "SENTINEL MASTERS",
        ),
        (
            format!("redis+sentinel://{server}/limits"),
            "name the sentinels",
        ),
        (format!("redis://{first}"), "redis+sentinel://HOST:PORT"),
    ] {
        let place = rig::place(&address, "", "");
        let refused = runtime.block_on(RedisLimits::examine_place(place));
        let hint = refused.unwrap_err().hint().unwrap();
        assert!(hint.contains(expected), "{address}: {hint}");
    }
}

#[test]
#[ignore = "needs a Redis Cluster"]
fn a_part_of_a_cluster_is_refused() {
    let clustered = rig::place(&rig::service(rig::CLUSTERED), "", "");
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let clock: Arc<dyn Clock> = Arc::new(shared::base::clock::ManualClock::at(START));
    let started = runtime.block_on(RedisLimits::in_place(clustered, clock));
    let refused = started.err().unwrap();
    assert!(matches!(refused, RedisFailure::Cluster { .. }), "{refused}");
    assert!(refused.hint().unwrap().contains("not part of a cluster"));
}
