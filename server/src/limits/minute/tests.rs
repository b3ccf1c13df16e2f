//! The windows in memory: the common promises, and their own.

use shared::base::clock::{Clock, ManualClock};

use super::*;
use crate::limits::tests::store_tests::{self, START, Windows, family, promise, store_tests};

/// Windows and their clock.
struct InMemory {
    limits: RateLimits,
    clock: ManualClock,
}

impl InMemory {
    fn new() -> Self {
        Self {
            limits: RateLimits::default(),
            clock: ManualClock::at(START),
        }
    }
}

impl Windows for InMemory {
    fn count(&self, family: &KeyId, limit: u32) -> Result<Usage, Usage> {
        self.limits.count(family, limit, self.clock.now())
    }

    fn pass(&self, time: Duration) {
        self.clock.advance(time);
    }

    fn held(&self, family: &KeyId) -> usize {
        let shard = self.limits.shard(family);
        shard.of_family.get(family).map_or(0, |window| window.total)
    }
}

store_tests!([], InMemory::new(), 256);

#[test]
fn a_request_that_arrives_after_a_later_one_does_not_shorten_the_window() {
    let (limits, clock, key) = (RateLimits::default(), ManualClock::at(START), family(1));
    let early = clock.now();
    clock.advance(Duration::from_secs(10));
    assert!(limits.count(&key, 2, clock.now()).is_ok());
    assert!(limits.count(&key, 2, early).is_ok());
    clock.advance(Duration::from_secs(55));
    // A request of another family drops the idle ones; this one is not idle.
    assert!(limits.count(&family(2), 2, clock.now()).is_ok());
    assert!(limits.count(&key, 2, clock.now()).is_err());
}

#[test]
fn idle_families_are_forgotten() {
    let (limits, clock) = (RateLimits::default(), ManualClock::at(START));
    for number in 1..=2000 {
        assert!(limits.count(&family(number), 9, clock.now()).is_ok());
    }
    assert_eq!(families(&limits).len(), 2000);
    // Each shard forgets its own when it is used.
    clock.advance(MINUTE);
    for number in 2001..=4000 {
        assert!(limits.count(&family(number), 9, clock.now()).is_ok());
    }
    let left = families(&limits);
    assert_eq!(left.len(), 2000);
    assert!(left.iter().all(|left| family(2000) < *left));
}

fn families(limits: &RateLimits) -> Vec<KeyId> {
    let shards = limits.shards.iter().map(|shard| shard.lock());
    let of_shard = |shard: MutexGuard<'_, Shard>| shard.of_family.keys().cloned().collect();
    shards
        .flat_map(|shard| -> Vec<_> { of_shard(shard) })
        .collect()
}

#[test]
fn a_window_does_not_grow_with_its_limit_and_never_holds_more_than_it_in_a_minute() {
    const LIMIT: u32 = 1_000_000;
    let (limits, clock, key) = (RateLimits::default(), ManualClock::at(START), family(1));
    let count = || limits.count(&key, LIMIT, clock.now());
    let pause = Duration::from_micros(59);
    for request in 1..=LIMIT {
        assert_eq!(count().unwrap().remaining, u64::from(LIMIT - request));
        clock.advance(pause);
    }
    assert!(count().is_err());
    let times = limits.shard(&key).of_family[&key].counted.len();
    assert!(times <= EXACT_LIMIT_MAX as usize, "{times}");
    clock.advance(MINUTE.saturating_sub(LIMIT * pause));
    assert!(
        count().is_err(),
        "the first waits for the last of its grain"
    );
    clock.advance(Duration::from_nanos(GRAIN));
    // As many as there were in the first 10 ms, of which one is used now.
    assert_eq!(count().unwrap().remaining, 10_000 / 59);
}
