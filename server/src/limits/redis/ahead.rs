//! How far the store's clock is ahead of ours, and whether it was put forward.
//!
//! Windows use the store's clock. If that jumps forward, as after a virtual machine was paused,
//! requests leave their windows before a minute is over, and the store cannot tell. Our monotonic
//! clock can: it never jumps.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use crate::limits::minute::MINUTE;

/// How much the store's clock may gain on ours within a minute. Gradual adjustment gains less, and
/// a window is shorter by at most this.
const GAIN_MAX: Duration = Duration::from_millis(500);
/// Nothing is known yet.
const UNKNOWN: i64 = i64::MIN;

/// What the store's clock showed when ours showed zero, in microseconds: too high by at most the
/// time of a round trip, never too low.
#[derive(Debug)]
pub(super) struct Ahead {
    micros: AtomicI64,
    /// What our clock showed when that was reported.
    told_at: AtomicI64,
}

impl Ahead {
    pub(super) const fn unknown() -> Self {
        Self {
            micros: AtomicI64::new(UNKNOWN),
            told_at: AtomicI64::new(UNKNOWN),
        }
    }

    /// Records what the store's clock showed after a request was sent at `asked`.
    pub(super) fn learn(&self, asked: Duration, store_micros: i64) {
        let ahead = store_micros.saturating_sub(micros(asked));
        self.micros.store(ahead, Ordering::Relaxed);
        self.told_at.store(micros(asked), Ordering::Relaxed);
    }

    /// What the store's clock shows when ours shows `at`.
    pub(super) fn store_micros(&self, at: Duration) -> i64 {
        let ahead = self.micros.load(Ordering::Relaxed);
        ahead.saturating_add(micros(at))
    }

    /// Whether the store's clock must have jumped forward to show this time by then. A report more
    /// than a minute old proves nothing, and need not: what was counted then has left.
    pub(super) fn is_put_forward(&self, answered: Duration, store_micros: i64) -> bool {
        let told_at = self.told_at.load(Ordering::Relaxed);
        let is_known = micros(answered).saturating_sub(told_at) <= micros(MINUTE);
        is_known && self.store_micros(answered + GAIN_MAX) < store_micros
    }
}

fn micros(duration: Duration) -> i64 {
    i64::try_from(duration.as_micros()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_is_put_forward_if_it_gained_more_than_a_clock_gains_by_itself() {
        let started = 1_790_000_000_000_000;
        let ahead = Ahead::unknown();
        assert!(!ahead.is_put_forward(Duration::ZERO, started));
        ahead.learn(Duration::from_secs(7), started);
        for (answered_secs, gained_micros, is_put_forward) in [
            (7, 0, false),
            (7, -3_600_000_000, false),
            (7, 500_000, false),
            (7, 500_001, true),
            (67, 500_000, false),
            (67, 500_001, true),
            (68, 3_600_000_000, false),
        ] {
            let answered = Duration::from_secs(answered_secs);
            let shown = started + micros(answered) - 7_000_000 + gained_micros;
            assert_eq!(
                ahead.is_put_forward(answered, shown),
                is_put_forward,
                "{answered:?} {gained_micros}"
            );
        }
    }
}
