//! The connections to the Redis that counts, and what is asked over them. They are used until the
//! first call fails, and then replaced together.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::future::select_ok;
use redis::aio::MultiplexedConnection;
use redis::sentinel::{Sentinel, SentinelNodeConnectionInfo};
use redis::{
    AsyncConnectionConfig, Client, ConnectionAddr, ConnectionInfo, ErrorKind, RedisConnectionInfo,
    RedisResult, Script, TlsMode, cmd,
};
use shared::base::clock::Moment;
use shared::keys::key::KeyId;
use tokio::time::timeout;

use super::address::{RedisAddress, Target};
use super::failure::RedisFailure;
use super::process::{NO_EVICTION, Process, Role};
use crate::limits::usage::Usage;

/// The prefix of all keys in Redis.
const PREFIX: &str = "catalogue:";
/// How long all of connecting may take.
const CONNECT_MAX: Duration = Duration::from_secs(2);
/// How long a server may take to accept a connection, and to answer what is no request's.
const ANSWER_MAX: Duration = Duration::from_millis(500);

/// Where requests are counted, and how.
#[derive(Debug)]
pub(super) struct SharedWindows {
    pub(super) address: RedisAddress,
    /// How long a request waits at most.
    pub(super) wait_max: Duration,
    count: Script,
    prefix: String,
}

/// Two connections to one server: one is written to while the other is read. With more, each would
/// carry fewer requests at a time.
#[derive(Debug)]
pub(super) struct Connections {
    both: [MultiplexedConnection; 2],
    turn: AtomicUsize,
}

/// What was found at the place where minute limits are to be counted.
#[derive(Clone, Debug)]
pub struct Examined {
    /// Host and port of the server, which sentinels may have named.
    pub server: String,
    /// Its name and version.
    pub software: String,
}

/// What Redis says of a request.
pub(super) struct Counted {
    pub(super) is_granted: bool,
    pub(super) usage: Usage,
}

impl SharedWindows {
    /// Windows in the Redis at that address, for which a request waits at most `wait_max`.
    pub(super) fn new(address: RedisAddress, wait_max: Duration) -> Self {
        Self::with(address, wait_max, "", PREFIX)
    }

    /// The same with text before the script and other names of keys, for tests with their own
    /// clock.
    pub(super) fn with(
        address: RedisAddress,
        wait_max: Duration,
        prologue: &str,
        prefix: &str,
    ) -> Self {
        Self {
            address,
            wait_max,
            count: Script::new(&[prologue, include_str!("count.lua")].concat()),
            prefix: prefix.to_owned(),
        }
    }

    /// The name of the window of a key family.
    pub(super) fn name(&self, family: &KeyId) -> String {
        format!("{}minute:{family}", self.prefix)
    }

    /// Connects to the server, which is fit for counting.
    pub(super) async fn connect(&self) -> Result<(Connections, Examined), RedisFailure> {
        let connecting = timeout(CONNECT_MAX, self.try_to_connect());
        let too_slow = |_elapsed| {
            Err(RedisFailure::TooSlow {
                address: self.address.clone(),
                waited: CONNECT_MAX,
            })
        };
        connecting.await.unwrap_or_else(too_slow)
    }

    async fn try_to_connect(&self) -> Result<(Connections, Examined), RedisFailure> {
        let failed = |why| RedisFailure::failed(self.address.clone(), why);
        let client = client(&self.address).await.map_err(failed)?;
        let server = client.get_connection_info().addr().to_string();
        // Callers limit how long they wait for an answer: a second timer for each would be of no use.
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(ANSWER_MAX.max(self.wait_max)))
            .set_response_timeout(None);
        let connect = async || {
            client
                .get_multiplexed_async_connection_with_config(&config)
                .await
        };
        let connections = Connections {
            both: [
                connect().await.map_err(failed)?,
                connect().await.map_err(failed)?,
            ],
            turn: AtomicUsize::new(0),
        };
        let process = connections.check(self).await?;
        // A user may be allowed to connect and not to count, and no request is to find that out;
        // nor that it is slow, once the script is loaded.
        // A name of its own, so that no window that something else has spoilt stands in the way.
        let trial = format!("{}trial:{:016x}", self.prefix, rand::random::<u64>());
        let count = || connections.run(self, &trial, u32::MAX);
        count().await.map_err(failed)?;
        let (address, waited) = (self.address.clone(), self.wait_max);
        let too_slow = |_elapsed| RedisFailure::TooSlow { address, waited };
        let counted = timeout(waited, count()).await.map_err(too_slow)?;
        counted.map_err(failed)?;
        let software = process.software;
        Ok((connections, Examined { server, software }))
    }
}

/// The server itself, or the master that the first sentinel names that answers.
pub(super) async fn client(address: &RedisAddress) -> RedisResult<Client> {
    match address.target() {
        Target::Server(info) => Client::open(info.clone()),
        Target::Sentinels { sentinels, master } => {
            let asking = sentinels.iter().map(|one| Box::pin(named_by(one, master)));
            select_ok(asking).await.map(|(client, _others)| client)
        }
    }
}

/// The master of that name, as a sentinel knows it. Most ask for no password; those that do share
/// the one of the server.
async fn named_by(sentinel: &ConnectionInfo, master: &str) -> RedisResult<Client> {
    let of_server = sentinel.redis_settings();
    let without = RedisConnectionInfo::default();
    match ask_sentinel(sentinel, without, master).await {
        Err(why) if why.code() == Some("NOAUTH") && of_server.password().is_some() => {
            ask_sentinel(sentinel, of_server.clone().set_db(0), master).await
        }
        named => named,
    }
}

async fn ask_sentinel(
    sentinel: &ConnectionInfo,
    settings: RedisConnectionInfo,
    master: &str,
) -> RedisResult<Client> {
    let of_server = sentinel.redis_settings().clone();
    let mut server = SentinelNodeConnectionInfo::default().set_redis_connection_info(of_server);
    if matches!(sentinel.addr(), ConnectionAddr::TcpTls { .. }) {
        server = server.set_tls_mode(TlsMode::Secure);
    }
    let mut sentinel = Sentinel::build(vec![sentinel.clone().set_redis_settings(settings)])?;
    let asked = sentinel.async_master_for(master, Some(&server));
    let too_slow = |_elapsed| Err((ErrorKind::Io, "a sentinel has not answered").into());
    timeout(ANSWER_MAX, asked).await.unwrap_or_else(too_slow)
}

impl Connections {
    /// Counts a request. The caller limits the time.
    pub(super) async fn count(
        &self,
        windows: &SharedWindows,
        family: &KeyId,
        limit: u32,
    ) -> RedisResult<Counted> {
        self.run(windows, &windows.name(family), limit).await
    }

    async fn run(&self, windows: &SharedWindows, window: &str, limit: u32) -> RedisResult<Counted> {
        let mut connection = self.next();
        let mut script = windows.count.prepare_invoke();
        let counted = script.key(window).arg(limit);
        let (is_granted, counted, wait_micros, now_micros): (bool, u64, u64, i64) =
            counted.invoke_async(&mut connection).await?;
        // By the store's clock, so that every server shows the same.
        let now = Moment {
            unix_nanos: now_micros.saturating_mul(1000),
            monotonic: Duration::ZERO,
        };
        let limit = u64::from(limit);
        let reset = now.plus(Duration::from_micros(wait_micros)).unix_nanos;
        let usage = Usage::new(limit, limit.saturating_sub(counted), reset, now);
        Ok(Counted { is_granted, usage })
    }

    fn next(&self) -> MultiplexedConnection {
        let turn = self.turn.fetch_add(1, Ordering::Relaxed);
        self.both[turn % self.both.len()].clone()
    }

    /// The process at the other end, if it is fit for counting and says so in time.
    pub(super) async fn check(&self, windows: &SharedWindows) -> Result<Process, RedisFailure> {
        let address = windows.address.clone();
        let mut connection = self.next();
        let info = cmd("INFO");
        let asked = timeout(ANSWER_MAX, info.query_async::<String>(&mut connection)).await;
        let too_slow = |_elapsed| Err((ErrorKind::Io, "it has not answered").into());
        let info = asked.unwrap_or_else(too_slow);
        let process = match info.and_then(|info| Process::parse(&info)) {
            Ok(process) => process,
            Err(why) => return Err(RedisFailure::failed(address, why)),
        };
        match process.role {
            Role::Sentinel => Err(RedisFailure::Sentinel { address }),
            Role::OfCluster => Err(RedisFailure::Cluster { address }),
            Role::Replica => Err(RedisFailure::Replica { address }),
            Role::Master if process.policy != NO_EVICTION => {
                let policy = process.policy;
                Err(RedisFailure::Evicts { address, policy })
            }
            Role::Master => Ok(process),
        }
    }
}
