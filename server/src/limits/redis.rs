//! Minute windows that all servers of a Redis share, counted by its clock.
//!
//! It is a single server, or the master that sentinels name, which is followed in a failover. A
//! request is counted in one round trip by an atomic script, over a few connections that many
//! requests share. If Redis does not reply in time, or may have lost counts, requests are refused
//! at once, while a probe waits for it to come back.

mod address;
mod ahead;
mod circuit;
mod failure;
mod line;
mod lines;
mod place;
mod process;
mod scripts;
mod sentinels;
mod stream;

use std::sync::Arc;
use std::time::Duration;

use shared::base::clock::{Clock, Moment};
use shared::keys::key::KeyId;

pub use address::{NotAnAddress, RedisAddress};
pub use failure::RedisFailure;

use circuit::{Circuit, State};
use lines::Lines;
use place::Place;
use scripts::{Reply, Scripts, Verdict};

use super::minute_error::MinuteError;
use super::usage::Usage;
use crate::metrics::RoundTrips;
use tokio::task::{JoinHandle, spawn};
use tokio::time::timeout;

/// The prefix of all keys in Redis.
const PREFIX: &str = "catalogue:";

/// Minute windows in a Redis. Dropping it closes the connections.
pub struct RedisLimits {
    circuit: Arc<Circuit>,
    keeper: JoinHandle<()>,
    round_trips: RoundTrips,
}

/// The result of declaring that nothing was counted in a Redis yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Init {
    /// It was true, and servers count in it at once.
    Made,
    /// Servers have counted in it; how long every window counts as full now.
    There(Duration),
}

/// What was found at the place where minute limits are to be counted.
#[derive(Clone, Debug)]
pub struct Examined {
    /// The server, which sentinels may have named.
    pub server: RedisAddress,
    /// Its name and version.
    pub software: String,
    /// Whether it keeps all counts across a restart.
    pub keeps_all: bool,
}

impl RedisLimits {
    /// Windows in the Redis at `address`, and a task on this runtime that maintains the
    /// connections. If Redis cannot be asked now, it is probed until it can.
    ///
    /// Only what does not recover by itself is an error.
    pub async fn start(address: RedisAddress, clock: Arc<dyn Clock>) -> Result<Self, RedisFailure> {
        Self::in_place(Place::new(address, Scripts::new(""), PREFIX), clock).await
    }

    async fn in_place(place: Place, clock: Arc<dyn Clock>) -> Result<Self, RedisFailure> {
        let circuit = Arc::new(Circuit::new(place, clock));
        match circuit.connect().await {
            Err(why) if why.hint().is_some() => return Err(why),
            // Logged already.
            Ok(()) | Err(_) => {}
        }
        let keeper = spawn(Arc::clone(&circuit).keep());
        Ok(Self {
            circuit,
            keeper,
            round_trips: RoundTrips::new(),
        })
    }

    /// Declares that nothing was counted in the Redis at `address` yet, so that servers need not
    /// treat every window as full in their first minute.
    pub async fn init(address: RedisAddress) -> Result<Init, RedisFailure> {
        let place = Place::new(address, Scripts::new(""), PREFIX);
        let begun = place.init().await?;
        Ok(match begun.verdict {
            Verdict::Made => Init::Made,
            _ => Init::There(begun.closed_for),
        })
    }

    /// Examines the Redis at `address`, and fails if it is unfit for counting. Changes nothing.
    pub async fn examine(address: RedisAddress) -> Result<Examined, RedisFailure> {
        let place = Place::new(address, Scripts::new(""), PREFIX);
        let (server, process) = place.examined().await?;
        Ok(Examined {
            server: server.address,
            software: process.software,
            keeps_all: process.keeps_all && !place.is_watched(),
        })
    }

    /// Counts a request of `family`, unless `limit` requests were counted in the last 60 seconds:
    /// then the usage is the error and the request is not counted. Waits within `wait_budget`.
    pub async fn count(
        &self,
        family: &KeyId,
        limit: u32,
        wait_budget: Duration,
    ) -> Result<Usage, MinuteError> {
        let circuit = &*self.circuit;
        let Some(lines) = circuit.lines() else {
            let address = circuit.place.address.clone();
            return Err(RedisFailure::Away { address }.into());
        };
        // Cloned only for failures: otherwise all threads would contend for its reference count.
        let address = || lines.server.address.clone();
        let asked = circuit.clock.monotonic();
        let counting = lines.count(&circuit.place, family, limit, (asked, wait_budget));
        let counted = timeout(wait_budget, counting).await;
        let answered = circuit.clock.monotonic();
        self.round_trips.took(answered.saturating_sub(asked));
        let too_slow = |_elapsed| {
            let (address, waited) = (address(), wait_budget);
            Err(RedisFailure::TooSlow { address, waited })
        };
        let reply = match counted.unwrap_or_else(too_slow) {
            Ok(reply) => reply,
            Err(failure) => return self.give_up(&lines, failure),
        };
        let ahead = &lines.ahead;
        if ahead.is_put_forward(answered, reply.now_micros) {
            // Earlier requests left too early, also for the other servers.
            return self.give_up(&lines, RedisFailure::Stepped { address: address() });
        }
        ahead.learn(asked, reply.now_micros);
        self.judge(&lines, limit, reply)
    }

    /// Round-trip times.
    pub(crate) fn round_trips(&self) -> &RoundTrips {
        &self.round_trips
    }

    /// Whether requests are counted at the moment.
    pub(crate) fn is_counting(&self) -> bool {
        *self.circuit.state().borrow() == State::Counting
    }

    fn judge(&self, lines: &Arc<Lines>, limit: u32, reply: Reply) -> Result<Usage, MinuteError> {
        let address = || lines.server.address.clone();
        let failure = match reply.verdict {
            Verdict::Counted => return Ok(usage(limit, reply)),
            Verdict::Full => return Err(MinuteError::Exceeded(usage(limit, reply))),
            Verdict::Late => RedisFailure::Late { address: address() },
            Verdict::Closed => {
                let (address, left) = (address(), reply.wait);
                RedisFailure::Closed { address, left }
            }
            Verdict::Lost => RedisFailure::Lost { address: address() },
            _ => RedisFailure::Garbled { address: address() },
        };
        // The same connections still have what was not lost.
        match reply.verdict {
            Verdict::Late | Verdict::Closed => Err(failure.into()),
            _ => self.give_up(lines, failure),
        }
    }

    /// No request uses these connections any more.
    fn give_up(&self, lines: &Arc<Lines>, failure: RedisFailure) -> Result<Usage, MinuteError> {
        self.circuit.break_off(lines, &failure);
        Err(failure.into())
    }
}

/// Uses the store's clock, so that every server shows the same.
fn usage(limit: u32, reply: Reply) -> Usage {
    let now = Moment {
        unix_nanos: reply.now_micros.saturating_mul(1000),
        monotonic: Duration::ZERO,
    };
    let remaining = u64::from(limit).saturating_sub(reply.counted);
    let reset = now.plus(reply.wait).unix_nanos;
    Usage::new(u64::from(limit), remaining, reset, now)
}

impl Drop for RedisLimits {
    fn drop(&mut self) {
        self.keeper.abort();
    }
}

#[cfg(test)]
mod tests;
