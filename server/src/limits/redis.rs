//! Minute windows that all servers of a Redis share, counted by its clock.
//!
//! It is a single server, or the master that sentinels name. A request is counted in one round trip
//! by an atomic script, over two connections that all requests share. While Redis does not answer,
//! each server counts alone, as without a Redis: no request is refused because counts may be lost,
//! and no server ever grants more than the limit by itself.

mod address;
mod connections;
mod failure;
mod process;

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwapOption;
use parking_lot::Mutex;
use redis::RedisError;
use shared::base::clock::{Clock, Moment};
use shared::base::error_chain::chain;
use shared::keys::key::KeyId;
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

pub use address::{NotAnAddress, RedisAddress};
pub use connections::Examined;
pub use failure::RedisFailure;

use connections::{Connections, Counted, SharedWindows};
use failure::is_of_one_window;

use super::minute::RateLimits;
use super::usage::Usage;
use crate::base::log_throttle::LogThrottle;
use crate::metrics::Durations;

/// How long a request waits for Redis: a part of what it may wait for all stores, so that enough is
/// left for the quota.
pub(super) const WAIT_MAX: Duration = Duration::from_millis(100);
/// Pause between two attempts to connect: several in the second within which a Redis that is back
/// is used again.
const CONNECT_PAUSE: Duration = Duration::from_millis(200);
/// Pause between two checks of a Redis that is used, also without requests.
const CHECK_PAUSE: Duration = Duration::from_secs(1);

/// Upper bounds of round trips in seconds: from one within a machine to the longest wait.
pub(super) const ROUND_TRIPS: [f64; 9] = [
    0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.01, 0.05, 0.1, 0.25,
];

/// Minute windows in a Redis. Dropping it closes the connections.
pub struct RedisLimits {
    counter: Arc<Counter>,
    keeper: JoinHandle<()>,
}

/// The windows in Redis and those of this server.
struct Counter {
    windows: SharedWindows,
    /// None while Redis does not answer.
    connections: ArcSwapOption<Connections>,
    /// Wakes the task that connects again.
    lost: Notify,
    /// What this server grants, whoever counts it besides.
    own: RateLimits,
    clock: Arc<dyn Clock>,
    round_trips: Durations,
    /// Warnings about what is stored as a window and is none.
    spoilt: Mutex<LogThrottle>,
}

impl RedisLimits {
    /// Windows in the Redis at `address`, and a task on this runtime that maintains the
    /// connections. If Redis cannot be asked now, this server counts alone until it can.
    ///
    /// Only what does not recover by itself is an error.
    pub async fn start(address: RedisAddress, clock: Arc<dyn Clock>) -> Result<Self, RedisFailure> {
        Self::count_in(SharedWindows::new(address, WAIT_MAX), clock).await
    }

    async fn count_in(windows: SharedWindows, clock: Arc<dyn Clock>) -> Result<Self, RedisFailure> {
        let counter = Arc::new(Counter {
            windows,
            connections: ArcSwapOption::empty(),
            lost: Notify::new(),
            own: RateLimits::default(),
            clock,
            round_trips: Durations::new(&ROUND_TRIPS),
            spoilt: Mutex::default(),
        });
        match counter.connect().await {
            Err(why) if !why.may_end() => return Err(why),
            Err(why) => warn_of(&why),
            Ok(()) => {}
        }
        let keeper = tokio::spawn(Arc::clone(&counter).keep_connected());
        Ok(Self { counter, keeper })
    }

    /// Examines the Redis at `address`, and fails if it is unfit for counting. Changes nothing but
    /// a window that belongs to no key.
    pub async fn examine(address: RedisAddress) -> Result<Examined, RedisFailure> {
        let (_connections, examined) = SharedWindows::new(address, WAIT_MAX).connect().await?;
        Ok(examined)
    }

    /// Counts a request of `family`, unless `limit` requests were counted in the last 60 seconds:
    /// then the usage is the error and the request is not counted. Waits for Redis within
    /// `wait_budget`.
    pub async fn count(
        &self,
        family: &KeyId,
        limit: u32,
        now: Moment,
        wait_budget: Duration,
    ) -> Result<Usage, Usage> {
        let windows = &self.counter.own;
        // Taken first, so that a Redis that has lost its counts lets no server exceed the limit.
        let own = windows.count(family, limit, now)?;
        let taken = TakenBack(|| windows.take_back(family, now));
        let asked = self.counter.ask(family, limit, wait_budget).await;
        match asked {
            Some(counted) if !counted.is_granted => return Err(counted.usage),
            _ => std::mem::forget(taken),
        }
        Ok(asked.map_or(own, |counted| stricter(own, counted.usage)))
    }

    /// Round-trip times.
    pub(crate) fn round_trips(&self) -> &Durations {
        &self.counter.round_trips
    }

    /// Whether this server counts alone at the moment.
    pub(crate) fn is_alone(&self) -> bool {
        self.counter.connections.load().is_none()
    }
}

impl Counter {
    /// What Redis says of a request; nothing if it does not answer in time.
    async fn ask(&self, family: &KeyId, limit: u32, wait_budget: Duration) -> Option<Counted> {
        let connections = self.connections.load_full()?;
        let waited = wait_budget.min(self.windows.wait_max);
        let asked = self.clock.monotonic();
        let counting = connections.count(&self.windows, family, limit);
        let counted = timeout(waited, counting).await;
        let took = self.clock.monotonic().saturating_sub(asked);
        self.round_trips.observe(took);
        let address = || self.windows.address.clone();
        let failure = match counted {
            Ok(Ok(counted)) => return Some(counted),
            Ok(Err(why)) if is_of_one_window(&why) => {
                self.warn_of_window(family, why);
                return None;
            }
            Ok(Err(why)) => RedisFailure::failed(address(), why),
            Err(_elapsed) => RedisFailure::TooSlow {
                address: address(),
                waited,
            },
        };
        self.lose(&connections, &failure);
        None
    }

    /// Tells, not too often, that each server counts the requests of a family alone.
    fn warn_of_window(&self, family: &KeyId, why: RedisError) {
        let due = self.spoilt.lock().due(self.clock.now());
        if due.is_some() {
            let (window, address) = (self.windows.name(family), self.windows.address.clone());
            tracing::warn!(
                "each server counts requests of {family} alone, because {window} is no list of \
                 times: delete it (redis-cli DEL {window}): {}",
                chain(&RedisFailure::failed(address, why))
            );
        }
    }

    /// Connects, and uses the connections.
    async fn connect(&self) -> Result<(), RedisFailure> {
        let (connections, examined) = self.windows.connect().await?;
        self.connections.store(Some(Arc::new(connections)));
        let server = examined.server;
        tracing::info!("minute limits are counted in {server}");
        Ok(())
    }

    /// Stops using these connections, for this reason, unless others are in use already.
    fn lose(&self, lost: &Arc<Connections>, why: &RedisFailure) {
        let before = self.connections.compare_and_swap(lost, None);
        if before
            .as_ref()
            .is_some_and(|before| Arc::ptr_eq(before, lost))
        {
            warn_of(why);
            self.lost.notify_one();
        }
    }

    /// Maintains the connections until it is dropped.
    async fn keep_connected(self: Arc<Self>) {
        // Each reason is logged once.
        let mut why_not = HashSet::new();
        loop {
            let Some(connections) = self.connections.load_full() else {
                sleep(CONNECT_PAUSE).await;
                match self.connect().await {
                    Ok(()) => why_not.clear(),
                    Err(why) if why_not.insert(why.to_string()) => warn_of(&why),
                    Err(_again) => {}
                }
                continue;
            };
            if timeout(CHECK_PAUSE, self.lost.notified()).await.is_err()
                && let Err(why) = connections.check(&self.windows).await
            {
                self.lose(&connections, &why);
            }
        }
    }
}

impl Drop for RedisLimits {
    fn drop(&mut self) {
        self.keeper.abort();
    }
}

/// Acts when it is dropped: also when nobody waits for the answer any more.
struct TakenBack<F: FnMut()>(F);

impl<F: FnMut()> Drop for TakenBack<F> {
    fn drop(&mut self) {
        self.0();
    }
}

/// Redis has at least what this server has granted, unless it lost counts.
fn stricter(own: Usage, shared: Usage) -> Usage {
    if own.remaining < shared.remaining {
        own
    } else {
        shared
    }
}

fn warn_of(why: &RedisFailure) {
    tracing::warn!(
        "this server counts minute limits alone until Redis answers: {}",
        chain(why)
    );
}

#[cfg(test)]
mod tests;
