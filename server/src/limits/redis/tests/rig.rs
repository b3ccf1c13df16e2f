//! One server's windows in a real Redis, under their own keys, with a clock that the test moves.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use redis::{Cmd, FromRedisValue, cmd};
use shared::base::clock::ManualClock;
use tokio::runtime::Runtime;

use super::*;
use crate::limits::redis::address::Target;
use crate::limits::redis::lines::Begun;

/// Where a Redis is, and where sentinels are.
pub(super) const REDIS: &str = "CATALOGUE_TEST_REDIS";
pub(super) const SENTINELS: &str = "CATALOGUE_TEST_SENTINELS";
/// Where a Redis is that is part of a cluster.
pub(super) const CLUSTERED: &str = "CATALOGUE_TEST_CLUSTERED";

/// How much longer than usual tests wait for a Redis: the machine may be busy.
const SLACK: u32 = 60;
/// How long a state may take to come before it counts as missing.
const MISSING_AFTER: Duration = Duration::from_mins(1);

/// What a test puts before the scripts: the time is read from a key.
const CLOCK: &str = "
local store = redis
local redis = { call = function(command, ...)
  if command ~= 'TIME' then return store.call(command, ...) end
  local micros = tonumber(store.call('GET', 'PREFIXtime'))
  return { math.floor(micros / 1000000), micros % 1000000 }
end }
";

/// A clock that moves together with that of the store: nobody reads it while only one has moved.
struct SameClock(Mutex<Moment>);

impl SameClock {
    fn advance(&self, time: Duration, move_store: impl FnOnce()) {
        let mut now = self.0.lock().unwrap();
        move_store();
        *now = now.plus(time);
    }

    /// Moves the wall reading of the server, and no other.
    fn jump_wall(&self, seconds: i64) {
        self.0.lock().unwrap().unix_nanos += seconds * 1_000_000_000;
    }
}

impl Clock for SameClock {
    fn now(&self) -> Moment {
        *self.0.lock().unwrap()
    }
}

/// Windows in a Redis, and the controls of a test.
pub(super) struct Rig {
    runtime: Runtime,
    pub(super) limits: RedisLimits,
    clock: Arc<SameClock>,
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
        Self::at((REDIS, None), None, |prefix| {
            CLOCK.replace("PREFIX", prefix)
        })
    }

    /// The same in a Redis that sentinels name, which no other test uses meanwhile.
    pub(super) fn behind_sentinels() -> Self {
        static ALONE: Mutex<()> = Mutex::new(());
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let prologue = |prefix: &str| CLOCK.replace("PREFIX", prefix);
        Self::at((SENTINELS, Some(alone)), None, prologue)
    }

    /// The same behind a proxy, which gets the address of the Redis and returns its own.
    pub(super) fn behind(proxy: impl FnOnce(&Runtime, &str) -> String) -> Self {
        Self::at((REDIS, None), Some(Box::new(proxy)), |prefix| {
            CLOCK.replace("PREFIX", prefix)
        })
    }

    /// Windows that use the clock of the Redis.
    pub(super) fn by_its_own_clock() -> Self {
        Self::at((REDIS, None), None, |_prefix| String::new())
    }

    #[expect(clippy::type_complexity, reason = "one place passes a closure on")]
    fn at(
        (variable, alone): (&str, Option<MutexGuard<'static, ()>>),
        proxy: Option<Box<dyn FnOnce(&Runtime, &str) -> String + '_>>,
        prologue: impl FnOnce(&str) -> String,
    ) -> Self {
        static RIGS: AtomicU32 = AtomicU32::new(0);
        let address = service(variable);
        let runtime = Runtime::new().unwrap();
        let number = RIGS.fetch_add(1, Ordering::Relaxed);
        let prefix = format!("test-{}-{number}:", std::process::id());
        let prologue = prologue(&prefix);
        let clock = Arc::new(SameClock(Mutex::new(ManualClock::at(START).now())));
        let shown = proxy.map_or_else(|| address.clone(), |proxy| proxy(&runtime, &address));
        let time = (START * 1_000_000).to_string();
        let straight = place(&address, &prologue, &prefix);
        let direct = runtime.block_on(client(&straight));
        tell(&direct, cmd("SET").arg(format!("{prefix}time")).arg(time));
        let limits = runtime.block_on(async {
            straight.init().await.unwrap();
            let clock: Arc<dyn Clock> = Arc::<SameClock>::clone(&clock);
            let place = place(&shown, &prologue, &prefix);
            RedisLimits::in_place(place, clock).await.unwrap()
        });
        Self {
            runtime,
            limits,
            clock,
            address: address.parse().unwrap(),
            prefix,
            prologue,
            _alone: alone,
        }
    }

    /// Another server that counts in the same windows.
    pub(super) fn another_server(&self) -> RedisLimits {
        let clock: Arc<dyn Clock> = Arc::<SameClock>::clone(&self.clock);
        self.wait(RedisLimits::in_place(self.place(), clock))
            .unwrap()
    }

    /// Starts another server, as a user that may run everything except `command`.
    pub(super) fn start_without(&self, command: &str) -> Result<RedisLimits, RedisFailure> {
        let address = service(REDIS);
        let user = self.prefix.trim_end_matches(':');
        let rules = ["on", "nopass", "~*", "&*", "+@all", &format!("-{command}")];
        self.tell(cmd("ACL").arg("SETUSER").arg(user).arg(&rules));
        let address = address.replace("redis://", &format!("redis://{user}:any@"));
        let clock: Arc<dyn Clock> = Arc::<SameClock>::clone(&self.clock);
        let place = place(&address, &self.prologue, &self.prefix);
        let started = self.wait(RedisLimits::in_place(place, clock));
        self.tell(cmd("ACL").arg("DELUSER").arg(user));
        started
    }

    pub(super) fn wait<T>(&self, future: impl Future<Output = T>) -> T {
        self.runtime.block_on(future)
    }

    /// Waits until the state matches.
    #[track_caller]
    pub(super) fn wait_for(&self, stands: impl FnMut(&State) -> bool) {
        let mut state = self.limits.circuit.state();
        let waited = async { timeout(MISSING_AFTER, state.wait_for(stands)).await.is_ok() };
        let is_there = self.wait(waited);
        assert!(is_there, "still {:?}", self.limits.circuit.state().borrow());
    }

    pub(super) fn try_count(&self, family: &KeyId, limit: u32) -> Result<(), RedisFailure> {
        self.try_count_within(WAIT_MAX, family, limit)
    }

    pub(super) fn try_count_within(
        &self,
        wait_budget: Duration,
        family: &KeyId,
        limit: u32,
    ) -> Result<(), RedisFailure> {
        match self.wait(self.limits.count(family, limit, wait_budget)) {
            Err(MinuteError::Unavailable(failure)) => Err(failure),
            Ok(_) | Err(MinuteError::Exceeded(_)) => Ok(()),
        }
    }

    /// Puts the store's clock forward, and no other.
    pub(super) fn put_clock_forward(&self, time: Duration) {
        self.move_store(i64::try_from(time.as_micros()).unwrap());
    }

    pub(super) fn put_clock_back(&self, time: Duration) {
        self.move_store(-i64::try_from(time.as_micros()).unwrap());
    }

    /// Puts the server's wall clock forward or back, and no other.
    pub(super) fn jump_wall(&self, seconds: i64) {
        self.clock.jump_wall(seconds);
    }

    fn move_store(&self, micros: i64) {
        self.tell(cmd("INCRBY").arg(self.key("time")).arg(micros));
    }

    pub(super) fn remove(&self, name: &str) {
        self.tell(cmd("DEL").arg(self.key(name)));
    }

    pub(super) fn set_marker(&self, fields: &[(&str, &str)]) {
        self.tell(cmd("HSET").arg(self.key("limits")).arg(fields));
    }

    pub(super) fn forget_scripts(&self) {
        self.tell(cmd("SCRIPT").arg("FLUSH"));
    }

    /// Makes everything in a window older by `by`.
    pub(super) fn age(&self, family: &KeyId, by: Duration) {
        let window = self.key(&format!("minute:{family}"));
        let times: Vec<i64> = self.ask(cmd("LRANGE").arg(&window).arg(0).arg(-1));
        let by = i64::try_from(by.as_micros()).unwrap();
        for (place, time) in times.into_iter().enumerate() {
            self.tell(cmd("LSET").arg(&window).arg(place).arg(time - by));
        }
    }

    /// How a new connection begins now.
    pub(super) fn begin(&self) -> Begun {
        let place = self.place();
        self.wait(place.connect(&*self.clock)).unwrap().1
    }

    pub(super) fn init(&self) -> Begun {
        self.wait(self.place().init()).unwrap()
    }

    /// A failover, as an operator asks for one.
    pub(super) fn fail_over(&self) {
        let Target::Sentinels { sentinels, master } = self.address.target() else {
            panic!("nothing fails over");
        };
        let sentinel = redis::Client::open(sentinels[0].clone()).unwrap();
        tell(&sentinel, cmd("SENTINEL").arg("FAILOVER").arg(master));
    }

    /// The server that is counted in.
    pub(super) fn server(&self) -> String {
        let lines = self.limits.circuit.lines();
        lines.unwrap().server.address.to_string()
    }

    pub(super) fn place(&self) -> Place {
        let scripts = Scripts::new(&self.prologue);
        Place::new(self.address.clone(), scripts, &self.prefix).with_slack(SLACK)
    }

    fn key(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    fn ask<T: FromRedisValue>(&self, command: &Cmd) -> T {
        let place = self.place();
        // On a thread of its own, since a test may wait meanwhile.
        let client = std::thread::scope(|scope| {
            let found = scope.spawn(|| self.runtime.block_on(client(&place)));
            found.join().unwrap()
        });
        ask(&client, command)
    }

    fn tell(&self, command: &Cmd) {
        let _said: redis::Value = self.ask(command);
    }
}

impl Windows for Rig {
    fn count(&self, family: &KeyId, limit: u32) -> Result<Usage, Usage> {
        match self.wait(self.limits.count(family, limit, WAIT_MAX)) {
            Ok(usage) => Ok(usage),
            Err(MinuteError::Exceeded(usage)) => Err(usage),
            Err(MinuteError::Unavailable(failure)) => panic!("not counted: {failure}"),
        }
    }

    fn pass(&self, time: Duration) {
        self.clock.advance(time, || self.put_clock_forward(time));
    }

    fn held(&self, family: &KeyId) -> usize {
        self.ask(cmd("LLEN").arg(self.key(&format!("minute:{family}"))))
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

/// The place of windows under that prefix.
pub(super) fn place(address: &str, prologue: &str, prefix: &str) -> Place {
    Place::new(address.parse().unwrap(), Scripts::new(prologue), prefix).with_slack(SLACK)
}

/// To the server of that place.
async fn client(place: &Place) -> redis::Client {
    let server = place.find().await.unwrap();
    let Target::Server(info) = server.address.target() else {
        unreachable!("sentinels name servers");
    };
    redis::Client::open(info.clone()).unwrap()
}

/// Blocks, so that it may be called while the clock is locked, or while a test waits.
fn ask<T: FromRedisValue>(client: &redis::Client, command: &Cmd) -> T {
    let mut connection = client.get_connection().unwrap();
    command.query(&mut connection).unwrap()
}

fn tell(client: &redis::Client, command: &Cmd) {
    let _said: redis::Value = ask(client, command);
}
