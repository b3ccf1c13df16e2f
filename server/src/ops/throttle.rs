//! Throttles the opening of a release while requests are served: small steps, with rests while
//! requests arrive.
//!
//! A computing thread keeps its core until the next scheduler tick, often every 4 ms, and every
//! request that wants that core waits as long. A nice value makes that rarer, not shorter. With
//! `SCHED_IDLE` single boats are faster, but lists wait for the thread: the 99th percentile was 4.2
//! times that without a switch, instead of 2.5.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use shared::base::clock::Clock;
use shared::release::throttle::Throttle;

/// After this long, and the current step, work rests. A request that comes meanwhile waits as long.
const WORK: Duration = Duration::from_micros(400);
/// A rest is this many times as long as the work before it, so requests have most of the core.
const REST_TIMES: u32 = 8;
/// The longest rest. Longer work was mostly waiting for the disk or its core.
const REST_MAX: Duration = Duration::from_millis(10);

/// A throttle that rests while there are requests. Threads that share it rest together.
pub(crate) struct BesideRequests {
    clock: Arc<dyn Clock>,
    requests: Box<dyn Fn() -> u64 + Send + Sync>,
    rest: Box<dyn Fn(Duration) + Send + Sync>,
    worked: Mutex<Worked>,
}

/// What happened since the last rest.
struct Worked {
    /// When that rest ended, by the clock.
    since: Duration,
    /// How many requests there had been by then.
    requests: u64,
}

impl BesideRequests {
    /// Work that begins now. `requests` returns how many there have been so far, and `rest` sleeps.
    pub(crate) fn new(
        clock: Arc<dyn Clock>,
        requests: impl Fn() -> u64 + Send + Sync + 'static,
        rest: impl Fn(Duration) + Send + Sync + 'static,
    ) -> Self {
        Self {
            worked: Mutex::new(Worked {
                since: clock.monotonic(),
                requests: requests(),
            }),
            clock,
            requests: Box::new(requests),
            rest: Box::new(rest),
        }
    }
}

impl Throttle for BesideRequests {
    fn step(&self) {
        let mut worked = self.worked.lock();
        let time = self.clock.monotonic().saturating_sub(worked.since);
        if time < WORK {
            return;
        }
        // Requests during the last rest count too: while this thread has the only core, no request
        // gets to be counted.
        let requests = (self.requests)();
        if worked.requests < requests {
            (self.rest)((time * REST_TIMES).min(REST_MAX));
        }
        *worked = Worked {
            since: self.clock.monotonic(),
            requests,
        };
    }
}

impl fmt::Debug for BesideRequests {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = "BesideRequests";
        formatter.debug_struct(name).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use shared::base::clock::ManualClock;

    use super::*;

    #[test]
    fn who_worked_long_enough_rests_where_there_were_requests() {
        let clock = Arc::new(ManualClock::at(0));
        let requests = Arc::new(AtomicU64::new(7));
        let rests = Arc::new(Mutex::new(Vec::new()));
        let (counter, resting) = (Arc::clone(&requests), Arc::clone(&clock));
        let rested = Arc::clone(&rests);
        let throttle = BesideRequests::new(
            Arc::<ManualClock>::clone(&clock),
            move || counter.load(Ordering::Relaxed),
            move |rest| {
                resting.advance(rest);
                rested.lock().push(rest.as_micros());
            },
        );
        let work = |micros, new_requests| {
            clock.advance(Duration::from_micros(micros));
            requests.fetch_add(new_requests, Ordering::Relaxed);
            throttle.step();
            std::mem::take(&mut *rests.lock())
        };
        let none: Vec<u128> = vec![];
        assert_eq!(work(10_000, 0), none, "no request came");
        assert_eq!(work(399, 1), none, "a short step");
        assert_eq!(work(1, 0), [3_200], "together with the step before");
        assert_eq!(work(399, 5), none, "the rest is no work");
        assert_eq!(work(801, 0), [9_600], "a long step");
        assert_eq!(work(1_000_000, 1), [10_000], "never longer");
        assert_eq!(work(10_000, 0), none, "no request came any more");
    }
}
