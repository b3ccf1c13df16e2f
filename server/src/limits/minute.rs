//! The minute limit: how many requests of a key are counted in any 60 seconds.
//!
//! The window slides and is exact: it keeps the time of every counted request, so a burst at the
//! edge of a fixed minute is not admitted twice. It uses the monotonic clock, because a correction
//! of the wall clock must neither open nor close it. Windows are in memory; a restart begins with
//! empty ones.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use hashbrown::HashMap;
use shared::base::clock::Moment;
use shared::keys::key::KeyId;

use super::usage::Usage;

/// Length of the window.
pub const MINUTE: Duration = Duration::from_mins(1);

/// Minute windows of all key families. A key and its rotations are one family and share a window.
#[derive(Debug, Default)]
pub struct RateLimits {
    windows: Mutex<Windows>,
}

#[derive(Debug, Default)]
struct Windows {
    /// Quickly hashed: ids of keys are ours.
    of_family: HashMap<KeyId, Window>,
    /// Monotonic time at which idle families were last forgotten.
    swept_at: Duration,
}

impl RateLimits {
    /// Empty windows.
    pub fn new() -> Self {
        Self::default()
    }

    /// Counts a request of `family`, unless `limit` requests were counted in the last 60 seconds:
    /// then the usage is the error and the request is not counted. A changed limit applies to the
    /// existing window.
    pub fn count(&self, family: &KeyId, limit: u32, now: Moment) -> Result<Usage, Usage> {
        let mut windows = self.windows.lock().unwrap_or_else(PoisonError::into_inner);
        windows.forget_idle_families(now.monotonic);
        match windows.of_family.get_mut(family) {
            Some(window) => window.count(limit, now),
            None => windows
                .of_family
                .entry(family.clone())
                .or_default()
                .count(limit, now),
        }
    }

    /// Takes back a request that was counted at `now`, and is not granted after all.
    pub(super) fn take_back(&self, family: &KeyId, now: Moment) {
        let mut windows = self.windows.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(window) = windows.of_family.get_mut(family) {
            window.take_back(now);
        }
    }
}

impl Windows {
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

/// Monotonic times of the requests counted in the last minute, oldest first.
#[derive(Debug, Default)]
struct Window {
    counted: VecDeque<Duration>,
}

impl Window {
    fn count(&mut self, limit: u32, now: Moment) -> Result<Usage, Usage> {
        // Threads read the clock before they get here, so a request may come after a later one.
        // Counting both as simultaneous keeps the times in order and never counts too little.
        let latest = self.counted.back().copied().unwrap_or_default();
        let time = now.monotonic.max(latest);
        while self
            .counted
            .front()
            .is_some_and(|&oldest| oldest + MINUTE <= time)
        {
            self.counted.pop_front();
        }
        let capacity = usize::try_from(limit).unwrap_or(usize::MAX);
        if capacity <= self.counted.len() {
            return Err(self.usage(capacity, now));
        }
        self.counted.push_back(time);
        Ok(self.usage(capacity, now))
    }

    /// The request was counted at that time or, behind others, a little later.
    fn take_back(&mut self, now: Moment) {
        let index = self.counted.partition_point(|&time| time < now.monotonic);
        self.counted.remove(index);
    }

    /// The reset is when the oldest counted request leaves the window; after the limit was lowered,
    /// when enough of them have left.
    fn usage(&self, capacity: usize, now: Moment) -> Usage {
        let remaining = capacity.saturating_sub(self.counted.len());
        let surplus = self.counted.len().saturating_sub(capacity.max(1));
        let oldest = self.counted.get(surplus).copied().unwrap_or(now.monotonic);
        let wait = (oldest + MINUTE).saturating_sub(now.monotonic);
        Usage::new(
            capacity as u64,
            remaining as u64,
            now.plus(wait).unix_nanos,
            now,
        )
    }

    fn is_idle(&self, now: Duration) -> bool {
        self.counted
            .back()
            .is_none_or(|&latest| latest + MINUTE <= now)
    }
}

#[cfg(test)]
mod tests;
