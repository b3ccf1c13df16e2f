//! A value that may be used only while it is confirmed: replaced and confirmed by one thread, and
//! read by many without a lock.

use std::sync::Arc;
use std::time::Duration;

use crate::base::primitives::Swap;
use crate::base::primitives::atomic::{AtomicU64, Ordering};

/// A value and the monotonic time at which it was last confirmed.
#[derive(Debug)]
pub(super) struct Confirmed<T> {
    value: Swap<T>,
    nanos: AtomicU64,
}

const NEVER: u64 = u64::MAX;

impl<T> Confirmed<T> {
    /// Replaces the value, or removes it. The new one is as old as the last confirmation.
    pub(super) fn replace(&self, value: Option<Arc<T>>) {
        self.value.store(value);
    }

    /// Whether there is a value, even if it is not confirmed.
    pub(super) fn is_there(&self) -> bool {
        self.value.load().is_some()
    }

    /// Confirms the value as of `time`.
    pub(super) fn confirm(&self, time: Duration) {
        let nanos = u64::try_from(time.as_nanos()).unwrap_or(NEVER);
        self.nanos.store(nanos, Ordering::Release);
    }

    /// When the value was last confirmed.
    pub(super) fn confirmed_at(&self) -> Option<Duration> {
        let nanos = self.nanos.load(Ordering::Acquire);
        (nanos != NEVER).then(|| Duration::from_nanos(nanos))
    }

    /// The result of `read` on the value, if it was confirmed within `age` before `now`.
    pub(super) fn read<R>(
        &self,
        age: Duration,
        now: Duration,
        read: impl FnOnce(&T) -> R,
    ) -> Option<R> {
        // This order makes the value at least as new as its confirmation.
        let nanos = self.nanos.load(Ordering::Acquire);
        let value = self.value.load();
        let value = value.as_ref().filter(|_value| nanos != NEVER)?;
        let is_confirmed = now.saturating_sub(Duration::from_nanos(nanos)) <= age;
        is_confirmed.then(|| read(value))
    }
}

impl<T> Default for Confirmed<T> {
    fn default() -> Self {
        Self {
            value: Swap::default(),
            nanos: AtomicU64::new(NEVER),
        }
    }
}
