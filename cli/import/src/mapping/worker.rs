//! Threads that map, and a watch over them: an expression that never ends, or takes more memory than
//! any record needs, is reported by name instead of keeping the command waiting or taking all there is.
//!
//! ```text
//! start ─► tasks, in order ─► threads, each with programs of its own ─► pieces ─► next, in order
//! ```
//!
//! The caller starts tasks and takes their pieces, and watches the threads while it waits. The thread
//! of such an expression cannot be stopped; it ends with the process.

use std::any::Any;
use std::num::NonZero;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::anyhow;

use super::bounds::MEMORY_MAX;
use super::deep::{deep_builder, named};
use super::definition::Definition;
use super::expression::TooLarge;
use super::index::Index;
use super::mapper::Mapper;
use super::position::{Position, TICK};
use crate::finding::cut;

/// Most threads that map.
const THREADS_MAX: usize = 8;
/// What a task may hand over before it waits: a piece, and that there are no more.
const WAITING_MAX: usize = 2;
/// How long mapping one record may take.
const RECORD_TIME_MAX: Duration = Duration::from_secs(5);

type Task = Box<dyn FnOnce(&mut Mapper) + Send>;

/// The threads and the watch over them.
pub(super) struct Workers {
    tasks: Sender<Task>,
    threads: Vec<Watched>,
    definition: Arc<Definition>,
    resident_bytes: fn() -> Option<usize>,
    /// Whether no record may be begun.
    is_held: Arc<AtomicBool>,
}

/// A thread as the watch sees it.
struct Watched {
    position: Arc<Position>,
    seen: Seen,
}

/// What the watch saw when it looked last.
#[derive(Default)]
struct Seen {
    begun: u64,
    /// The memory of the process when that record was seen first.
    bytes: Option<usize>,
    /// How much it has grown since then.
    grown: usize,
    steps: u64,
    /// So often no step was made.
    ticks: u128,
}

/// Where the pieces of a task go.
pub(super) struct Pieces<T> {
    sender: SyncSender<Result<Option<T>, Broken>>,
    position: Arc<Position>,
}

/// The pieces that a task comes to.
pub(super) struct Pending<T>(Receiver<Result<Option<T>, Broken>>);

/// Why a task has no more pieces.
enum Broken {
    Failed(anyhow::Error),
    /// An expression took the task down.
    Panicked(Box<dyn Any + Send>, Arc<Position>),
}

impl<T> Pieces<T> {
    /// Hands over a piece, and waits where the one before was not taken yet.
    pub(super) fn send(&self, piece: T) -> anyhow::Result<()> {
        self.position.rest();
        let sent = self.sender.send(Ok(Some(piece)));
        sent.map_err(|_gone| anyhow!("mapping was given up"))
    }
}

impl Seen {
    /// Looks at a thread, whose process has this much memory.
    fn look(&mut self, position: &Position, bytes: Option<usize>) {
        if !position.is_busy.load(Ordering::Relaxed) {
            *self = Self::default();
            return;
        }
        let begun = position.begun.load(Ordering::Relaxed);
        if begun != self.begun || self.bytes.is_none() {
            (self.begun, self.bytes) = (begun, bytes);
        }
        self.grown = match (self.bytes, bytes) {
            (Some(before), Some(now)) => now.saturating_sub(before),
            _ => 0,
        };
        let steps = position.steps.load(Ordering::Relaxed);
        self.ticks = if steps == self.steps {
            self.ticks + 1
        } else {
            0
        };
        self.steps = steps;
    }
}

impl Workers {
    /// Starts a thread for each processor. The memory of the process is asked for with
    /// `resident_bytes`.
    pub(super) fn start(
        definition: &Arc<Definition>,
        processors: NonZero<usize>,
        index: &Arc<Index>,
        resident_bytes: fn() -> Option<usize>,
    ) -> anyhow::Result<Self> {
        let (tasks, to_do) = mpsc::channel();
        let to_do = Arc::new(Mutex::new(to_do));
        let mut workers = Self {
            tasks,
            threads: Vec::new(),
            definition: Arc::clone(definition),
            resident_bytes,
            is_held: Arc::default(),
        };
        let threads = processors.get().min(THREADS_MAX);
        for number in 0..threads {
            let position = Arc::new(Position {
                is_held: Arc::clone(&workers.is_held),
                ..Position::default()
            });
            let run = {
                let (to_do, position) = (Arc::clone(&to_do), Arc::clone(&position));
                let (definition, index) = (Arc::clone(definition), Arc::clone(index));
                move || run(&definition, index, threads, &to_do, &position)
            };
            // What one thread can map, every other one must be able to: better fewer of them.
            let builder = match deep_builder() {
                Some(builder) => builder,
                None if 0 < number => break,
                None => named(),
            };
            match builder.spawn(run) {
                Ok(_detached) => {}
                Err(_too_many) if 0 < number => break,
                Err(error) => return Err(error.into()),
            }
            workers.threads.push(Watched {
                position,
                seen: Seen::default(),
            });
        }
        Ok(workers)
    }

    /// How many threads there are.
    pub(super) const fn len(&self) -> usize {
        self.threads.len()
    }

    /// Has the next thread that is free do something.
    pub(super) fn begin<T: Send + 'static>(
        &self,
        act: impl FnOnce(&mut Mapper, &Pieces<T>) -> anyhow::Result<()> + Send + 'static,
    ) -> Pending<T> {
        let (sender, receiver) = mpsc::sync_channel(WAITING_MAX);
        let task = move |mapper: &mut Mapper| {
            let position = Arc::clone(mapper.position());
            let pieces = Pieces { sender, position };
            let acted = panic::catch_unwind(AssertUnwindSafe(|| act(mapper, &pieces)));
            let end = match acted {
                Ok(Ok(())) => Ok(None),
                Ok(Err(error)) => Err(Broken::Failed(error)),
                Err(why) => Err(Broken::Panicked(why, Arc::clone(&pieces.position))),
            };
            pieces.position.rest();
            // Where it is not wanted any more, the command ends for another reason.
            _ = pieces.sender.send(end);
        };
        // Where no thread is left, waiting for a piece fails.
        _ = self.tasks.send(Box::new(task));
        Pending(receiver)
    }

    /// The next piece of a task; none once it has ended. Waits for it as long as the threads get on.
    pub(super) fn next<T>(&mut self, pending: &Pending<T>) -> anyhow::Result<Option<T>> {
        loop {
            match pending.0.recv_timeout(TICK) {
                Ok(Ok(piece)) => return Ok(piece),
                Ok(Err(Broken::Failed(error))) => return Err(error),
                Ok(Err(Broken::Panicked(why, position))) => {
                    return Err(self.panicked(&*why, &position));
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(anyhow!("mapping ended unexpectedly"));
                }
                Err(RecvTimeoutError::Timeout) => self.look()?,
            }
        }
    }

    /// Looks whether the threads get on, and what they take.
    fn look(&mut self) -> anyhow::Result<()> {
        let bytes = (self.resident_bytes)();
        for thread in &mut self.threads {
            thread.seen.look(&thread.position, bytes);
        }
        let is_stuck =
            |thread: &&Watched| RECORD_TIME_MAX.as_millis() <= thread.seen.ticks * TICK.as_millis();
        if let Some(stuck) = self.threads.iter().find(is_stuck) {
            let seconds = RECORD_TIME_MAX.as_secs();
            let (place, code) = self.place(&stuck.position);
            return Err(anyhow!(
                "mapping the record at {place} took longer than {seconds} s: `{code}` may never end"
            ));
        }
        match self.too_large() {
            Some(position) => Err(self.takes_too_much(&position)),
            None => Ok(()),
        }
    }

    /// The thread whose record takes too much memory. Where several are at one for as long as the
    /// memory grows, no other records are begun, until it is clear which of them takes it.
    fn too_large(&self) -> Option<Arc<Position>> {
        let grown = |thread: &&Watched| thread.seen.grown;
        let large = self.threads.iter().filter(|of| MEMORY_MAX < of.seen.grown);
        let most = large.clone().map(|of| grown(&of)).max();
        self.is_held.store(most.is_some(), Ordering::Relaxed);
        let busy = self.threads.iter().filter(|of| of.seen.bytes.is_some());
        let is_clear = busy.count() == 1 || 2 * MEMORY_MAX < most?;
        // The one that was begun last, if several are left.
        let large = large.min_by_key(grown)?;
        is_clear.then(|| Arc::clone(&large.position))
    }

    fn takes_too_much(&self, position: &Position) -> anyhow::Error {
        let mebibytes = MEMORY_MAX >> 20;
        let (place, code) = self.place(position);
        anyhow!(
            "mapping the record at {place} takes more than {mebibytes} MiB of memory: `{code}` \
             makes too much"
        )
    }

    fn panicked(&self, why: &(dyn Any + Send), position: &Position) -> anyhow::Error {
        if why.is::<TooLarge>() {
            return self.takes_too_much(position);
        }
        let (place, code) = self.place(position);
        anyhow!("mapping the record at {place} ended unexpectedly: `{code}` cannot be evaluated")
    }

    /// The record and the expression that a thread began last.
    fn place(&self, position: &Position) -> (String, String) {
        let expression = position.expression.load(Ordering::Relaxed);
        let code = self.definition.expressions.get(expression);
        let code = code.map_or_else(String::new, |expression| cut(expression.code.trim()));
        let place = position.place.lock();
        let place = place.unwrap_or_else(PoisonError::into_inner);
        let place = place.as_ref();
        let place = place.map_or_else(String::new, |(file, line)| format!("{}:{line}", file.name));
        (place, code)
    }
}

/// Does task after task, as long as there are any.
fn run(
    definition: &Arc<Definition>,
    index: Arc<Index>,
    threads: usize,
    tasks: &Mutex<Receiver<Task>>,
    position: &Arc<Position>,
) {
    // A mapping is compiled when it is read, so that what is wrong with it has been told before.
    let Ok(mut mapper) = Mapper::new(definition, index, threads, Arc::clone(position)) else {
        return;
    };
    let next = || {
        let tasks = tasks.lock().unwrap_or_else(PoisonError::into_inner);
        tasks.recv()
    };
    while let Ok(task) = next() {
        task(&mut mapper);
    }
}

/// Bytes of memory that this process takes up, where the system says so.
pub(super) fn resident_bytes() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: usize = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

#[cfg(test)]
mod tests;
