//! What minute windows promise wherever they are: tests of the trait, run for each implementation.

use std::time::Duration;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use shared::keys::key::KeyId;

use crate::limits::minute::MINUTE;
use crate::limits::usage::Usage;

/// When every test begins, Unix time in seconds.
pub(in crate::limits) const START: i64 = 1_790_000_000;

/// Minute windows and their clock.
pub(in crate::limits) trait Windows {
    /// Counts a request now, unless the window is full.
    fn count(&self, family: &KeyId, limit: u32) -> Result<Usage, Usage>;

    /// Lets time pass.
    fn pass(&self, time: Duration);

    /// How many requests the window of a family holds.
    fn held(&self, family: &KeyId) -> usize;
}

/// A promise as a test, with the attribute in brackets if there is one.
macro_rules! promise {
    ([$($attribute:meta)?] $promise:ident($($argument:expr),+)) => {
        #[test]
        $(#[$attribute])?
        fn $promise() {
            store_tests::$promise($($argument),+);
        }
    };
}

/// Every promise as a test of the windows that `$start` returns.
macro_rules! store_tests {
    ($attribute:tt, $start:expr, $cases:expr) => {
        promise!($attribute a_request_is_counted_for_exactly_60_seconds(&$start));
        promise!($attribute keys_of_other_families_have_their_own_windows(&$start));
        promise!($attribute a_changed_limit_applies_at_once_and_to_what_is_counted_already(&$start));
        promise!($attribute a_refused_request_is_not_counted(&$start));
        promise!($attribute the_window_agrees_with_a_list_of_all_requests(&$start, $cases));
    };
}

pub(in crate::limits) use {promise, store_tests};

/// The family of that number.
pub(in crate::limits) fn family(number: u32) -> KeyId {
    KeyId::parse(&format!("key_{number:016}")).unwrap()
}

pub(in crate::limits) fn a_request_is_counted_for_exactly_60_seconds(windows: &impl Windows) {
    let key = family(1);
    let usage = |remaining, reset_unix_seconds, retry_after_seconds| Usage {
        limit: 2,
        remaining,
        reset_unix_seconds,
        retry_after_seconds,
    };
    assert_eq!(windows.count(&key, 2), Ok(usage(1, START + 60, 60)));
    windows.pass(Duration::from_millis(10_500));
    assert_eq!(windows.count(&key, 2), Ok(usage(0, START + 60, 50)));
    windows.pass(Duration::from_micros(49_499_999));
    assert_eq!(windows.count(&key, 2), Err(usage(0, START + 60, 1)));
    windows.pass(Duration::from_micros(1));
    assert_eq!(windows.count(&key, 2), Ok(usage(0, START + 71, 11)));
}

pub(in crate::limits) fn keys_of_other_families_have_their_own_windows(windows: &impl Windows) {
    assert!(windows.count(&family(1), 1).is_ok());
    assert!(windows.count(&family(1), 1).is_err());
    assert!(windows.count(&family(2), 1).is_ok());
}

pub(in crate::limits) fn a_changed_limit_applies_at_once_and_to_what_is_counted_already(
    windows: &impl Windows,
) {
    let key = family(1);
    for _request in 0..4 {
        assert!(windows.count(&key, 4).is_ok());
        windows.pass(Duration::from_secs(10));
    }
    // Three of the four must leave before a limit of two admits one: 20 s after the start.
    let lowered = windows.count(&key, 2).unwrap_err();
    assert_eq!(
        (lowered.remaining, lowered.reset_unix_seconds),
        (0, START + 80)
    );
    let raised = windows.count(&key, 6).unwrap();
    assert_eq!((raised.limit, raised.remaining), (6, 1));
    assert!(windows.count(&key, 0).is_err());
}

pub(in crate::limits) fn a_refused_request_is_not_counted(windows: &impl Windows) {
    let key = family(1);
    assert!(windows.count(&key, 1).is_ok());
    windows.pass(MINUTE / 2);
    for _attempt in 0..3 {
        assert!(windows.count(&key, 1).is_err());
    }
    windows.pass(MINUTE / 2);
    assert!(windows.count(&key, 1).is_ok());
    assert_eq!(windows.held(&key), 1);
}

pub(in crate::limits) fn the_window_agrees_with_a_list_of_all_requests(
    windows: &impl Windows,
    cases: u32,
) {
    let config = Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    };
    let case = (
        any::<u32>(),
        prop::collection::vec((0_u64..25_000, 0_u32..6), 1..80),
    );
    let agrees = |(number, requests)| agrees_with_a_list(windows, &family(number), requests);
    TestRunner::new(config).run(&case, agrees).unwrap();
}

fn agrees_with_a_list(
    windows: &impl Windows,
    key: &KeyId,
    requests: Vec<(u64, u32)>,
) -> Result<(), TestCaseError> {
    windows.pass(MINUTE);
    let (mut now, mut counted) = (Duration::ZERO, Vec::new());
    for (wait_millis, limit) in requests {
        let wait = Duration::from_millis(wait_millis);
        windows.pass(wait);
        now += wait;
        let recent = |&&time: &&Duration| now < time + MINUTE;
        let is_free = counted.iter().filter(recent).count() < limit as usize;
        let answer = windows.count(key, limit);
        prop_assert_eq!(answer.is_ok(), is_free);
        if is_free {
            counted.push(now);
        }
        let kept = counted.iter().filter(recent).count();
        let remaining = u64::from(limit).saturating_sub(kept as u64);
        let usage = answer.unwrap_or_else(|refused| refused);
        prop_assert_eq!(
            (usage.limit, usage.remaining),
            (u64::from(limit), remaining)
        );
        // A request that waits as long as told is admitted, unless none ever is.
        let later = now + Duration::from_secs(usage.retry_after_seconds);
        let still = counted
            .iter()
            .filter(|&&time| later < time + MINUTE)
            .count();
        prop_assert!(is_free || limit == 0 || still < limit as usize);
        prop_assert!(windows.held(key) <= kept);
    }
    Ok(())
}
