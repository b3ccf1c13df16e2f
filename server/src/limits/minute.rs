//! The minute limit: how many requests of a key are counted in any 60 seconds.
//!
//! The window slides: it keeps the times of counted requests, so a burst at the edge of a fixed
//! minute is not admitted twice. It uses the monotonic clock, because a correction of the wall
//! clock must neither open nor close it. Windows are in memory; a restart begins with empty ones.

use std::collections::VecDeque;
use std::hash::BuildHasher;
use std::time::Duration;

use hashbrown::{DefaultHashBuilder, HashMap};
use parking_lot::{Mutex, MutexGuard};
use shared::base::clock::Moment;
use shared::keys::key::KeyId;

use super::usage::Usage;

/// Length of the window.
pub const MINUTE: Duration = Duration::from_mins(1);

/// Highest limit whose window keeps the time of every request. Above it, requests of one [`GRAIN`]
/// leave together with the last of them, so no window keeps more times, however high its limit.
const EXACT_LIMIT_MAX: u32 = 6_000;
/// How much longer than a minute a request may count against a higher limit, in nanoseconds.
const GRAIN: u64 = 10_000_000;

/// Families are divided among this many locks. Requests of other families mostly take another one,
/// and none is held long, not even to forget idle families.
const SHARDS: usize = 64;

/// Minute windows of all key families. A key and its rotations are one family and share a window.
#[derive(Debug)]
pub struct RateLimits {
    shards: Box<[Mutex<Shard>]>,
    hasher: DefaultHashBuilder,
}

/// The windows of some families.
#[derive(Debug, Default)]
struct Shard {
    /// Quickly hashed: ids of keys are ours.
    of_family: HashMap<KeyId, Window>,
    /// Monotonic time at which idle families were last forgotten.
    swept_at: Duration,
}

impl Default for RateLimits {
    /// Empty windows.
    fn default() -> Self {
        Self {
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
            hasher: DefaultHashBuilder::default(),
        }
    }
}

impl RateLimits {
    /// Counts a request of `family`, unless `limit` requests were counted in the last 60 seconds:
    /// then the usage is the error and the request is not counted. A changed limit applies to the
    /// existing window.
    pub fn count(&self, family: &KeyId, limit: u32, now: Moment) -> Result<Usage, Usage> {
        let mut shard = self.shard(family);
        shard.forget_idle_families(now.monotonic);
        match shard.of_family.get_mut(family) {
            Some(window) => window.count(limit, now),
            None => shard
                .of_family
                .entry(family.clone())
                .or_default()
                .count(limit, now),
        }
    }

    /// Takes back a request that was counted at `now`, and is not granted after all.
    pub(super) fn take_back(&self, family: &KeyId, now: Moment) {
        if let Some(window) = self.shard(family).of_family.get_mut(family) {
            window.take_back(now);
        }
    }

    fn shard(&self, family: &KeyId) -> MutexGuard<'_, Shard> {
        #[expect(clippy::cast_possible_truncation, reason = "any bits will do")]
        let shard = self.hasher.hash_one(family) as usize % SHARDS;
        self.shards[shard].lock()
    }
}

impl Shard {
    /// Runs once a minute, so that families of the last two minutes are kept.
    fn forget_idle_families(&mut self, now: Duration) {
        if now.saturating_sub(self.swept_at) < MINUTE {
            return;
        }
        self.swept_at = now;
        self.of_family.retain(|_, window| !window.is_idle(now));
        self.of_family.shrink_to_fit();
    }
}

/// The requests counted in the last minute, oldest first.
#[derive(Debug, Default)]
struct Window {
    counted: VecDeque<Together>,
    /// How many requests they are.
    total: usize,
}

/// Requests that leave the window together.
#[derive(Debug)]
struct Together {
    /// Monotonic time of the last of them, in nanoseconds.
    latest: u64,
    requests: u32,
}

impl Together {
    /// When they leave.
    fn end(&self) -> Duration {
        Duration::from_nanos(self.latest) + MINUTE
    }

    /// Whether a request of that time leaves with them.
    fn includes(&self, nanos: u64, limit: u32) -> bool {
        let is_of_grain = EXACT_LIMIT_MAX < limit && nanos / GRAIN == self.latest / GRAIN;
        nanos <= self.latest || is_of_grain
    }
}

impl Window {
    fn count(&mut self, limit: u32, now: Moment) -> Result<Usage, Usage> {
        while let Some(oldest) = self.counted.front()
            && oldest.end() <= now.monotonic
        {
            self.total -= oldest.requests as usize;
            self.counted.pop_front();
        }
        let capacity = usize::try_from(limit).unwrap_or(usize::MAX);
        if capacity <= self.total {
            return Err(self.usage(capacity, now));
        }
        self.add(now, limit);
        Ok(self.usage(capacity, now))
    }

    /// Threads read the clock before they get here, so a request may come after a later one.
    /// Counting both as simultaneous keeps the times in order and never counts too little.
    fn add(&mut self, now: Moment, limit: u32) {
        let nanos = nanos(now.monotonic);
        self.total += 1;
        match self.counted.back_mut() {
            Some(last) if last.includes(nanos, limit) => {
                last.latest = last.latest.max(nanos);
                last.requests += 1;
            }
            _ => self.counted.push_back(Together {
                latest: nanos,
                requests: 1,
            }),
        }
    }

    /// The request was counted at that time or, with or behind others, a little later.
    fn take_back(&mut self, now: Moment) {
        let nanos = nanos(now.monotonic);
        let index = self.counted.partition_point(|one| one.latest < nanos);
        let Some(counted) = self.counted.get_mut(index) else {
            return;
        };
        self.total -= 1;
        counted.requests -= 1;
        if counted.requests == 0 {
            self.counted.remove(index);
        }
    }

    /// The reset is when the oldest counted request leaves the window; after the limit was lowered,
    /// when enough of them have left.
    fn usage(&self, capacity: usize, now: Moment) -> Usage {
        let remaining = capacity.saturating_sub(self.total);
        let mut surplus = self.total.saturating_sub(capacity.max(1));
        let leaving = self.counted.iter().find(|one| {
            let is_it = surplus < one.requests as usize;
            surplus = surplus.saturating_sub(one.requests as usize);
            is_it
        });
        let end = leaving.map_or(now.monotonic + MINUTE, Together::end);
        let wait = end.saturating_sub(now.monotonic);
        Usage::new(
            capacity as u64,
            remaining as u64,
            now.plus(wait).unix_nanos,
            now,
        )
    }

    fn is_idle(&self, now: Duration) -> bool {
        self.counted.back().is_none_or(|latest| latest.end() <= now)
    }
}

/// Enough for centuries.
fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
