//! Redis as a model: one process after the other, which keep all, a second less, or nothing, and
//! the network to it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rand::Rng;
use simulation::engine::{Broken, Caller, RedisEngine, Report};
use simulation::turns::{self, Process, ThreadId};

use super::scripts::{Data, Fault, Interpreter};
use crate::clock::START;
use crate::weather::{Fate, Weather};

/// Of what happened longer ago, all is on a disk that is written to every second.
const WRITTEN_WITHIN: Duration = Duration::from_secs(1);

/// What a process keeps when it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Keeps {
    /// It writes before it answers.
    All,
    /// It writes every second, or has a replica that lags.
    Most,
    /// It writes nothing.
    Nothing,
}

impl Keeps {
    fn draw() -> Self {
        let of = [Self::All, Self::Most, Self::Nothing];
        of[turns::draw(|random| random.random_range(0..of.len()))]
    }
}

/// A request that was counted.
#[derive(Clone, Debug)]
pub(crate) struct Counted {
    pub(crate) family: String,
    pub(crate) at: Duration,
    caller: Option<ThreadId>,
    /// Whether the client had its answer.
    pub(crate) is_answered: bool,
}

pub(crate) struct State {
    /// Which process answers; there is another after every restart.
    run: u64,
    keeps: Keeps,
    /// It does not run before this time.
    up_at: Duration,
    connections: BTreeSet<u64>,
    next_connection: u64,
    /// How far its clock is ahead of the right time, in microseconds.
    ahead: i64,
    /// What there was a moment ago, by when.
    former: VecDeque<(Duration, Data)>,
    weather: BTreeMap<Process, Weather>,
    pub(crate) counted: Vec<Counted>,
    /// When it lost something.
    pub(crate) lost_at: Vec<Duration>,
}

/// The store, and the network to it.
pub(crate) struct Store {
    state: Mutex<State>,
    scripts: Interpreter,
}

impl Store {
    pub(crate) fn new(fault: Fault) -> Self {
        Self {
            state: Mutex::new(State {
                run: 1,
                keeps: Keeps::draw(),
                up_at: Duration::ZERO,
                connections: BTreeSet::new(),
                next_connection: 0,
                ahead: 0,
                former: VecDeque::new(),
                weather: BTreeMap::new(),
                counted: Vec::new(),
                lost_at: Vec::new(),
            }),
            scripts: Interpreter::new(fault),
        }
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How a server reaches it from now on.
    pub(crate) fn set_weather(&self, process: Process, weather: Weather) {
        self.state().weather.insert(process, weather);
    }

    pub(crate) fn calm(&self) {
        self.state().weather.clear();
    }

    /// It ends and starts anew, with what it kept, and perhaps with other settings.
    pub(crate) fn restart(&self) {
        let mut state = self.state();
        let now = turns::now();
        match state.keeps {
            Keeps::All => {}
            Keeps::Most => {
                let count = state.former.len();
                let kept = turns::draw(|random| random.random_range(0..=count));
                if let Some((_, data)) = state.former.get(kept).cloned() {
                    self.scripts.scene().data = data;
                    state.lost_at.push(now);
                }
            }
            Keeps::Nothing => {
                self.scripts.scene().data = Data::default();
                state.lost_at.push(now);
            }
        }
        state.former.clear();
        state.run += 1;
        state.connections.clear();
        state.up_at = now + turns::some_time(Duration::from_secs(3));
        turns::note(|| format!("Redis restarts; it kept {:?}", state.keeps));
        state.keeps = Keeps::draw();
    }

    /// Somebody empties it.
    pub(crate) fn flush(&self) {
        let mut state = self.state();
        turns::note(|| "Redis is emptied".to_owned());
        self.scripts.scene().data = Data::default();
        // What is emptied is emptied for good.
        state.former.clear();
        state.lost_at.push(turns::now());
    }

    /// Its clock is put forward or back.
    pub(crate) fn put_clock(&self, micros: i64) {
        turns::note(|| format!("the clock of Redis jumps by {micros} us"));
        self.state().ahead += micros;
    }

    /// The client of that thread has its answer: what was counted for it.
    pub(crate) fn answered(&self, thread: ThreadId) -> Option<Counted> {
        let mut state = self.state();
        let of_thread = |counted: &&mut Counted| counted.caller == Some(thread);
        let counted = state.counted.iter_mut().rev().find(of_thread)?;
        counted.is_answered = true;
        Some(counted.clone())
    }

    /// One call from a server: `work` is what the process does.
    fn call<T>(
        &self,
        caller: Caller,
        connection: Option<u64>,
        work: impl FnOnce(&mut State) -> T,
    ) -> Result<T, Broken> {
        let weather = self.state().weather.get(&caller.process).copied();
        let weather = weather.unwrap_or(Weather::Calm);
        let fate = weather.fate();
        turns::pass(weather.way());
        match fate {
            Fate::Answered | Fate::LostAfter => {}
            // Sent, and read by a process that was stopped meanwhile.
            Fate::Late => turns::pass(weather.way() * 10),
            Fate::Refused | Fate::Unreached | Fate::LostBefore => return Err(Broken),
        }
        let done = {
            let mut state = self.state();
            state.is_reached(connection)?;
            work(&mut state)
        };
        turns::pass(weather.way());
        self.state().is_reached(connection)?;
        if fate == Fate::LostAfter {
            return Err(Broken);
        }
        Ok(done)
    }
}

impl State {
    /// Whether the process of that connection runs.
    fn is_reached(&self, connection: Option<u64>) -> Result<(), Broken> {
        let is_connected = connection.is_none_or(|number| self.connections.contains(&number));
        let is_up = self.up_at <= turns::now();
        (is_connected && is_up).then_some(()).ok_or(Broken)
    }

    fn micros(&self) -> i64 {
        let now = i64::try_from(turns::now().as_micros()).unwrap();
        START * 1_000_000 + now + self.ahead
    }
}

impl RedisEngine for Store {
    fn connect(&self, caller: Caller) -> Result<u64, Broken> {
        self.call(caller, None, |state| {
            state.next_connection += 1;
            let connection = state.next_connection;
            state.connections.insert(connection);
            connection
        })
    }

    fn report(&self, caller: Caller, connection: u64) -> Result<Report, Broken> {
        self.call(caller, Some(connection), |state| {
            let (run, keeps) = (state.run, state.keeps);
            let writes = i32::from(keeps != Keeps::Nothing);
            let info = format!(
                "run_id:{run}\r\nmaxmemory_policy:noeviction\r\nloading:0\r\naof_enabled:{writes}\r\n\
                 role:master\r\nconnected_slaves:0\r\n"
            );
            let appendfsync = if keeps == Keeps::All { "always" } else { "everysec" };
            let settings = [
                ("appendfsync", appendfsync),
                ("no-appendfsync-on-rewrite", "no"),
            ];
            let settings = settings.map(|(name, value)| (name.to_owned(), value.to_owned()));
            (info, BTreeMap::from(settings))
        })
    }

    fn run(
        &self,
        caller: Caller,
        connection: u64,
        (hash, keys, arguments): (String, Vec<String>, Vec<String>),
    ) -> Result<[i64; 6], Broken> {
        const COUNTED: i64 = 1;
        self.call(caller, Some(connection), |state| {
            let now = turns::now();
            let mut scene = self.scripts.scene();
            scene.now = state.micros();
            state.former.push_back((now, scene.data.clone()));
            while state
                .former
                .front()
                .is_some_and(|(at, _)| *at + WRITTEN_WITHIN < now)
            {
                state.former.pop_front();
            }
            drop(scene);
            let reply = self.scripts.run(&hash, &keys, &arguments);
            let verdict = reply[1];
            turns::note(|| format!("Redis: {} says {verdict} to {keys:?}", state.run));
            if verdict == COUNTED {
                state.counted.push(Counted {
                    family: keys[1].clone(),
                    at: now,
                    caller: caller.thread,
                    is_answered: false,
                });
            }
            reply
        })
    }
}
