//! The window against a naive model, at its edges, and under threads.

use std::sync::Arc;

use proptest::prelude::*;
use shared::clock::{Clock, ManualClock};

use super::*;

const START: i64 = 1_790_000_000;

fn family(letter: char) -> KeyId {
    let random: String = std::iter::repeat_n(letter, 16).collect();
    KeyId::parse(&format!("key_{random}")).unwrap()
}

#[test]
fn a_request_is_counted_for_exactly_60_seconds() {
    let (limits, clock, key) = (RateLimits::new(), ManualClock::at(START), family('a'));
    let usage = |remaining, reset_unix_seconds, retry_after_seconds| Usage {
        limit: 2,
        remaining,
        reset_unix_seconds,
        retry_after_seconds,
    };
    assert_eq!(
        limits.count(&key, 2, clock.now()),
        Ok(usage(1, START + 60, 60))
    );
    clock.advance(Duration::from_millis(10_500));
    assert_eq!(
        limits.count(&key, 2, clock.now()),
        Ok(usage(0, START + 60, 50))
    );
    clock.advance(Duration::from_nanos(49_499_999_999));
    assert_eq!(
        limits.count(&key, 2, clock.now()),
        Err(usage(0, START + 60, 1))
    );
    clock.advance(Duration::from_nanos(1));
    assert_eq!(
        limits.count(&key, 2, clock.now()),
        Ok(usage(0, START + 71, 11))
    );
}

#[test]
fn keys_of_other_families_have_their_own_windows() {
    let (limits, clock) = (RateLimits::new(), ManualClock::at(START));
    assert!(limits.count(&family('a'), 1, clock.now()).is_ok());
    assert!(limits.count(&family('a'), 1, clock.now()).is_err());
    assert!(limits.count(&family('b'), 1, clock.now()).is_ok());
}

#[test]
fn a_jump_of_the_wall_clock_neither_opens_nor_closes_the_window() {
    for jump in [-86_400, 86_400] {
        let (limits, clock, key) = (RateLimits::new(), ManualClock::at(START), family('a'));
        assert!(limits.count(&key, 1, clock.now()).is_ok());
        clock.jump_wall(jump);
        let refused = limits.count(&key, 1, clock.now()).unwrap_err();
        assert_eq!(refused.reset_unix_seconds, START + jump + 60);
        assert_eq!(refused.retry_after_seconds, 60);
        clock.advance(MINUTE);
        assert!(limits.count(&key, 1, clock.now()).is_ok());
    }
}

#[test]
fn a_changed_limit_applies_at_once_and_to_what_is_counted_already() {
    let (limits, clock, key) = (RateLimits::new(), ManualClock::at(START), family('a'));
    for _request in 0..4 {
        assert!(limits.count(&key, 4, clock.now()).is_ok());
        clock.advance(Duration::from_secs(10));
    }
    // Three of the four have to leave before a limit of two lets one in: 20 s after the start.
    let lowered = limits.count(&key, 2, clock.now()).unwrap_err();
    assert_eq!(
        (lowered.remaining, lowered.reset_unix_seconds),
        (0, START + 80)
    );
    let raised = limits.count(&key, 6, clock.now()).unwrap();
    assert_eq!((raised.limit, raised.remaining), (6, 1));
    assert!(limits.count(&key, 0, clock.now()).is_err());
}

#[test]
fn a_request_that_arrives_after_a_later_one_does_not_shorten_the_window() {
    let (limits, clock, key) = (RateLimits::new(), ManualClock::at(START), family('a'));
    let early = clock.now();
    clock.advance(Duration::from_secs(10));
    assert!(limits.count(&key, 2, clock.now()).is_ok());
    assert!(limits.count(&key, 2, early).is_ok());
    clock.advance(Duration::from_secs(55));
    // The request of another family makes the idle ones be forgotten; this one is not idle.
    assert!(limits.count(&family('b'), 2, clock.now()).is_ok());
    assert!(limits.count(&key, 2, clock.now()).is_err());
}

#[test]
fn idle_families_are_forgotten() {
    let (limits, clock) = (RateLimits::new(), ManualClock::at(START));
    for letter in 'a'..='z' {
        assert!(limits.count(&family(letter), 9, clock.now()).is_ok());
    }
    clock.advance(MINUTE);
    assert!(limits.count(&family('A'), 9, clock.now()).is_ok());
    let windows = limits.windows.lock().unwrap();
    assert_eq!(windows.of_family.keys().collect::<Vec<_>>(), [&family('A')]);
}

#[test]
fn threads_that_race_are_granted_exactly_the_limit() {
    const LIMIT: u32 = 1000;
    let limits = Arc::new(RateLimits::new());
    let clock = Arc::new(ManualClock::at(START));
    let threads: Vec<_> = (0..8)
        .map(|_thread| {
            let (limits, clock) = (Arc::clone(&limits), Arc::clone(&clock));
            std::thread::spawn(move || {
                let attempt = |_attempt: &u32| {
                    clock.advance(Duration::from_micros(1));
                    limits.count(&family('a'), LIMIT, clock.now()).is_ok()
                };
                (0..LIMIT).filter(attempt).count()
            })
        })
        .collect();
    let granted: usize = threads
        .into_iter()
        .map(|thread| thread.join().unwrap())
        .sum();
    assert_eq!(granted, LIMIT as usize);
}

proptest! {
    #[test]
    fn the_window_agrees_with_a_list_of_all_requests(
        requests in prop::collection::vec((0_u64..25_000, 0_u32..6), 1..80),
    ) {
        let (limits, clock, key) = (RateLimits::new(), ManualClock::at(START), family('a'));
        let mut counted: Vec<Duration> = Vec::new();
        for (wait_millis, limit) in requests {
            clock.advance(Duration::from_millis(wait_millis));
            let now = clock.now();
            let recent = |&&time: &&Duration| now.monotonic < time + MINUTE;
            let is_free = counted.iter().filter(recent).count() < limit as usize;
            let answer = limits.count(&key, limit, now);
            prop_assert_eq!(answer.is_ok(), is_free);
            if is_free {
                counted.push(now.monotonic);
            }
            let kept = counted.iter().filter(recent).count();
            let remaining = u64::from(limit).saturating_sub(kept as u64);
            let usage = answer.unwrap_or_else(|refused| refused);
            prop_assert_eq!((usage.limit, usage.remaining), (u64::from(limit), remaining));
            // Whoever waits as long as told is let in, unless nobody ever is.
            let later = now.plus(Duration::from_secs(usage.retry_after_seconds));
            let still = counted.iter().filter(|&&time| later.monotonic < time + MINUTE).count();
            prop_assert!(is_free || limit == 0 || still < limit as usize);
            let window = &limits.windows.lock().unwrap().of_family[&key];
            prop_assert!(window.counted.len() <= kept);
        }
    }
}
