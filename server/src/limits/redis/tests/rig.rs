//! One server's windows in a real Redis, under their own keys, with a clock that the test moves.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use redis::{Cmd, FromRedisValue, cmd};
use shared::base::clock::ManualClock;
use tokio::runtime::Runtime;

use super::*;
use crate::limits::redis::lines::Begun;

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
    /// Straight to the Redis, whatever is between it and the windows.
    direct: redis::Client,
    prefix: String,
    prologue: String,
}

impl Rig {
    /// Windows that use the test's clock; none if there is no Redis.
    pub(super) fn start() -> Option<Self> {
        Self::at(None, |prefix| CLOCK.replace("PREFIX", prefix))
    }

    /// The same behind a proxy, which gets the address of the Redis and returns its own.
    pub(super) fn behind(proxy: impl FnOnce(&Runtime, &str) -> String) -> Option<Self> {
        Self::at(Some(Box::new(proxy)), |prefix| {
            CLOCK.replace("PREFIX", prefix)
        })
    }

    /// Windows that use the clock of the Redis.
    pub(super) fn by_its_own_clock() -> Option<Self> {
        Self::at(None, |_prefix| String::new())
    }

    #[expect(clippy::type_complexity, reason = "one place passes a closure on")]
    fn at(
        proxy: Option<Box<dyn FnOnce(&Runtime, &str) -> String + '_>>,
        prologue: impl FnOnce(&str) -> String,
    ) -> Option<Self> {
        static RIGS: AtomicU32 = AtomicU32::new(0);
        let address = std::env::var("CATALOGUE_TEST_REDIS").ok()?;
        let runtime = Runtime::new().unwrap();
        let number = RIGS.fetch_add(1, Ordering::Relaxed);
        let prefix = format!("test-{}-{number}:", std::process::id());
        let prologue = prologue(&prefix);
        let direct = redis::Client::open(&*address).unwrap();
        let clock = Arc::new(SameClock(Mutex::new(ManualClock::at(START).now())));
        let shown = proxy.map_or_else(|| address.clone(), |proxy| proxy(&runtime, &address));
        let time = (START * 1_000_000).to_string();
        tell(&direct, cmd("SET").arg(format!("{prefix}time")).arg(time));
        let limits = runtime.block_on(async {
            let place = || place(&shown, &prologue, &prefix);
            let straight = super::rig::place(&address, &prologue, &prefix);
            straight.init().await.unwrap();
            let clock: Arc<dyn Clock> = Arc::<SameClock>::clone(&clock);
            RedisLimits::in_place(place(), clock).await.unwrap()
        });
        Some(Self {
            runtime,
            limits,
            clock,
            direct,
            prefix,
            prologue,
        })
    }

    /// Another server that counts in the same windows.
    pub(super) fn another_server(&self) -> RedisLimits {
        let clock: Arc<dyn Clock> = Arc::<SameClock>::clone(&self.clock);
        self.wait(RedisLimits::in_place(self.place(), clock))
            .unwrap()
    }

    /// Starts another server, as a user that may run everything except `command`.
    pub(super) fn start_without(&self, command: &str) -> Result<RedisLimits, RedisFailure> {
        let address = std::env::var("CATALOGUE_TEST_REDIS").unwrap();
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
    pub(super) fn wait_for(&self, stands: impl FnMut(&State) -> bool) {
        let mut state = self.limits.circuit.state();
        self.wait(async { state.wait_for(stands).await.map(|_state| ()) })
            .unwrap();
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

    fn place(&self) -> Place {
        let address = std::env::var("CATALOGUE_TEST_REDIS").unwrap();
        place(&address, &self.prologue, &self.prefix)
    }

    fn key(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    fn ask<T: FromRedisValue>(&self, command: &Cmd) -> T {
        ask(&self.direct, command)
    }

    fn tell(&self, command: &Cmd) {
        tell(&self.direct, command);
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

/// The place of windows under that prefix.
pub(super) fn place(address: &str, prologue: &str, prefix: &str) -> Place {
    Place::new(address.parse().unwrap(), Scripts::new(prologue), prefix)
}

/// Blocks, so that it may be called while the clock is locked, or while a test waits.
fn ask<T: FromRedisValue>(client: &redis::Client, command: &Cmd) -> T {
    let mut connection = client.get_connection().unwrap();
    command.query(&mut connection).unwrap()
}

fn tell(client: &redis::Client, command: &Cmd) {
    let _said: redis::Value = ask(client, command);
}
