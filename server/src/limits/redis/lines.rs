//! The connections to one process of Redis, on which counting has begun.
//!
//! They are used until the first of them fails, and then thrown away together.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use shared::base::clock::Clock;
use shared::keys::key::KeyId;

use super::address::RedisAddress;
use super::ahead::Ahead;
use super::failure::RedisFailure;
use super::line::{Line, NoReply};
use super::process::{NO_EVICTION, Process};
use super::scripts::{LastMinute, Reply, Scripts, Verdict};
use crate::base::primitives::timeout;

/// How long all of the questions may take with which counting begins.
const BEGIN_WAIT_MAX: Duration = Duration::from_millis(500);

/// How many connections a server has: one is written to while another is read, and more of them
/// would each carry fewer questions at a time.
const LINES: usize = 2;

/// Names of the keys and of the server that they are in, and how its clock stands.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) address: RedisAddress,
    pub(super) scripts: Scripts,
    /// Known across connections, so that a step of the clock is found out behind a break, too.
    pub(super) ahead: Ahead,
    marker: String,
    /// What the names of all windows begin with.
    windows: String,
    /// A window that belongs to no key.
    trial: String,
}

/// Connections on which counting has begun.
#[derive(Debug)]
pub(super) struct Lines {
    all: Vec<Line>,
    turn: AtomicUsize,
}

/// How counting begins, or goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Begun {
    pub(super) verdict: Verdict,
    /// For how long every window counts as full.
    pub(super) closed_for: Duration,
}

impl From<Reply> for Begun {
    fn from(reply: Reply) -> Self {
        Self {
            verdict: reply.verdict,
            closed_for: reply.wait,
        }
    }
}

impl Place {
    /// Keys whose names begin with `prefix`.
    pub(super) fn new(address: RedisAddress, scripts: Scripts, prefix: &str) -> Self {
        Self {
            address,
            scripts,
            ahead: Ahead::unknown(),
            marker: format!("{prefix}limits"),
            windows: format!("{prefix}minute:"),
            trial: format!("{prefix}trial"),
        }
    }

    /// Connects, and begins to count.
    pub(super) async fn connect(&self, clock: &dyn Clock) -> Result<(Lines, Begun), RedisFailure> {
        let (lines, process) = self.open().await?;
        let lines = Lines {
            all: lines,
            turn: AtomicUsize::new(0),
        };
        let begun = lines.begin(self, &process, clock).await?;
        Ok((lines, begun))
    }

    /// Says that nothing was counted here yet. How long windows are closed where something was.
    pub(super) async fn init(&self) -> Result<Begun, RedisFailure> {
        let (lines, process) = self.open().await?;
        let [line, ..] = &lines[..] else {
            unreachable!("there is a connection");
        };
        let reply = self.begin(line, &process, LastMinute::Empty).await?;
        Ok(reply.into())
    }

    /// What asks this place all that counting begins with, as long as that may take.
    pub(super) async fn in_time<T>(
        &self,
        asking: impl Future<Output = Result<T, RedisFailure>>,
    ) -> Result<T, RedisFailure> {
        let (address, waited) = (self.address.clone(), BEGIN_WAIT_MAX);
        let too_slow = |_elapsed| Err(RedisFailure::TooSlow { address, waited });
        timeout(waited, asking).await.unwrap_or_else(too_slow)
    }

    async fn open(&self) -> Result<(Vec<Line>, Process), RedisFailure> {
        let failed = |error: redis::RedisError| self.failure(error.into());
        let first = Line::connect(&self.address).await.map_err(failed)?;
        let process = self.examine(&first).await?;
        let mut lines = vec![first];
        while lines.len() < LINES {
            let line = Line::connect(&self.address).await.map_err(failed)?;
            let address = self.address.clone();
            if self.examine(&line).await?.run != process.run {
                return Err(RedisFailure::Several { address });
            }
            lines.push(line);
        }
        self.try_out(&lines[0]).await?;
        Ok((lines, process))
    }

    /// Whether what counts a request can be run there.
    async fn try_out(&self, line: &Line) -> Result<(), RedisFailure> {
        let keys = [&*self.marker, &*self.trial];
        let tried = line.ask(&self.scripts.trial, keys, [0; 0]).await;
        tried.map(|_reply| ()).map_err(|why| self.failure(why))
    }

    /// The process at the other end, if it may be counted in.
    async fn examine(&self, line: &Line) -> Result<Process, RedisFailure> {
        let process = line.process().await.map_err(|why| self.failure(why))?;
        let address = self.address.clone();
        if process.policy != NO_EVICTION {
            let policy = process.policy;
            return Err(RedisFailure::Evicts { address, policy });
        }
        if !process.is_primary {
            return Err(RedisFailure::Replica { address });
        }
        Ok(process)
    }

    async fn begin(
        &self,
        line: &Line,
        process: &Process,
        last_minute: LastMinute,
    ) -> Result<Reply, RedisFailure> {
        let keeps_all = if process.keeps_all { "1" } else { "0" };
        let arguments = [&*process.run, keeps_all, last_minute.word()];
        let asked = line.ask(&self.scripts.begin, [&self.marker], arguments);
        asked.await.map_err(|why| self.failure(why))
    }

    fn failure(&self, why: NoReply) -> RedisFailure {
        let address = self.address.clone();
        match why {
            NoReply::Failed(why) => RedisFailure::Failed { address, why },
            NoReply::Garbled => RedisFailure::Garbled { address },
        }
    }
}

impl Lines {
    /// Whether all is still as it was when counting began.
    pub(super) async fn look(
        &self,
        place: &Place,
        clock: &dyn Clock,
    ) -> Result<Begun, RedisFailure> {
        let process = place.examine(self.next()).await?;
        self.begin(place, &process, clock).await
    }

    async fn begin(
        &self,
        place: &Place,
        process: &Process,
        clock: &dyn Clock,
    ) -> Result<Begun, RedisFailure> {
        let line = self.next();
        let asked = clock.monotonic();
        let mut reply = place.begin(line, process, LastMinute::Unknown).await?;
        let answered = clock.monotonic();
        if place.ahead.is_put_forward(answered, reply.now_micros) {
            // Where this fails the step is not forgotten, and found out again.
            reply = place.begin(line, process, LastMinute::Stepped).await?;
        }
        place.ahead.learn(asked, reply.now_micros);
        Ok(reply.into())
    }

    /// Counts a request for which the wait stays within `wait_budget`.
    pub(super) async fn count(
        &self,
        place: &Place,
        family: &KeyId,
        limit: u32,
        (asked, wait_budget): (Duration, Duration),
    ) -> Result<Reply, RedisFailure> {
        let deadline = place.ahead.store_micros(asked.saturating_add(wait_budget));
        let keys = [&*place.marker, &*format!("{}{family}", place.windows)];
        let arguments = [i64::from(limit), deadline];
        let asked_for = self.next().ask(&place.scripts.count, keys, arguments);
        asked_for.await.map_err(|why| place.failure(why))
    }

    fn next(&self) -> &Line {
        let turn = self.turn.fetch_add(1, Ordering::Relaxed);
        &self.all[turn % self.all.len()]
    }
}
