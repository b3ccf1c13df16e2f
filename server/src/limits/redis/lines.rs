//! The connections to one process of Redis, on which counting has begun.
//!
//! They are used until the first of them fails, then closed together.

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

/// How long all the requests with which counting begins may take together.
const BEGIN_WAIT_MAX: Duration = Duration::from_millis(500);

/// Connections of a server: one is written to while the other is read. With more, each would carry
/// fewer requests at a time.
const LINES: usize = 2;

/// A server, the names of its keys, and the offset of its clock.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) address: RedisAddress,
    pub(super) scripts: Scripts,
    /// Kept across connections, so that a jump of the clock is also found after a reconnect.
    pub(super) ahead: Ahead,
    marker: String,
    /// The prefix of all windows.
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

/// How counting begins, or continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Begun {
    pub(super) verdict: Verdict,
    /// How long every window counts as full.
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

    /// Declares that nothing was counted here yet. Returns how long windows are closed if something
    /// was.
    pub(super) async fn init(&self) -> Result<Begun, RedisFailure> {
        let (lines, process) = self.open().await?;
        let [line, ..] = &lines[..] else {
            unreachable!("there is a connection");
        };
        let reply = self.begin(line, &process, LastMinute::Empty).await?;
        Ok(reply.into())
    }

    /// Runs the requests with which counting begins, within their time.
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

    /// Checks that the counting script can run there.
    async fn try_out(&self, line: &Line) -> Result<(), RedisFailure> {
        let keys = [&*self.marker, &*self.trial];
        let tried = line.ask(&self.scripts.trial, keys, [0; 0]).await;
        tried.map(|_reply| ()).map_err(|why| self.failure(why))
    }

    /// The process at the other end, if it is fit for counting.
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
    /// Checks that nothing has changed since counting began.
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
            // If this fails, the jump is not forgotten, and found again.
            reply = place.begin(line, process, LastMinute::Stepped).await?;
        }
        place.ahead.learn(asked, reply.now_micros);
        Ok(reply.into())
    }

    /// Counts a request, waiting within `wait_budget`.
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
