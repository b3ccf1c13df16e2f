//! When requests arrive: at a fixed rate, whether or not earlier ones were answered.

use std::time::Duration;

use anyhow::Context as _;
use tokio::time::Instant;

/// A rate for some time.
#[derive(Clone, Copy)]
pub(crate) struct Phase {
    /// Requests a second; `None`: as soon as a connection is free.
    rate: Option<f64>,
    lasts: Duration,
}

impl Phase {
    /// Reads `RATExSECONDS`.
    pub(crate) fn parse(text: &str) -> anyhow::Result<Self> {
        let parts = text.rsplit_once('x');
        let (rate, seconds) = parts.with_context(|| format!("{text} is no rate x seconds"))?;
        let rate = match rate {
            "max" => None,
            rate => Some(rate.parse().context("could not read the rate")?),
        };
        let seconds = seconds.parse().context("could not read the seconds")?;
        Ok(Self {
            rate,
            lasts: Duration::from_secs(seconds),
        })
    }
}

/// The arrival times of all phases, in order.
pub(crate) struct Arrivals {
    phases: std::vec::IntoIter<Phase>,
    phase: Option<Phase>,
    since: Instant,
    /// How many arrived in this phase.
    arrived: u32,
}

impl Arrivals {
    pub(crate) fn new(phases: Vec<Phase>, started: Instant) -> Self {
        let mut phases = phases.into_iter();
        Self {
            phase: phases.next(),
            phases,
            since: started,
            arrived: 0,
        }
    }

    /// When a connection that is free `now` should send the next request. `None` after the last.
    pub(crate) fn next(&mut self, now: Instant) -> Option<Instant> {
        loop {
            let phase = self.phase?;
            let at = match phase.rate {
                None => now.max(self.since),
                Some(rate) => self.since + Duration::from_secs_f64(f64::from(self.arrived) / rate),
            };
            if at < self.since + phase.lasts {
                self.arrived += 1;
                return Some(at);
            }
            self.since += phase.lasts;
            self.arrived = 0;
            self.phase = self.phases.next();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The times at which requests arrive, in milliseconds, if a connection asks every `step`
    /// milliseconds.
    fn arrivals(phases: &[&str], step: u64) -> Vec<u128> {
        let started = Instant::now();
        let phases = phases.iter().map(|phase| Phase::parse(phase));
        let phases = phases.collect::<anyhow::Result<_>>().expect("phases");
        let mut arrivals = Arrivals::new(phases, started);
        let times = (0..).map_while(|asked| {
            let now = started + Duration::from_millis(step * asked);
            Some((arrivals.next(now)? - started).as_millis())
        });
        times.collect()
    }

    #[test]
    fn a_rate_goes_on_though_nobody_asks_in_time() {
        let expected = [0, 250, 500, 750, 1000, 1500, 2000, 2500];
        assert_eq!(arrivals(&["4x1", "2x2"], 0), expected);
        assert_eq!(arrivals(&["4x1", "2x2"], 10_000), expected);
    }

    #[test]
    fn without_a_rate_the_next_is_due_when_it_is_asked_for() {
        assert_eq!(arrivals(&["maxx1", "1x2"], 400), [0, 400, 800, 1000, 2000]);
    }

    #[test]
    fn what_is_no_phase_is_refused() {
        for wrong in ["", "5", "5x", "x5", "fastx5", "5x-1"] {
            assert!(Phase::parse(wrong).is_err(), "{wrong}");
        }
    }
}
