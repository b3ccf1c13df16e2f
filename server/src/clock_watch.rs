//! Whether the wall clock keeps pace with the monotonic clock.
//!
//! Nothing here corrects anything: limits and quotas follow the clock by themselves. But renewals,
//! expiry and log entries depend on the wall clock, so a jump should be known.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use shared::base::clock::Moment;

/// Pause between two checks.
pub(crate) const INTERVAL: Duration = Duration::from_secs(1);

/// A clock that is adjusted gradually never drifts this far between two checks.
const JUMP_MIN: Duration = Duration::from_secs(2);

/// The state of the clocks at the last check.
#[derive(Debug)]
pub(crate) struct ClockWatch {
    /// How far the wall clock is ahead of the monotonic one, in nanoseconds.
    offset: AtomicI64,
    /// Monotonic time up to which moments are from before a known jump.
    known_until: AtomicU64,
    jumps: AtomicU64,
}

impl ClockWatch {
    /// A watch that starts `now`.
    pub(crate) fn new(now: Moment) -> Self {
        Self {
            offset: AtomicI64::new(clock_offset(now)),
            known_until: AtomicU64::new(0),
            jumps: AtomicU64::new(0),
        }
    }

    /// Number of jumps.
    pub(crate) fn jumps(&self) -> u64 {
        self.jumps.load(Ordering::Relaxed)
    }

    /// A regular check, which follows a clock that is adjusted gradually.
    pub(crate) fn check(&self, now: Moment) {
        self.notice(now);
        self.offset.store(clock_offset(now), Ordering::Relaxed);
    }

    /// Logs and counts a jump, also one that is over before the next check. It runs at every
    /// request, and takes a few instructions if there was none.
    pub(crate) fn notice(&self, now: Moment) {
        let (before, after) = (self.offset.load(Ordering::Relaxed), clock_offset(now));
        if is_jump(before, after) {
            self.jumped(before, after, now);
        }
    }

    #[cold]
    fn jumped(&self, before: i64, after: i64, now: Moment) {
        let at = u64::try_from(now.monotonic.as_nanos()).unwrap_or(u64::MAX);
        if at < self.known_until.load(Ordering::Relaxed) {
            return;
        }
        let noticed =
            self.offset
                .compare_exchange(before, after, Ordering::Relaxed, Ordering::Relaxed);
        if noticed.is_err() {
            return;
        }
        self.known_until.store(at, Ordering::Relaxed);
        self.jumps.fetch_add(1, Ordering::Relaxed);
        let direction = if before < after { "forward" } else { "back" };
        let seconds = far(before, after).as_secs();
        tracing::warn!(
            clock.jump_seconds = seconds,
            clock.jump_direction = direction,
            "the wall clock of this machine jumped {direction} by {seconds} s; quotas and expiry \
             follow it: see that it is right (timedatectl)"
        );
    }
}

/// Whether the wall clock jumped from one offset to the other, both in nanoseconds.
fn is_jump(before: i64, after: i64) -> bool {
    JUMP_MIN <= far(before, after)
}

fn far(before: i64, after: i64) -> Duration {
    Duration::from_nanos(after.abs_diff(before))
}

fn clock_offset(now: Moment) -> i64 {
    let monotonic = i64::try_from(now.monotonic.as_nanos()).unwrap_or(i64::MAX);
    now.unix_nanos.saturating_sub(monotonic)
}

#[cfg(test)]
mod tests {
    use shared::base::clock::{Clock, ManualClock};

    use super::*;

    #[test]
    fn a_jump_is_what_the_clocks_differ_by_and_not_the_time_that_passes() {
        let table = [
            (0, false),
            (1, false),
            (-1, false),
            (2, true),
            (-2, true),
            (8_000_000_000, true),
            (-1_790_000_000, true),
        ];
        for (seconds, expected) in table {
            let clock = ManualClock::at(0);
            let last = clock.now();
            clock.advance(Duration::from_hours(1));
            clock.jump_wall(seconds);
            let (before, after) = (clock_offset(last), clock_offset(clock.now()));
            assert_eq!(is_jump(before, after), expected, "{seconds}");
            let by = Duration::from_secs(seconds.unsigned_abs());
            assert_eq!(far(before, after), by, "{seconds}");
        }
    }

    #[test]
    fn each_jump_is_counted_once() {
        let clock = ManualClock::at(1_790_000_000);
        let watch = ClockWatch::new(clock.now());
        for (jump, jumps) in [(0, 0), (0, 0), (90, 1), (0, 1), (-90, 2), (0, 2)] {
            clock.jump_wall(jump);
            watch.check(clock.now());
            assert_eq!(watch.jumps(), jumps);
            clock.advance(INTERVAL);
        }
    }

    #[test]
    fn a_jump_that_one_request_sees_is_noticed() {
        let clock = ManualClock::at(1_790_000_000);
        let watch = ClockWatch::new(clock.now());
        let under_way = clock.now();
        clock.advance(Duration::from_millis(1));
        for (jump, jumps) in [(0, 0), (9_000_000, 1), (0, 1), (-9_000_000, 2)] {
            clock.jump_wall(jump);
            watch.notice(clock.now());
            // A request that began before the jump reports nothing new.
            watch.notice(under_way);
            assert_eq!(watch.jumps(), jumps);
            clock.advance(Duration::from_millis(1));
        }
    }

    #[test]
    fn a_clock_that_is_set_right_little_by_little_does_not_jump() {
        let clock = ManualClock::at(1_790_000_000);
        let watch = ClockWatch::new(clock.now());
        for _second in 0..9 {
            clock.jump_wall(1);
            watch.check(clock.now());
            clock.advance(INTERVAL);
        }
        assert_eq!(watch.jumps(), 0);
    }
}
