//! Whether the wall clock goes on as the monotonic clock does.
//!
//! Nothing here mends anything: limits and quotas follow the clock by themselves. But renewals,
//! expiry and what is written down go by the wall clock, so a jump is something to know of.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use shared::clock::Moment;

use crate::app::App;
use crate::repeating::{Repeating, repeat};

/// Pause between two looks.
const INTERVAL: Duration = Duration::from_secs(1);

/// A clock that is set right little by little never gets so far between two looks.
const JUMP_MIN: Duration = Duration::from_secs(2);

/// What was seen of the clocks.
#[derive(Debug, Default)]
pub(crate) struct ClockWatch {
    last: Mutex<Option<Moment>>,
    jumps: AtomicU64,
}

/// How far the wall clock jumped.
#[derive(Debug, PartialEq, Eq)]
enum Jump {
    Forward(Duration),
    Back(Duration),
}

/// Starts to look at the clock of an app, at once and then every second.
pub(crate) fn watch_clock(app: Arc<App>) -> io::Result<Repeating> {
    repeat("clock", INTERVAL, move || app.look_at_clock())
}

impl ClockWatch {
    /// Times that it jumped.
    pub(crate) fn jumps(&self) -> u64 {
        self.jumps.load(Ordering::Relaxed)
    }

    /// Logs and counts a jump since the last look.
    pub(crate) fn look(&self, now: Moment) {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let jump = last.replace(now).and_then(|last| Jump::between(last, now));
        let (by, direction) = match jump {
            None => return,
            Some(Jump::Forward(by)) => (by, "forward"),
            Some(Jump::Back(by)) => (by, "back"),
        };
        self.jumps.fetch_add(1, Ordering::Relaxed);
        let seconds = by.as_secs();
        tracing::warn!(
            clock.jump_seconds = seconds,
            clock.jump_direction = direction,
            "the wall clock of this machine jumped {direction} by {seconds} s; quotas and expiry \
             follow it: see that it is right (timedatectl)"
        );
    }
}

impl Jump {
    fn between(last: Moment, now: Moment) -> Option<Self> {
        let by = now.unix_nanos.saturating_sub(last.unix_nanos);
        let by = i128::from(by) - elapsed_nanos(last, now);
        let far = u64::try_from(by.unsigned_abs()).map_or(Duration::MAX, Duration::from_nanos);
        match by {
            _ if far < JUMP_MIN => None,
            0.. => Some(Self::Forward(far)),
            _ => Some(Self::Back(far)),
        }
    }
}

fn elapsed_nanos(last: Moment, now: Moment) -> i128 {
    let elapsed = now.monotonic.saturating_sub(last.monotonic);
    i128::try_from(elapsed.as_nanos()).unwrap_or(i128::MAX)
}

#[cfg(test)]
mod tests {
    use shared::clock::{Clock, ManualClock};

    use super::*;

    #[test]
    fn a_jump_is_what_the_clocks_differ_by_and_not_the_time_that_passes() {
        let table = [
            (0, None),
            (1, None),
            (-1, None),
            (2, Some(Jump::Forward(Duration::from_secs(2)))),
            (-2, Some(Jump::Back(Duration::from_secs(2)))),
            (
                8_000_000_000,
                Some(Jump::Forward(Duration::from_secs(8_000_000_000))),
            ),
            (
                -1_790_000_000,
                Some(Jump::Back(Duration::from_secs(1_790_000_000))),
            ),
        ];
        for (seconds, expected) in table {
            let clock = ManualClock::at(0);
            let last = clock.now();
            clock.advance(Duration::from_hours(1));
            clock.jump_wall(seconds);
            assert_eq!(Jump::between(last, clock.now()), expected, "{seconds}");
        }
    }

    #[test]
    fn each_jump_is_counted_once() {
        let (clock, watch) = (ManualClock::at(1_790_000_000), ClockWatch::default());
        for (jump, jumps) in [(0, 0), (0, 0), (90, 1), (0, 1), (-90, 2), (0, 2)] {
            clock.jump_wall(jump);
            watch.look(clock.now());
            assert_eq!(watch.jumps(), jumps);
            clock.advance(INTERVAL);
        }
    }
}
