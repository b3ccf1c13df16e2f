//! When requests arrive: at a rate, whether or not those before were answered.

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

/// All requests of all phases, in order.
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

    /// When the next request is to be sent by a connection that is free `now`. `None`: no more.
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
