//! Threads that take turns in virtual time. One runs at a time, until it waits; which one goes on
//! is drawn from the seed, and time passes when all of them wait for it.
//!
//! They are threads of the system, so that code that blocks runs as it is; only one of them ever
//! runs, so that a run depends on nothing but its seed. A thread that never waits, or that waits
//! for another in any other way than those here, stops everything.

mod record;
mod tasks;
mod time;

use std::any::Any;
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::panic::{self, AssertUnwindSafe};
use std::pin::pin;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

pub use record::Ran;
pub(crate) use tasks::{JoinHandle, spawn};
pub use tasks::{job_in, spawn_blocking};
pub(crate) use time::interval;
pub use time::{Elapsed, Sleep, pass, sleep, timeout};

/// Threads that end together: those of a server from its start to its end, or those outside of all
/// servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Process(pub u32);

impl Process {
    /// Engines, the network, and whoever asks servers.
    pub const OUTSIDE: Self = Self(0);
}

/// One thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ThreadId(u64);

/// How many events are kept, to be told with a failure.
const EVENTS_KEPT: usize = 60;
/// Stack of a thread: the code under test is shallow.
const STACK_BYTES: usize = 1 << 20;

/// All threads of a run. Dropping it ends them.
pub struct Turns {
    table: Arc<Table>,
    yielded: Receiver<Yielded>,
}

/// What threads and whoever runs them share.
struct Table {
    state: Mutex<State>,
    yields: Sender<Yielded>,
}

struct State {
    random: StdRng,
    now: Duration,
    ran: Ran,
    next: u64,
    threads: BTreeMap<ThreadId, Entry>,
    /// Those that can go on, in the order in which that came to pass.
    ready: Vec<ThreadId>,
    timers: BTreeMap<(Duration, u64), Waker>,
    /// Processes that do nothing before this time.
    paused: BTreeMap<Process, Duration>,
    events: VecDeque<String>,
}

struct Entry {
    process: Process,
    is_ready: bool,
    is_aborted: bool,
    turns: Sender<Turn>,
}

/// What a thread is told when its turn comes.
enum Turn {
    GoOn,
    /// Its process is gone.
    End,
}

/// What a thread says when its turn is over.
enum Yielded {
    Waits,
    Ended(Option<Box<dyn Any + Send>>),
}

/// What a thread unwinds with that has to end.
struct Gone;

/// What the current thread knows of itself.
struct Current {
    table: Arc<Table>,
    /// None for the one that runs the others.
    thread: Option<Own>,
}

struct Own {
    id: ThreadId,
    process: Process,
    turns: Receiver<Turn>,
}

thread_local! {
    static CURRENT: RefCell<Option<Current>> = const { RefCell::new(None) };
}

impl Turns {
    /// No threads yet. The functions of this module work on the calling thread from now on.
    pub fn new(seed: u64) -> Self {
        let (yields, yielded) = mpsc::channel();
        let state = State {
            random: StdRng::seed_from_u64(seed),
            now: Duration::ZERO,
            ran: Ran::default(),
            next: 0,
            threads: BTreeMap::new(),
            ready: Vec::new(),
            timers: BTreeMap::new(),
            paused: BTreeMap::new(),
            events: VecDeque::new(),
        };
        let table = Arc::new(Table {
            state: Mutex::new(state),
            yields,
        });
        let current = Current {
            table: Arc::clone(&table),
            thread: None,
        };
        CURRENT.with(|cell| cell.replace(Some(current)));
        Self { table, yielded }
    }

    /// Lets one thread run until it waits. Whether there was one that ever will; an error is what
    /// it panicked with.
    pub fn step(&mut self) -> Result<bool, String> {
        let Some((next, turn)) = self.table.draw_next() else {
            return Ok(false);
        };
        self.resume(next, turn)?;
        Ok(true)
    }

    /// What ran so far.
    pub fn ran(&self) -> Ran {
        self.table.lock().ran
    }

    /// Ends all threads of a process, as a kill does.
    pub fn kill(&mut self, process: Process) -> Result<(), String> {
        let of_process =
            |(id, entry): (&ThreadId, &Entry)| (entry.process == process).then_some(*id);
        let threads: Vec<_> = self
            .table
            .lock()
            .threads
            .iter()
            .filter_map(of_process)
            .collect();
        threads.into_iter().try_for_each(|thread| self.end(thread))
    }

    /// Ends one thread, as where a client goes away; nothing happens if it has ended.
    pub fn end(&mut self, thread: ThreadId) -> Result<(), String> {
        self.resume(thread, Turn::End)
    }

    /// The events before a failure, the last one last.
    pub fn events(&self) -> Vec<String> {
        self.table.lock().events.iter().cloned().collect()
    }

    fn resume(&mut self, thread: ThreadId, turn: Turn) -> Result<(), String> {
        let sent = match self.table.lock().threads.get(&thread) {
            None => return Ok(()),
            Some(entry) => entry.turns.send(turn),
        };
        let yielded = sent.is_ok().then(|| self.yielded.recv());
        let Some(Ok(Yielded::Ended(panicked))) = yielded else {
            return Ok(());
        };
        self.table.forget(thread);
        match panicked {
            Some(payload) if !payload.is::<Gone>() => Err(message(&*payload)),
            _ => Ok(()),
        }
    }
}

impl Drop for Turns {
    fn drop(&mut self) {
        loop {
            let left: Vec<_> = self.table.lock().threads.keys().copied().collect();
            if left.is_empty() {
                break;
            }
            for thread in left {
                // What it says at its end comes too late to be told.
                _ = self.end(thread);
            }
        }
        CURRENT.with(|cell| cell.replace(None));
    }
}

impl Table {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Draws the thread that goes on. Time passes until there is one.
    fn draw_next(self: &Arc<Self>) -> Option<(ThreadId, Turn)> {
        loop {
            let mut state = self.lock();
            if state.ready.is_empty() {
                let ((at, _), waker) = state.timers.pop_first()?;
                state.now = state.now.max(at);
                drop(state);
                waker.wake();
                continue;
            }
            let count = state.ready.len();
            let place = state.random.random_range(0..count);
            let id = state.ready.swap_remove(place);
            let Some(entry) = state.threads.get_mut(&id) else {
                continue;
            };
            entry.is_ready = false;
            let turn = if entry.is_aborted {
                Turn::End
            } else {
                Turn::GoOn
            };
            let process = entry.process;
            let until = state.paused.get(&process).copied().unwrap_or_default();
            if state.now < until {
                state.set_timer(until, self.waker(id));
                continue;
            }
            let now = state.now;
            state.ran.count(id, now);
            return Some((id, turn));
        }
    }

    fn waker(self: &Arc<Self>, id: ThreadId) -> Waker {
        let table = Arc::clone(self);
        Waker::from(Arc::new(WakesThread { table, id }))
    }

    fn forget(&self, id: ThreadId) {
        let mut state = self.lock();
        state.threads.remove(&id);
        state.ready.retain(|ready| *ready != id);
    }

    fn spawn(self: &Arc<Self>, process: Process, work: impl FnOnce() + Send + 'static) -> ThreadId {
        let (turns, received) = mpsc::channel();
        let mut state = self.lock();
        state.next += 1;
        let id = ThreadId(state.next);
        let entry = Entry {
            process,
            is_ready: true,
            is_aborted: false,
            turns,
        };
        state.threads.insert(id, entry);
        state.ready.push(id);
        drop(state);
        let (table, yields) = (Arc::clone(self), self.yields.clone());
        let body = move || {
            let own = Own {
                id,
                process,
                turns: received,
            };
            let ended = run(own, table, work);
            // Whoever runs the threads may be gone.
            _ = yields.send(Yielded::Ended(ended.err()));
        };
        let started = thread::Builder::new().stack_size(STACK_BYTES).spawn(body);
        started.unwrap_or_else(|error| unreachable!("a thread starts: {error}"));
        id
    }
}

impl State {
    fn set_timer(&mut self, at: Duration, waker: Waker) -> (Duration, u64) {
        self.next += 1;
        let name = (at, self.next);
        self.timers.insert(name, waker);
        name
    }

    fn wake(&mut self, id: ThreadId) {
        if let Some(entry) = self.threads.get_mut(&id)
            && !std::mem::replace(&mut entry.is_ready, true)
        {
            self.ready.push(id);
        }
    }
}

/// Waits for the first turn, then does the work.
fn run(own: Own, table: Arc<Table>, work: impl FnOnce()) -> thread::Result<()> {
    let first = own.turns.recv();
    let thread = Some(own);
    CURRENT.with(|cell| cell.replace(Some(Current { table, thread })));
    match first {
        Ok(Turn::GoOn) => panic::catch_unwind(AssertUnwindSafe(work)),
        Ok(Turn::End) | Err(_) => Ok(()),
    }
}

fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned());
    let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "a thread panicked".to_owned())
}

struct WakesThread {
    table: Arc<Table>,
    id: ThreadId,
}

impl Wake for WakesThread {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.table.lock().wake(self.id);
    }
}

fn with<T>(look: impl FnOnce(&Current) -> T) -> T {
    CURRENT.with(|cell| match &*cell.borrow() {
        Some(current) => look(current),
        None => unreachable!("no simulation runs on this thread"),
    })
}

fn table() -> Arc<Table> {
    with(|current| Arc::clone(&current.table))
}

/// The time since the run began.
pub fn now() -> Duration {
    table().lock().now
}

/// Draws something.
pub fn draw<T>(draw: impl FnOnce(&mut StdRng) -> T) -> T {
    draw(&mut table().lock().random)
}

/// Whether something happens that happens `percent` times of a hundred.
pub fn happens(percent: u32) -> bool {
    draw(|random| random.random_range(0..100) < percent)
}

/// A time up to `most`, to the microsecond.
pub fn some_time(most: Duration) -> Duration {
    let most = u64::try_from(most.as_micros()).unwrap_or(u64::MAX);
    Duration::from_micros(draw(|random| random.random_range(0..=most)))
}

/// Keeps an event, to be told with a failure.
pub fn note(event: impl FnOnce() -> String) {
    let process = with(|current| current.thread.as_ref().map(|own| own.process.0));
    let table = table();
    let mut state = table.lock();
    if state.events.len() == EVENTS_KEPT {
        state.events.pop_front();
    }
    let who = process.map_or_else(|| "-".to_owned(), |process| process.to_string());
    let event = format!("{:>12.6} s  {who:>3}  {}", state.now.as_secs_f64(), event());
    state.events.push_back(event);
}

/// The process of the current thread.
pub fn process() -> Process {
    with(|current| match &current.thread {
        Some(own) => own.process,
        None => Process::OUTSIDE,
    })
}

/// The current thread, if it takes turns.
pub fn this_thread() -> Option<ThreadId> {
    with(|current| current.thread.as_ref().map(|own| own.id))
}

/// Whether the current thread unwinds because its process is gone: nothing that it does counts.
pub fn is_gone() -> bool {
    thread::panicking()
}

/// A process does nothing for that long, as where its machine stands still.
pub fn pause(process: Process, time: Duration) {
    let table = table();
    let mut state = table.lock();
    let until = state.now.saturating_add(time);
    state.paused.insert(process, until);
}

/// Starts a thread of that process.
pub fn spawn_in(process: Process, work: impl FnOnce() + Send + 'static) -> ThreadId {
    table().spawn(process, work)
}

/// Ends the turn of the current thread until it is woken.
fn wait() {
    if is_gone() {
        return;
    }
    let turn = with(|current| {
        let own = current.thread.as_ref();
        let own = own.unwrap_or_else(|| unreachable!("it has no turns to end"));
        _ = current.table.yields.send(Yielded::Waits);
        own.turns.recv()
    });
    if !matches!(turn, Ok(Turn::GoOn)) {
        panic::resume_unwind(Box::new(Gone));
    }
}

/// Runs a future on the current thread, which waits where it waits.
pub fn block_on<F: Future>(future: F) -> F::Output {
    let id = this_thread().unwrap_or_else(|| unreachable!("it has no turns to end"));
    let waker = table().waker(id);
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => wait(),
        }
    }
}
