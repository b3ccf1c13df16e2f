//! Where requests are counted, and how counting begins there: the server that an address or its
//! sentinels name, its process, and the names of its keys.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use shared::base::clock::Clock;
use shared::keys::key::KeyId;

use super::address::{RedisAddress, Target};
use super::ahead::Ahead;
use super::failure::RedisFailure;
use super::line::{Line, NoReply};
use super::lines::{Begun, Lines};
use super::process::{NO_EVICTION, Process, Role};
use super::scripts::{LastMinute, Reply, Scripts, Verdict};
use super::sentinels::{Named, Sentinels};
use std::sync::Mutex;
use tokio::time::timeout;

/// Connections of a server: one is written to while the other is read. With more, each would carry
/// fewer requests at a time.
const LINES: usize = 2;

/// How long another of our servers may still count in a former master once the new one is named:
/// while it believes that one to be the master, plus a round trip.
const OVERLAP: Duration = Duration::from_secs(3);

/// How long all the requests with which counting begins may take together, and how long sentinels
/// may take to name the server.
const BEGIN_WAIT_MAX: Duration = Duration::from_millis(500);

/// Where requests are counted: a server, or the one that sentinels name; the names of its keys, and
/// the offset of its clock.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) address: RedisAddress,
    pub(super) scripts: Scripts,
    sentinels: Option<Sentinels>,
    last: Mutex<Last>,
    pub(super) marker: String,
    /// The prefix of all windows.
    windows: String,
    /// A window that belongs to no key.
    trial: String,
}

/// The server used last. The offset of its clock is kept across connections, so a jump is also
/// noticed after a reconnect.
#[derive(Debug)]
struct Last {
    named: Option<Named>,
    ahead: Arc<Ahead>,
}

/// A server, and how its sentinels named it, if it has any.
#[derive(Clone, Debug)]
pub(super) struct Server {
    pub(super) address: RedisAddress,
    pub(super) named: Option<Named>,
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
        let address = server.address.clone();
        let connecting = async {
            let (all, process) = self.open(&server.address).await?;
            let (ahead, is_other) = self.follow(&server);
            let lines = Lines::new(all, server, ahead, asked);
            let mut begun = lines.begin(self, &process, clock).await?;
            if is_other && begun.verdict == Verdict::Same {
                // Another of our servers was here before.
                begun.verdict = Verdict::FailedOver;
            }
            Ok((lines, begun))
        };
        in_time(&address, connecting).await
    }

    /// Declares that nothing was counted here yet. Returns how long windows are closed if something
    /// was.
    pub(super) async fn init(&self) -> Result<Begun, RedisFailure> {
        let server = self.find().await?;
        let beginning = async {
            let (lines, process) = self.open(&server.address).await?;
            let [line, ..] = &lines[..] else {
                unreachable!("there is a connection");
            };
            let reply = self.begin(line, &server, &process, LastMinute::Empty);
            Ok(reply.await?.into())
        };
        in_time(&server.address, beginning).await
    }

    /// Whether sentinels name the server.
    pub(super) fn is_watched(&self) -> bool {
        self.sentinels.is_some()
    }

    /// The server that requests would be counted in now, and its process, which is fit for that.
    pub(super) async fn examined(&self) -> Result<(Server, Process), RedisFailure> {
        let server = self.find().await?;
        let (_lines, process) = in_time(&server.address, self.open(&server.address)).await?;
        Ok((server, process))
    }

    /// The name of the window of a key family.
    pub(super) fn window(&self, family: &KeyId) -> String {
        format!("{}{family}", self.windows)
    }

    /// The server to count in now.
    pub(super) async fn find(&self) -> Result<Server, RedisFailure> {
        let Some(sentinels) = &self.sentinels else {
            let (address, named) = (self.address.clone(), None);
            return Ok(Server { address, named });
        };
        let named = in_time(&self.address, sentinels.master()).await?;
        let address = sentinels.server(&named)?;
        let named = Some(named);
        Ok(Server { address, named })
    }

    /// What is known of the clock of this server, and whether another server was used before.
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

    /// Begins to count on that connection.
    pub(super) async fn begin(
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

/// Runs the requests with which counting begins, within their time limit.
pub(super) async fn in_time<T>(
    address: &RedisAddress,
    asking: impl Future<Output = Result<T, RedisFailure>>,
) -> Result<T, RedisFailure> {
    let (address, waited) = (address.clone(), BEGIN_WAIT_MAX);
    let too_slow = |_elapsed| Err(RedisFailure::TooSlow { address, waited });
    timeout(waited, asking).await.unwrap_or_else(too_slow)
}

/// The process at the other end, if it is fit for counting.
pub(super) async fn examine(address: &RedisAddress, line: &Line) -> Result<Process, RedisFailure> {
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

/// Why the server at `address` gave no reply.
pub(super) fn failure(address: &RedisAddress, why: NoReply) -> RedisFailure {
    let address = address.clone();
    match why {
        NoReply::Failed(why) => RedisFailure::Failed { address, why },
        NoReply::Garbled => RedisFailure::Garbled { address },
    }
}

pub(super) fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}
