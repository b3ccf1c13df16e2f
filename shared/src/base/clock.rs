//! The one place that reads the time.
//!
//! Everything else receives a [`Moment`] or a [`Clock`], so that tests choose the time and no
//! result depends on when it was computed. A moment carries both readings because they answer
//! different questions: wall time names instants for people and for renewals, monotonic time
//! measures windows and ages and never jumps.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use parking_lot::Mutex;

/// One reading of both clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// Wall time, nanoseconds since the Unix epoch.
    pub unix_nanos: i64,
    /// Time since the clock was made; never decreases.
    pub monotonic: Duration,
}

/// Wall time in milliseconds since the Unix epoch, for what whole seconds are too coarse for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnixMillis(pub i64);

impl UnixMillis {
    /// The same in whole seconds, rounded down.
    pub const fn unix_seconds(self) -> i64 {
        self.0.div_euclid(1000)
    }

    /// So much later.
    #[must_use]
    pub fn plus(self, duration: Duration) -> Self {
        let millis = i64::try_from(duration.as_millis()).unwrap_or(i64::MAX);
        Self(self.0.saturating_add(millis))
    }
}

/// Of whole seconds.
impl From<i64> for UnixMillis {
    fn from(unix_seconds: i64) -> Self {
        Self(unix_seconds.saturating_mul(1000))
    }
}

impl From<Moment> for UnixMillis {
    fn from(moment: Moment) -> Self {
        Self(moment.unix_millis())
    }
}

impl Moment {
    /// Wall time in whole seconds, rounded down.
    pub const fn unix_seconds(self) -> i64 {
        self.unix_nanos.div_euclid(1_000_000_000)
    }

    /// Wall time in whole milliseconds, rounded down.
    pub const fn unix_millis(self) -> i64 {
        self.unix_nanos.div_euclid(1_000_000)
    }

    /// This moment moved forward on both clocks.
    #[must_use]
    pub fn plus(self, duration: Duration) -> Self {
        let nanos = i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX);
        Self {
            unix_nanos: self.unix_nanos.saturating_add(nanos),
            monotonic: self.monotonic.saturating_add(duration),
        }
    }
}

/// A source of moments.
pub trait Clock: Send + Sync {
    /// The current moment.
    fn now(&self) -> Moment;

    /// The monotonic reading alone, where that is all that is asked for: half of the work.
    fn monotonic(&self) -> Duration {
        self.now().monotonic
    }
}

/// The operating system's clocks.
#[derive(Debug)]
pub struct SystemClock {
    started: Instant,
}

impl SystemClock {
    /// A clock whose monotonic reading starts at zero.
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the one place that reads the time"
    )]
    pub fn new() -> Self {
        Self {
            started: Instant::now(),
        }
    }
}

impl Default for SystemClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for SystemClock {
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the one place that reads the time"
    )]
    fn now(&self) -> Moment {
        let unix_nanos = match SystemTime::now().duration_since(UNIX_EPOCH) {
            Ok(since) => i64::try_from(since.as_nanos()).unwrap_or(i64::MAX),
            Err(before) => -i64::try_from(before.duration().as_nanos()).unwrap_or(i64::MAX),
        };
        Moment {
            unix_nanos,
            monotonic: self.monotonic(),
        }
    }

    fn monotonic(&self) -> Duration {
        self.started.elapsed()
    }
}

/// A clock that stands still until it is moved: for tests, and for commands that must give the
/// same output twice.
#[derive(Debug)]
pub struct ManualClock {
    now: Mutex<Moment>,
}

impl ManualClock {
    /// A clock that shows `unix_seconds` and a monotonic reading of zero.
    pub fn at(unix_seconds: i64) -> Self {
        let now = Moment {
            unix_nanos: unix_seconds * 1_000_000_000,
            monotonic: Duration::ZERO,
        };
        Self {
            now: Mutex::new(now),
        }
    }

    /// Moves both readings forward.
    pub fn advance(&self, duration: Duration) {
        let mut now = self.now.lock();
        *now = now.plus(duration);
    }

    /// Moves the wall reading alone, in either direction, as an operator or NTP may do.
    pub fn jump_wall(&self, seconds: i64) {
        self.now.lock().unix_nanos += seconds * 1_000_000_000;
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Moment {
        *self.now.lock()
    }
}
