//! Warnings about what may happen a thousand times a second, logged once a minute.

use std::time::Duration;

use shared::base::clock::Moment;

/// Silence after a warning.
const SILENCE: Duration = Duration::from_mins(1);

/// One kind of warning.
#[derive(Debug, Default)]
pub(crate) struct LogThrottle {
    last: Option<Duration>,
    left_out: u64,
}

impl LogThrottle {
    /// Whether to warn now, with the number of warnings skipped since the last.
    pub(crate) fn due(&mut self, now: Moment) -> Option<u64> {
        let is_silent = |last| now.monotonic.saturating_sub(last) < SILENCE;
        if self.last.is_some_and(is_silent) {
            self.left_out += 1;
            return None;
        }
        self.last = Some(now.monotonic);
        Some(std::mem::take(&mut self.left_out))
    }
}

#[cfg(test)]
mod tests {
    use shared::base::clock::{Clock, ManualClock};

    use super::*;

    #[test]
    fn the_first_of_a_minute_is_let_through_and_the_others_are_counted() {
        let (clock, mut throttle) = (ManualClock::at(0), LogThrottle::default());
        assert_eq!(throttle.due(clock.now()), Some(0));
        clock.advance(Duration::from_millis(59_999));
        assert_eq!(throttle.due(clock.now()), None);
        assert_eq!(throttle.due(clock.now()), None);
        clock.advance(Duration::from_millis(1));
        assert_eq!(throttle.due(clock.now()), Some(2));
        assert_eq!(throttle.due(clock.now()), None);
    }
}
