//! The connections to one process of Redis, on which counting has begun.
//!
//! They are used until the first of them fails, then closed together.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use shared::base::clock::Clock;
use shared::keys::key::KeyId;

use super::address::{RedisAddress, Target};
use super::ahead::Ahead;
use super::failure::RedisFailure;
use super::line::{Line, NoReply};
use super::process::{NO_EVICTION, Process, Role};
use super::scripts::{LastMinute, Reply, Scripts, Verdict};
use super::sentinels::{Named, Sentinels};
use crate::base::primitives::{Mutex, timeout};

/// How long a server is taken for the master after sentinels were asked: long enough for the next
/// look, and for what that may take.
const NAMED_FOR: Duration = Duration::from_secs(2);
/// How long another server may have counted in a former master when the new one is named: as long
/// as above, and a round trip by which the deadline of a request may be late.
const OVERLAP: Duration = Duration::from_secs(3);

/// How long all the requests with which counting begins may take together.
const BEGIN_WAIT_MAX: Duration = Duration::from_millis(500);

/// Connections of a server: one is written to while the other is read. With more, each would carry
/// fewer requests at a time.
const LINES: usize = 2;

/// Where to count: a server, or the one that sentinels name; the names of its keys, and the offset
/// of its clock.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) address: RedisAddress,
    pub(super) scripts: Scripts,
    sentinels: Option<Sentinels>,
    last: Mutex<Last>,
    marker: String,
    /// The prefix of all windows.
    windows: String,
    /// A window that belongs to no key.
    trial: String,
}

/// The server that was counted in last. The offset of its clock is kept across connections, so that
/// a jump is also found after a reconnect.
#[derive(Debug)]
struct Last {
    named: Option<Named>,
    ahead: Arc<Ahead>,
}

/// A server to count in, and what its sentinels call it, if it has any.
#[derive(Clone, Debug)]
pub(super) struct Server {
    pub(super) address: RedisAddress,
    named: Option<Named>,
}

/// Connections on which counting has begun.
#[derive(Debug)]
pub(super) struct Lines {
    all: Vec<Line>,
    turn: AtomicUsize,
    pub(super) server: Server,
    pub(super) ahead: Arc<Ahead>,
    /// When sentinels were asked that named the server, in microseconds of our clock.
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

impl Place {
    /// Keys whose names begin with `prefix`.
    pub(super) fn new(address: RedisAddress, scripts: Scripts, prefix: &str) -> Self {
        let sentinels = match address.target() {
            Target::Server(_) => None,
            Target::Sentinels { sentinels, master } => {
                Some(Sentinels::new(address.clone(), sentinels, master))
            }
        };
        let (named, ahead) = (None, Arc::new(Ahead::unknown()));
        Self {
            address,
            scripts,
            sentinels,
            last: Mutex::new(Last { named, ahead }),
            marker: format!("{prefix}limits"),
            windows: format!("{prefix}minute:"),
            trial: format!("{prefix}trial"),
        }
    }

    /// Connects, and begins to count.
    pub(super) async fn connect(&self, clock: &dyn Clock) -> Result<(Lines, Begun), RedisFailure> {
        let asked = clock.monotonic();
        let server = self.find().await?;
        let (all, process) = self.open(&server.address).await?;
        let (ahead, is_other) = self.follow(&server);
        let lines = Lines {
            all,
            turn: AtomicUsize::new(0),
            server,
            ahead,
            asked_at: AtomicU64::new(micros(asked)),
        };
        let mut begun = lines.begin(self, &process, clock).await?;
        if is_other && begun.verdict == Verdict::Same {
            // Another of our servers was here before.
            begun.verdict = Verdict::FailedOver;
        }
        Ok((lines, begun))
    }

    /// Declares that nothing was counted here yet. Returns how long windows are closed if something
    /// was.
    pub(super) async fn init(&self) -> Result<Begun, RedisFailure> {
        let server = self.find().await?;
        let (lines, process) = self.open(&server.address).await?;
        let [line, ..] = &lines[..] else {
            unreachable!("there is a connection");
        };
        let reply = self.begin(line, &server, &process, LastMinute::Empty);
        Ok(reply.await?.into())
    }

    /// Whether sentinels name the server.
    pub(super) fn is_watched(&self) -> bool {
        self.sentinels.is_some()
    }

    /// The server that would be counted in, and its process, which is fit for it.
    pub(super) async fn examined(&self) -> Result<(Server, Process), RedisFailure> {
        let server = self.find().await?;
        let (_lines, process) = self.open(&server.address).await?;
        Ok((server, process))
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

    /// The server to count in now.
    pub(super) async fn find(&self) -> Result<Server, RedisFailure> {
        let Some(sentinels) = &self.sentinels else {
            let (address, named) = (self.address.clone(), None);
            return Ok(Server { address, named });
        };
        let named = sentinels.master().await?;
        let address = sentinels.server(&named)?;
        let named = Some(named);
        Ok(Server { address, named })
    }

    /// What is known of the clock of this server, and whether another one was counted in before.
    fn follow(&self, server: &Server) -> (Arc<Ahead>, bool) {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let mut is_other = false;
        if last.named != server.named {
            is_other = last.named.is_some();
            last.named.clone_from(&server.named);
            last.ahead = Arc::new(Ahead::unknown());
        }
        (Arc::clone(&last.ahead), is_other)
    }

    async fn open(&self, address: &RedisAddress) -> Result<(Vec<Line>, Process), RedisFailure> {
        let Target::Server(info) = address.target() else {
            unreachable!("sentinels name servers");
        };
        let connect = async || {
            let connected = Line::connect(info, info.redis_settings()).await;
            connected.map_err(|error| failure(address, error.into()))
        };
        let first = connect().await?;
        let process = examine(address, &first).await?;
        let mut lines = vec![first];
        while lines.len() < LINES {
            let line = connect().await?;
            if examine(address, &line).await?.run != process.run {
                let address = address.clone();
                return Err(RedisFailure::Several { address });
            }
            lines.push(line);
        }
        self.try_out(address, &lines[0]).await?;
        Ok((lines, process))
    }

    /// Checks that the counting script can run there.
    async fn try_out(&self, address: &RedisAddress, line: &Line) -> Result<(), RedisFailure> {
        let keys = [&*self.marker, &*self.trial];
        let tried = line.ask(&self.scripts.trial, keys, [0; 0]).await;
        tried.map(|_reply| ()).map_err(|why| failure(address, why))
    }

    async fn begin(
        &self,
        line: &Line,
        server: &Server,
        process: &Process,
        last_minute: LastMinute,
    ) -> Result<Reply, RedisFailure> {
        // A replica may take its place at any time, with less.
        let keeps_all = process.keeps_all && server.named.is_none();
        let (failover, overlap) = match &server.named {
            Some(named) => (named.failover.to_string(), micros(OVERLAP)),
            None => (String::new(), 0),
        };
        let arguments = [
            &*process.run,
            if keeps_all { "1" } else { "0" },
            last_minute.word(),
            &failover,
            &overlap.to_string(),
        ];
        let asked = line.ask(&self.scripts.begin, [&self.marker], arguments);
        asked.await.map_err(|why| failure(&server.address, why))
    }
}

/// The process at the other end, if it is fit for counting.
async fn examine(address: &RedisAddress, line: &Line) -> Result<Process, RedisFailure> {
    let process = line.process().await.map_err(|why| failure(address, why))?;
    let address = address.clone();
    match process.role {
        Role::Sentinel => Err(RedisFailure::Sentinel { address }),
        Role::OfCluster => Err(RedisFailure::Cluster { address }),
        _ if process.policy != NO_EVICTION => {
            let policy = process.policy;
            Err(RedisFailure::Evicts { address, policy })
        }
        Role::Replica => Err(RedisFailure::Replica { address }),
        Role::Master => Ok(process),
    }
}

fn failure(address: &RedisAddress, why: NoReply) -> RedisFailure {
    let address = address.clone();
    match why {
        NoReply::Failed(why) => RedisFailure::Failed { address, why },
        NoReply::Garbled => RedisFailure::Garbled { address },
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

impl Lines {
    /// Checks that nothing has changed since counting began.
    pub(super) async fn look(
        &self,
        place: &Place,
        clock: &dyn Clock,
    ) -> Result<Begun, RedisFailure> {
        self.confirm(place, clock).await?;
        let process = examine(&self.server.address, self.next()).await?;
        self.begin(place, &process, clock).await
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

    /// When nothing may be counted any more that is not confirmed before; never without sentinels.
    fn named_until(&self) -> Duration {
        let asked_at = Duration::from_micros(self.asked_at.load(Ordering::Relaxed));
        match self.server.named {
            Some(_) => asked_at.saturating_add(NAMED_FOR),
            None => Duration::MAX,
        }
    }

    async fn begin(
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
        let keys = [&*place.marker, &*format!("{}{family}", place.windows)];
        let arguments = [i64::from(limit), deadline];
        let asked_for = self.next().ask(&place.scripts.count, keys, arguments);
        asked_for.await.map_err(|why| failure(address, why))
    }

    fn next(&self) -> &Line {
        let turn = self.turn.fetch_add(1, Ordering::Relaxed);
        &self.all[turn % self.all.len()]
    }
}
