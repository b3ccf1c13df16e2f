//! One server's windows in a real Redis, under their own keys, with a clock that the test moves.

use std::sync::atomic::{AtomicU32, Ordering};

use parking_lot::{Mutex, MutexGuard};
use redis::{Cmd, FromRedisValue, cmd};
use shared::base::clock::{ManualClock, SystemClock};
use tokio::runtime::Runtime;

use super::*;
use crate::limits::redis::address::Target;

/// Where a Redis is, and where sentinels are.
pub(super) const REDIS: &str = "CATALOGUE_TEST_REDIS";
pub(super) const SENTINELS: &str = "CATALOGUE_TEST_SENTINELS";
/// Where a Redis is that is part of a cluster.
pub(super) const CLUSTERED: &str = "CATALOGUE_TEST_CLUSTERED";

/// How long a state may take to come before it counts as missing.
const MISSING_AFTER: Duration = Duration::from_mins(1);

/// What a test puts before the script: the time is read from a key.
const CLOCK: &str = "
local store = redis
local redis = { call = function(command, ...)
  if command ~= 'TIME' then return store.call(command, ...) end
  local micros = tonumber(store.call('GET', 'PREFIXtime'))
  return { math.floor(micros / 1000000), micros % 1000000 }
end }
";

/// Windows in a Redis, and the controls of a test.
pub(super) struct Rig {
    runtime: Runtime,
    pub(super) limits: RedisLimits,
    clock: Arc<ManualClock>,
    /// The Redis itself, whatever is between it and the windows, or its sentinels.
    address: RedisAddress,
    prefix: String,
    prologue: String,
    /// What fails over does so for all tests.
    _alone: Option<MutexGuard<'static, ()>>,
}

impl Rig {
    /// Windows that use the test's clock.
    pub(super) fn start() -> Self {
        Self::behind(|_runtime, redis| redis.to_owned())
    }

    /// The same behind a proxy, which gets the address of the Redis and returns its own.
    pub(super) fn behind(proxy: impl FnOnce(&Runtime, &str) -> String) -> Self {
        Self::at(&service(REDIS), None, proxy, CLOCK)
    }

    /// The same in a Redis that sentinels name, which no other test uses meanwhile.
    pub(super) fn behind_sentinels() -> Self {
        static ALONE: Mutex<()> = Mutex::new(());
        let alone = ALONE.lock();
        let straight = |_runtime: &Runtime, sentinels: &str| sentinels.to_owned();
        Self::at(&service(SENTINELS), Some(alone), straight, CLOCK)
    }

    /// Windows that use the clock of the Redis.
    pub(super) fn by_its_own_clock() -> Self {
        Self::at(
            &service(REDIS),
            None,
            |_runtime, redis| redis.to_owned(),
            "",
        )
    }

    fn at(
        address: &str,
        alone: Option<MutexGuard<'static, ()>>,
        proxy: impl FnOnce(&Runtime, &str) -> String,
        prologue: &str,
    ) -> Self {
        static RIGS: AtomicU32 = AtomicU32::new(0);
        let runtime = Runtime::new().unwrap();
        let number = RIGS.fetch_add(1, Ordering::Relaxed);
        let prefix = format!("test-{}-{number}:", std::process::id());
        let prologue = prologue.replace("PREFIX", &prefix);
        let clock = Arc::new(ManualClock::at(START));
        let shown = proxy(&runtime, address);
        let time = START * 1_000_000;
        let parsed: RedisAddress = address.parse().unwrap();
        tell(
            &runtime,
            &parsed,
            cmd("SET").arg(format!("{prefix}time")).arg(time),
        );
        let windows = SharedWindows::with(shown.parse().unwrap(), WAIT_MAX, &prologue, &prefix);
        let counting = RedisLimits::count_in(windows, Arc::<ManualClock>::clone(&clock));
        Self {
            limits: runtime.block_on(counting).unwrap(),
            runtime,
            clock,
            address: parsed,
            prefix,
            prologue,
            _alone: alone,
        }
    }

    /// Another server that counts in the same windows.
    pub(super) fn another_server(&self) -> RedisLimits {
        self.start_at(self.address.clone()).unwrap()
    }

    /// Starts another server, as a user that may run everything except `command`.
    pub(super) fn start_without(&self, command: &str) -> Result<RedisLimits, RedisFailure> {
        let user = self.prefix.trim_end_matches(':');
        let rules = ["on", "nopass", "~*", "&*", "+@all", &format!("-{command}")];
        self.tell(cmd("ACL").arg("SETUSER").arg(user).arg(&rules));
        let address = service(REDIS).replace("redis://", &format!("redis://{user}:any@"));
        let started = self.start_at(address.parse().unwrap());
        self.tell(cmd("ACL").arg("DELUSER").arg(user));
        started
    }

    fn start_at(&self, address: RedisAddress) -> Result<RedisLimits, RedisFailure> {
        let windows = SharedWindows::with(address, WAIT_MAX, &self.prologue, &self.prefix);
        let clock = Arc::<ManualClock>::clone(&self.clock);
        self.wait(RedisLimits::count_in(windows, clock))
    }

    pub(super) fn wait<T>(&self, future: impl Future<Output = T>) -> T {
        self.runtime.block_on(future)
    }

    /// Waits until the server counts alone, or does not.
    #[track_caller]
    pub(super) fn wait_until_alone(&self, is_alone: bool) {
        let clock = SystemClock::new();
        let latest = clock.monotonic() + MISSING_AFTER;
        while self.limits.is_alone() != is_alone {
            assert!(clock.monotonic() < latest, "alone: {}", !is_alone);
            self.wait(async { sleep(Duration::from_millis(10)).await });
        }
    }

    /// Counts with another limit to the wait for Redis.
    pub(super) fn count_within(
        &self,
        wait_budget: Duration,
        family: &KeyId,
        limit: u32,
    ) -> Result<Usage, Usage> {
        self.count_on(&self.limits, wait_budget, family, limit)
    }

    /// Counts at another server.
    pub(super) fn count_at(&self, server: &RedisLimits, family: &KeyId, limit: u32) -> bool {
        self.count_on(server, WAIT_MAX, family, limit).is_ok()
    }

    fn count_on(
        &self,
        server: &RedisLimits,
        wait_budget: Duration,
        family: &KeyId,
        limit: u32,
    ) -> Result<Usage, Usage> {
        self.wait(server.count(family, limit, self.clock.now(), wait_budget))
    }

    /// The moment of requests.
    pub(super) fn now(&self) -> Moment {
        self.clock.now()
    }

    /// Moves the store's clock, and no other.
    pub(super) fn move_store(&self, seconds: i64) {
        let micros = seconds * 1_000_000;
        self.tell(cmd("INCRBY").arg(self.key("time")).arg(micros));
    }

    /// Puts the server's wall clock forward or back, and no other.
    pub(super) fn jump_wall(&self, seconds: i64) {
        self.clock.jump_wall(seconds);
    }

    /// As if the store had lost the window.
    pub(super) fn lose(&self, family: &KeyId) {
        self.tell(cmd("DEL").arg(self.window(family)));
    }

    /// As if something else had written to the window of a family.
    pub(super) fn spoil(&self, family: &KeyId, command: &str) {
        self.tell(cmd(command).arg(self.window(family)).arg("word"));
    }

    pub(super) fn forget_scripts(&self) {
        self.tell(cmd("SCRIPT").arg("FLUSH"));
    }

    /// Makes everything in a window older by a minute.
    pub(super) fn age(&self, family: &KeyId) {
        let window = self.window(family);
        let times: Vec<i64> = self.ask(cmd("LRANGE").arg(&window).arg(0).arg(-1));
        for (index, time) in times.into_iter().enumerate() {
            self.tell(cmd("LSET").arg(&window).arg(index).arg(time - 60_000_000));
        }
    }

    /// A failover, as an operator asks for one.
    pub(super) fn fail_over(&self) {
        let Target::Sentinels { sentinels, master } = self.address.target() else {
            panic!("nothing fails over");
        };
        let failover = cmd("SENTINEL").arg("FAILOVER").arg(master).to_owned();
        let sentinel = redis::Client::open(sentinels[0].clone()).unwrap();
        let mut connection = sentinel.get_connection().unwrap();
        failover.query::<()>(&mut connection).unwrap();
    }

    /// The server that sentinels name now.
    pub(super) fn server(&self) -> String {
        let examine = || self.wait(RedisLimits::examine(self.address.clone()));
        eventually(|| examine().ok()).server
    }

    fn window(&self, family: &KeyId) -> String {
        self.key(&format!("minute:{family}"))
    }

    fn key(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    fn ask<T: FromRedisValue>(&self, command: &Cmd) -> T {
        ask(&self.runtime, &self.address, command)
    }

    fn tell(&self, command: &Cmd) {
        tell(&self.runtime, &self.address, command);
    }
}

impl Windows for Rig {
    fn count(&self, family: &KeyId, limit: u32) -> Result<Usage, Usage> {
        self.count_within(WAIT_MAX, family, limit)
    }

    fn pass(&self, time: Duration) {
        let micros = i64::try_from(time.as_micros()).unwrap();
        self.tell(cmd("INCRBY").arg(self.key("time")).arg(micros));
        self.clock.advance(time);
    }

    /// Those of the last minute: a request that the server refuses by itself removes no others.
    fn held(&self, family: &KeyId) -> usize {
        let now: i64 = self.ask(cmd("GET").arg(self.key("time")));
        let times: Vec<i64> = self.ask(cmd("LRANGE").arg(self.window(family)).arg(0).arg(-1));
        let is_recent = |&&time: &&i64| now < time + 60_000_000;
        times.iter().filter(is_recent).count()
    }
}

impl Drop for Rig {
    fn drop(&mut self) {
        const REMOVE: &str =
            "for _, key in ipairs(redis.call('KEYS', ARGV[1])) do redis.call('DEL', key) end";
        let all = format!("{}*", self.prefix);
        self.tell(cmd("EVAL").arg(REMOVE).arg(0).arg(all));
    }
}

/// Where a server is, as the environment names it.
pub(super) fn service(variable: &str) -> String {
    std::env::var(variable).unwrap_or_else(|_missing| {
        panic!("{variable} names no server for this test: run .ci/with-services make test")
    })
}

fn ask<T: FromRedisValue>(runtime: &Runtime, address: &RedisAddress, command: &Cmd) -> T {
    // While it fails over, there is nobody to ask.
    let client = || runtime.block_on(connections::client(address)).ok();
    eventually(|| command.query(&mut client()?.get_connection().ok()?).ok())
}

/// What `attempt` gives once it gives something, within a minute.
#[track_caller]
fn eventually<T>(mut attempt: impl FnMut() -> Option<T>) -> T {
    let clock = SystemClock::new();
    let latest = clock.monotonic() + MISSING_AFTER;
    loop {
        if let Some(given) = attempt() {
            return given;
        }
        assert!(clock.monotonic() < latest, "not within a minute");
        std::thread::yield_now();
    }
}

fn tell(runtime: &Runtime, address: &RedisAddress, command: &Cmd) {
    let _said: redis::Value = ask(runtime, address, command);
}
