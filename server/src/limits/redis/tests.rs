//! Windows in a real Redis: what they promise, and what happens to requests when it fails.
//!
//! The script is that of servers, with the test's own clock.

mod faults;
mod proxy;
mod rig;
mod sentinels;

use futures_util::future::join_all;
use shared::base::clock::ManualClock;

use super::*;
use crate::limits::tests::store_tests::{self, START, Windows, family, promise, store_tests};
use rig::Rig;

store_tests!([ignore = "needs Redis"], Rig::start(), 16);

/// How long a request of these tests may wait: the machine may be busy.
const WAIT_MAX: Duration = Duration::from_mins(1);

#[test]
#[ignore = "needs Redis"]
fn servers_that_race_are_granted_exactly_the_limit_together() {
    const LIMIT: u32 = 100;
    let rig = Rig::start();
    let other = rig.another_server();
    let counted = rig.wait(async {
        let servers = [&rig.limits, &other];
        let attempts = (0..3 * LIMIT).flat_map(|_| servers);
        let (key, now) = (family(1), rig.now());
        let counting = attempts.map(|server| server.count(&key, LIMIT, now, WAIT_MAX));
        join_all(counting.collect::<Vec<_>>()).await
    });
    let granted = counted.iter().filter(|counted| counted.is_ok()).count();
    assert_eq!(granted, LIMIT as usize);
}

#[test]
#[ignore = "needs Redis"]
fn what_redis_refuses_takes_no_room_in_the_window_of_the_server() {
    let rig = Rig::start();
    let (other, key) = (rig.another_server(), family(1));
    assert!(rig.count(&key, 1).is_ok());
    rig.pass(Duration::from_secs(30));
    assert!(!rig.count_at(&other, &key, 1));
    rig.pass(Duration::from_secs(30));
    assert!(rig.count_at(&other, &key, 1));
}

#[test]
#[ignore = "needs Redis"]
fn a_store_that_loses_its_counts_lets_no_server_exceed_the_limit() {
    let rig = Rig::start();
    let key = family(1);
    for remaining in [2, 1] {
        assert_eq!(rig.count(&key, 3).unwrap().remaining, remaining);
    }
    rig.lose(&key);
    assert_eq!(rig.count(&key, 3).unwrap().remaining, 0);
    assert!(rig.count(&key, 3).is_err());
    let other = rig.another_server();
    assert!(rig.count_at(&other, &key, 3));
}

#[test]
#[ignore = "needs Redis"]
fn a_clock_that_is_put_back_keeps_a_window_closed_for_a_minute_at_most() {
    for (back, is_counted) in [(59, false), (61, true), (3600, true)] {
        let rig = Rig::start();
        let (other, key) = (rig.another_server(), family(1));
        assert!(rig.count(&key, 1).is_ok());
        rig.move_store(-back);
        assert_eq!(rig.count_at(&other, &key, 1), is_counted, "{back} s");
        rig.pass(Duration::from_mins(2));
        assert!(rig.count_at(&other, &key, 1), "{back} s");
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
fn windows_go_by_the_clock_of_the_store() {
    let rig = Rig::by_its_own_clock();
    let (other, key) = (rig.another_server(), family(1));
    assert!(rig.count(&key, 1).is_ok());
    assert!(!rig.count_at(&other, &key, 1));
    rig.age(&key);
    assert!(rig.count_at(&other, &key, 1));
}

#[test]
#[ignore = "needs Redis"]
fn a_server_does_not_start_on_a_store_that_lets_it_connect_but_not_count() {
    let rig = Rig::start();
    // The time is the test's own.
    for command in ["lindex", "llen", "ltrim", "rpush", "pexpire"] {
        let refused = rig.start_without(command).err().unwrap();
        let hint = refused.hint().unwrap();
        assert!(hint.contains(&command.to_uppercase()), "{hint}");
    }
}

#[test]
#[ignore = "needs Redis"]
fn a_script_that_the_store_forgot_is_loaded_again() {
    let rig = Rig::start();
    assert!(rig.count(&family(1), 2).is_ok());
    rig.forget_scripts();
    assert_eq!(rig.count(&family(1), 2).unwrap().remaining, 0);
    assert!(!rig.limits.is_alone());
}

#[test]
#[ignore = "needs Redis"]
fn a_window_that_is_no_list_of_times_is_counted_alone_and_all_others_together() {
    let rig = Rig::start();
    for (number, command) in [(1, "SET"), (2, "RPUSH")] {
        let (spoilt, other) = (family(number), family(number + 10));
        rig.spoil(&spoilt, command);
        for is_granted in [true, true, false] {
            assert_eq!(rig.count(&spoilt, 2).is_ok(), is_granted, "{command}");
        }
        assert!(!rig.limits.is_alone(), "{command}");
        assert!(rig.count(&other, 2).is_ok());
        assert_eq!(rig.held(&other), 1);
    }
}
