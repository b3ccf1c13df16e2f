//! A Redis that sentinels name.

use shared::base::clock::SystemClock;

use super::*;

#[test]
#[ignore = "needs sentinels"]
fn a_failover_is_followed_and_no_request_is_refused() {
    let rig = Rig::behind_sentinels();
    let key = family(1);
    let former = rig.server();
    assert!(rig.count(&key, 100_000).is_ok());
    rig.fail_over();
    let clock = SystemClock::new();
    let latest = clock.monotonic() + Duration::from_mins(1);
    let count_in_another = || {
        let before = rig.held(&key);
        assert!(rig.count(&key, 100_000).is_ok());
        rig.server() != former && before < rig.held(&key)
    };
    while !count_in_another() {
        assert!(clock.monotonic() < latest, "the failover was not followed");
    }
}

#[test]
#[ignore = "needs sentinels"]
fn a_sentinel_that_is_gone_is_passed_over() {
    let sentinels = rig::service(rig::SENTINELS);
    let (_first, others) = sentinels.split_once(',').unwrap();
    // Nobody listens on port 1.
    let address = format!("redis+sentinel://127.0.0.1:1,{others}");
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let examined = runtime.block_on(RedisLimits::examine(address.parse().unwrap()));
    assert!(examined.unwrap().server.starts_with("127.0.0.1:"));
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
        let refused = runtime.block_on(RedisLimits::examine(address.parse().unwrap()));
        let hint = refused.unwrap_err().hint().unwrap();
        assert!(hint.contains(expected), "{address}: {hint}");
    }
}

#[test]
#[ignore = "needs sentinels"]
fn a_server_starts_while_no_sentinel_names_its_master() {
    let sentinels = rig::service(rig::SENTINELS);
    let address = sentinels.replace("/limits/", "/another/");
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let clock = Arc::new(ManualClock::at(START));
    let started = runtime.block_on(RedisLimits::start(address.parse().unwrap(), clock));
    assert!(started.unwrap().is_alone());
}
