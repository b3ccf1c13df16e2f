//! The clock of a server: virtual time, and a wall clock that may be wrong.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use shared::base::clock::{Clock, Moment};
use simulation::turns;

/// When every run begins: 2026-09-21T14:13:20Z.
pub(crate) const START: i64 = 1_790_000_000;

/// Both clocks of one machine.
#[derive(Default)]
pub(crate) struct ServerClock {
    /// How far the wall clock is ahead, in seconds.
    ahead: Mutex<i64>,
}

impl ServerClock {
    /// Puts the wall clock so many seconds ahead of the right time, or behind it.
    pub(crate) fn set_ahead(&self, seconds: i64) {
        *self.ahead.lock().unwrap_or_else(PoisonError::into_inner) = seconds;
    }
}

impl Clock for ServerClock {
    fn now(&self) -> Moment {
        let right = Moment {
            unix_nanos: START * 1_000_000_000,
            monotonic: Duration::ZERO,
        };
        let mut now = right.plus(turns::now());
        now.unix_nanos +=
            *self.ahead.lock().unwrap_or_else(PoisonError::into_inner) * 1_000_000_000;
        now
    }
}
