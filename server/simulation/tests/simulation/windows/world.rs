//! Servers that count in one Redis, requests and faults.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rand::Rng;
use shared::keys::key::KeyId;
use simulation::engine::{self, RedisEngine};
use simulation::limits::{MINUTE, MinuteError, RedisLimits};
use simulation::turns::{self, Ran};

use super::scripts::Fault;
use super::store::{Counted, Store};
use crate::clock::ServerClock;
use crate::seeds::Failure;
use crate::weather::Weather;
use crate::world::{self, Frame, Server, World};

/// Keys, and the limit of each.
const LIMITS: [u32; 3] = [1, 4, 9];
/// How long a request waits for all engines.
const WAIT_MAX: Duration = Duration::from_millis(250);
/// By so much the clock of the store may gain in a minute, and a window be shorter.
const GAIN_MAX: Duration = Duration::from_millis(500);

/// How a server counts, once it has connected or given that up.
type Limits = Arc<Mutex<Option<Arc<RedisLimits>>>>;

struct WindowWorld {
    store: Arc<Store>,
    host: String,
    /// When the clock of the store gained last.
    gained_at: Option<Duration>,
    /// Whether it was ever put back.
    is_put_back: bool,
    /// What clients found out.
    broken: Arc<Mutex<Option<String>>>,
    frame: Frame<Limits>,
}

/// Runs one seed.
pub(super) fn run(seed: u64, fault: Fault) -> Result<Ran, Failure> {
    world::run(seed, |frame| WindowWorld::new(frame, fault))
}

fn family(number: usize) -> KeyId {
    KeyId::parse(&format!("key_{number:016}")).unwrap()
}

impl World for WindowWorld {
    type Parts = Limits;

    const SERVERS: usize = 3;
    const EVENTS: usize = 45;
    const STEPS: u32 = 8;
    const SETTLES_WITHIN: Duration = MINUTE.saturating_add(Duration::from_secs(15));

    fn frame(&mut self) -> &mut Frame<Limits> {
        &mut self.frame
    }

    fn start(&mut self, _place: usize) -> Server<Limits> {
        let process = self.frame.next_process();
        let parts = Limits::default();
        let started = Arc::clone(&parts);
        let address = format!("redis://{}", self.host).parse().unwrap();
        turns::spawn_in(process, move || {
            let clock = Arc::<ServerClock>::default();
            let limits = turns::block_on(RedisLimits::start(address, clock)).unwrap();
            let mut started = started.lock().unwrap_or_else(PoisonError::into_inner);
            *started = Some(Arc::new(limits));
        });
        Server { process, parts }
    }

    fn event(&mut self, drawn: u32) -> Result<(), String> {
        match drawn {
            0..64 => self.requests(),
            64..76 => self.pass(turns::some_time(Duration::from_secs(4)))?,
            76..79 => self.pass(turns::some_time(Duration::from_secs(40)))?,
            79..82 => self.crash()?,
            82..86 => self.store.restart(),
            86..87 => self.store.flush(),
            87..94 => {
                let process = self.frame.draw_server().process;
                self.store.set_weather(process, Weather::draw());
            }
            94..95 => self.gain(),
            95..96 => self.jump()?,
            96..98 => self.frame.pause(Duration::from_secs(3)),
            _ => self.store.calm(),
        }
        Ok(())
    }

    fn check(&self) -> Result<(), String> {
        let mut broken = self.broken.lock().unwrap_or_else(PoisonError::into_inner);
        broken.take().map_or(Ok(()), Err)
    }

    fn calm(&self) {
        self.store.calm();
    }

    /// Every key is answered again, exactly up to its limit.
    fn settle(&mut self) -> Result<(), String> {
        if self.is_put_back {
            // What was counted by the clock as it was counts for a minute from the next request on.
            (0..LIMITS.len()).for_each(|key| self.request(&self.frame.servers[0], key));
            self.pass(MINUTE + Duration::from_secs(1))?;
        }
        let began = turns::now();
        for (key, limit) in LIMITS.into_iter().enumerate() {
            for server in &self.frame.servers {
                for _request in 0..limit {
                    self.request(server, key);
                }
            }
        }
        self.pass(Duration::from_secs(2))?;
        let state = self.store.state();
        let is_new = |counted: &&Counted| began <= counted.at && counted.is_answered;
        for (key, limit) in LIMITS.into_iter().enumerate() {
            let name = family(key).to_string();
            let of_key = |counted: &&Counted| counted.family.ends_with(&name);
            let answered = state.counted.iter().filter(is_new).filter(of_key).count();
            if answered != limit as usize {
                return Err(format!(
                    "{answered} of {limit} requests are answered in the end"
                ));
            }
        }
        Ok(())
    }
}

impl WindowWorld {
    fn new(frame: Frame<Limits>, fault: Fault) -> Self {
        static RUNS: AtomicU64 = AtomicU64::new(0);
        let store = Arc::new(Store::new(fault));
        let number = RUNS.fetch_add(1, Ordering::Relaxed);
        let host = format!("model-{number}");
        let engine: Arc<dyn RedisEngine> = Arc::<Store>::clone(&store);
        engine::put(&host, engine);
        Self {
            store,
            host,
            gained_at: None,
            is_put_back: false,
            broken: Arc::default(),
            frame,
        }
    }

    /// A few requests at once.
    fn requests(&self) {
        let key = turns::draw(|random| random.random_range(0..LIMITS.len()));
        let count = turns::draw(|random| random.random_range(1..8));
        let server = self.frame.draw_server();
        for _request in 0..count {
            self.request(server, key);
        }
    }

    fn request(&self, server: &Server<Limits>, key: usize) {
        let limits = server.parts.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(limits) = limits.clone() else { return };
        let (store, broken) = (Arc::clone(&self.store), Arc::clone(&self.broken));
        turns::spawn_in(server.process, move || {
            let family = family(key);
            let counting = limits.count(&family, LIMITS[key], WAIT_MAX);
            let judged = match turns::block_on(counting) {
                Ok(_usage) => judge_answer(&store, LIMITS[key]),
                Err(MinuteError::Exceeded(_) | MinuteError::Unavailable(_)) => Ok(()),
            };
            if let Err(promise) = judged {
                *broken.lock().unwrap_or_else(PoisonError::into_inner) = Some(promise);
            }
        });
    }

    /// The clock of the store gains as much as nobody can tell, at most once in a minute; or it is
    /// put back.
    fn gain(&mut self) {
        let now = turns::now();
        if turns::happens(30) {
            self.is_put_back = true;
            let back = turns::some_time(Duration::from_secs(100));
            self.store.put_clock(-micros(back));
        } else if self.gained_at.is_none_or(|at| at + 2 * MINUTE < now) {
            self.gained_at = Some(now);
            self.store.put_clock(micros(turns::some_time(GAIN_MAX / 2)));
        }
    }

    /// The clock of the store is put forward while every server knows what it showed a moment ago.
    fn jump(&mut self) -> Result<(), String> {
        self.store.calm();
        self.pass(Duration::from_secs(8))?;
        let jump = 2 * GAIN_MAX + turns::some_time(Duration::from_secs(100));
        self.store.put_clock(micros(jump));
        for _burst in 0..10 {
            self.requests();
            self.pass(Duration::from_millis(300))?;
        }
        Ok(())
    }
}

impl Drop for WindowWorld {
    fn drop(&mut self) {
        engine::remove(&self.host);
    }
}

fn micros(time: Duration) -> i64 {
    i64::try_from(time.as_micros()).unwrap()
}

/// What a client that is answered may hold the servers to.
fn judge_answer(store: &Store, limit: u32) -> Result<(), String> {
    let thread = turns::this_thread().unwrap();
    let Some(counted) = store.answered(thread) else {
        return Err("a request is answered that was not counted".to_owned());
    };
    let state = store.state();
    let is_of_it = |other: &&Counted| other.is_answered && other.family == counted.family;
    let mut times: Vec<_> = state
        .counted
        .iter()
        .filter(is_of_it)
        .map(|one| one.at)
        .collect();
    times.sort_unstable();
    let minute = MINUTE.saturating_sub(GAIN_MAX);
    let limit = limit as usize;
    let full = times
        .windows(limit + 1)
        .find(|times| times[limit] < times[0] + minute);
    if let Some(times) = full {
        return Err(format!(
            "more than {limit} of {} are answered: {times:?}",
            counted.family
        ));
    }
    let is_after = |lost: &&Duration| **lost < counted.at && counted.at < **lost + minute;
    if let Some(lost) = state.lost_at.iter().find(is_after) {
        let at = counted.at;
        return Err(format!(
            "counts were lost at {lost:?}, and a request of {at:?} is answered"
        ));
    }
    Ok(())
}
