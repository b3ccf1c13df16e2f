//! Windows in a real Redis: what they promise, and what happens to requests when it fails.
//!
//! The scripts are those of servers, with the test's own clock.

mod failover;
mod faults;
mod proxy;
mod rig;

use futures_util::future::join_all;

use super::*;
use crate::limits::contract::{self, START, Windows, contract, family, promise};
use rig::Rig;

contract!([ignore = "needs Redis"], Rig::start(), 16);

/// How long any request of these tests may wait.
const WAIT_MAX: Duration = Duration::from_secs(10);

#[test]
#[ignore = "needs Redis"]
fn servers_that_race_are_granted_exactly_the_limit_together() {
    const LIMIT: u32 = 100;
    let rig = Rig::start();
    let other = rig.another_server();
    let counted = rig.wait(async {
        let servers = [&rig.limits, &other];
        let attempts = (0..3 * LIMIT).flat_map(|_| servers);
        let key = family(1);
        let counting = attempts.map(|server| server.count(&key, LIMIT, WAIT_MAX));
        join_all(counting.collect::<Vec<_>>()).await
    });
    let granted = counted.iter().filter(|counted| counted.is_ok()).count();
    assert_eq!(granted, LIMIT as usize);
}

#[test]
#[ignore = "needs Redis"]
fn a_clock_that_is_put_back_closes_a_window_for_a_minute_at_most() {
    let rig = Rig::start();
    let key = family(1);
    assert!(rig.count(&key, 2).is_ok());
    rig.put_clock_back(Duration::from_hours(1));
    let usage = rig.count(&key, 2).unwrap();
    assert_eq!((usage.remaining, usage.retry_after_seconds), (0, 60));
    rig.pass(Duration::from_micros(59_999_999));
    assert!(rig.count(&key, 2).is_err());
    rig.pass(Duration::from_micros(1));
    assert!(rig.count(&key, 2).is_ok());
}

#[test]
#[ignore = "needs Redis"]
fn a_clock_that_is_put_forward_closes_every_window_for_a_minute() {
    // More than a request waits, so that it is late by the store's clock; and less.
    for step in [Duration::from_mins(1), Duration::from_millis(501)] {
        let rig = Rig::start();
        let key = family(1);
        assert!(rig.count(&key, 1).is_ok());
        rig.put_clock_forward(step);
        // Either this request notices, or a check did before.
        assert!(rig.try_count(&key, 1).is_err());
        rig.wait_for(|state| matches!(state, State::Closed(_)));
        rig.pass(Duration::from_micros(59_999_999));
        let closed = rig.try_count(&key, 9).unwrap_err();
        assert!(matches!(closed, RedisFailure::Closed { .. }), "{closed}");
        rig.pass(Duration::from_micros(1));
        assert!(rig.count(&key, 1).is_ok());
    }
}

#[test]
#[ignore = "needs Redis"]
fn windows_do_not_care_for_the_wall_clock_of_a_server() {
    const DAY: i64 = 24 * 60 * 60;
    let rig = Rig::start();
    let key = family(1);
    let first = rig.count(&key, 3).unwrap();
    for (jump, remaining) in [(DAY, 1), (-2 * DAY, 0)] {
        rig.jump_wall(jump);
        let usage = rig.count(&key, 3).unwrap();
        assert_eq!(
            (usage.remaining, usage.reset_unix_seconds),
            (remaining, first.reset_unix_seconds)
        );
    }
    rig.pass(Duration::from_micros(59_999_999));
    assert!(rig.count(&key, 3).is_err());
    rig.pass(Duration::from_micros(1));
    assert!(rig.count(&key, 3).is_ok());
}

#[test]
#[ignore = "needs Redis"]
fn a_server_does_not_start_on_a_store_that_lets_it_begin_but_not_count() {
    let rig = Rig::start();
    for command in ["lindex", "rpush", "del"] {
        let refused = rig.start_without(command).err().unwrap();
        let hint = refused.hint().unwrap();
        assert!(hint.contains(&command.to_uppercase()), "{hint}");
    }
}

#[test]
#[ignore = "needs Redis"]
fn a_lost_marker_closes_every_window_for_a_minute() {
    let rig = Rig::start();
    let key = family(1);
    rig.remove("limits");
    let lost = rig.try_count(&key, 9).unwrap_err();
    assert!(matches!(lost, RedisFailure::Lost { .. }), "{lost}");
    rig.wait_for(|state| matches!(state, State::Closed(_)));
    rig.pass(Duration::from_micros(59_999_999));
    let closed = rig.try_count(&key, 9).unwrap_err();
    assert!(matches!(closed, RedisFailure::Closed { .. }), "{closed}");
    rig.pass(Duration::from_micros(1));
    assert!(rig.count(&key, 9).is_ok());
}

#[test]
#[ignore = "needs Redis"]
fn another_process_is_trusted_only_where_both_keep_all_that_they_answer() {
    let rig = Rig::start();
    let minute = Duration::from_mins(1);
    for (former, verdict, closed_for) in [
        ("1", Verdict::Kept, Duration::ZERO),
        ("0", Verdict::Restarted, minute),
    ] {
        rig.set_marker(&[("run", "another"), ("keeps", former)]);
        let begun = rig.begin();
        assert_eq!((begun.verdict, begun.closed_for), (verdict, closed_for));
    }
    // It goes on where it was.
    rig.pass(minute / 2);
    let begun = rig.begin();
    assert_eq!(
        (begun.verdict, begun.closed_for),
        (Verdict::Same, minute / 2)
    );
}

#[test]
#[ignore = "needs Redis"]
fn a_store_is_new_only_if_somebody_says_so() {
    let rig = Rig::start();
    let minute = Duration::from_mins(1);
    rig.remove("limits");
    let begun = rig.begin();
    assert_eq!((begun.verdict, begun.closed_for), (Verdict::New, minute));
    let said = rig.init();
    assert_eq!((said.verdict, said.closed_for), (Verdict::There, minute));
    rig.remove("limits");
    assert_eq!(rig.init().verdict, Verdict::Made);
    assert_eq!(rig.begin().closed_for, Duration::ZERO);
}

#[test]
#[ignore = "needs Redis"]
fn scripts_that_the_store_forgot_are_loaded_again() {
    let rig = Rig::start();
    assert!(rig.count(&family(1), 2).is_ok());
    rig.forget_scripts();
    assert_eq!(rig.count(&family(1), 2).unwrap().remaining, 0);
}

#[test]
#[ignore = "needs Redis"]
fn windows_go_by_the_clock_of_the_store() {
    let rig = Rig::by_its_own_clock();
    let key = family(1);
    assert!(rig.count(&key, 1).is_ok());
    assert!(rig.count(&key, 1).is_err());
    rig.age(&key, Duration::from_mins(1));
    assert!(rig.count(&key, 1).is_ok());
}
