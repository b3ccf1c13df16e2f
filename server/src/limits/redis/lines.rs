//! The connections to one process of Redis, on which counting has begun.
//!
//! They are used until the first of them fails, then closed together.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use shared::base::clock::Clock;
use shared::keys::key::KeyId;

use super::ahead::Ahead;
use super::failure::RedisFailure;
use super::line::Line;
use super::place::{Place, Server, examine, failure, micros};
use super::process::Process;
use super::scripts::{LastMinute, Reply, Verdict};

/// How long a server counts as the master after sentinels named it: long enough for the next check
/// and its timeout.
const NAMED_FOR: Duration = Duration::from_secs(2);

/// Connections on which counting has begun.
#[derive(Debug)]
pub(super) struct Lines {
    all: Vec<Line>,
    turn: AtomicUsize,
    pub(super) server: Server,
    pub(super) ahead: Arc<Ahead>,
    /// When the sentinels that named the server were asked, in microseconds of our clock.
    asked_at: AtomicU64,
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

impl Lines {
    /// These connections to a server, whose sentinels were asked at `asked`.
    pub(super) fn new(all: Vec<Line>, server: Server, ahead: Arc<Ahead>, asked: Duration) -> Self {
        Self {
            all,
            turn: AtomicUsize::new(0),
            server,
            ahead,
            asked_at: AtomicU64::new(micros(asked)),
        }
    }

    /// Checks that nothing has changed since counting began.
    pub(super) async fn look(
        &self,
        place: &Place,
        clock: &dyn Clock,
    ) -> Result<Begun, RedisFailure> {
        self.confirm(place, clock).await?;
        let address = &self.server.address;
        let beginning = async {
            let process = examine(address, self.next()).await?;
            self.begin(place, &process, clock).await
        };
        place.in_time(address, beginning).await
    }

    /// Checks that the server is still the one to count in.
    async fn confirm(&self, place: &Place, clock: &dyn Clock) -> Result<(), RedisFailure> {
        let asked = clock.monotonic();
        let found = place.find().await?;
        if found.named != self.server.named {
            let (address, master) = (self.server.address.clone(), found.address);
            return Err(RedisFailure::FailedOver { address, master });
        }
        self.asked_at.store(micros(asked), Ordering::Relaxed);
        Ok(())
    }

    /// Until when requests may be counted without asking sentinels again; for ever without
    /// sentinels.
    fn named_until(&self) -> Duration {
        let asked_at = Duration::from_micros(self.asked_at.load(Ordering::Relaxed));
        match self.server.named {
            Some(_) => asked_at.saturating_add(NAMED_FOR),
            None => Duration::MAX,
        }
    }

    /// Begins to count, or goes on.
    pub(super) async fn begin(
        &self,
        place: &Place,
        process: &Process,
        clock: &dyn Clock,
    ) -> Result<Begun, RedisFailure> {
        let (line, server) = (self.next(), &self.server);
        let asked = clock.monotonic();
        let begun = place.begin(line, server, process, LastMinute::Unknown);
        let mut reply = begun.await?;
        let answered = clock.monotonic();
        if self.ahead.is_put_forward(answered, reply.now_micros) {
            // If this fails, the jump is not forgotten, and found again.
            let begun = place.begin(line, server, process, LastMinute::Stepped);
            reply = begun.await?;
        }
        self.ahead.learn(asked, reply.now_micros);
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
        let (named_until, address) = (self.named_until(), &self.server.address);
        if named_until < asked {
            let (address, within) = (address.clone(), NAMED_FOR);
            return Err(RedisFailure::Unconfirmed { address, within });
        }
        let latest = asked.saturating_add(wait_budget).min(named_until);
        let deadline = self.ahead.store_micros(latest);
        let keys = [&*place.marker, &*place.window(family)];
        let arguments = [i64::from(limit), deadline];
        let asked_for = self.next().ask(&place.scripts.count, keys, arguments);
        asked_for.await.map_err(|why| failure(address, why))
    }

    fn next(&self) -> &Line {
        let turn = self.turn.fetch_add(1, Ordering::Relaxed);
        &self.all[turn % self.all.len()]
    }
}
