//! A pool of mapping threads, each with its own compiled programs. Tasks begin in order, and their
//! output is taken in order.
//!
//! ```text
//! begin ─► tasks, in order ─► threads ─► pieces ─► next, in order
//! ```
//!
//! The threads are our own rather than a library's or scoped ones, for three reasons. A thread
//! stuck in an endless expression can be abandoned, while a scope would wait for it. Their stacks
//! are as large as nested values need, and there are fewer threads if the system refuses such
//! stacks. And each thread keeps compiled programs, which cannot be shared and are expensive to
//! make.

use std::num::NonZero;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};

use anyhow::anyhow;
use parking_lot::Mutex;

use super::big_stack::{deep_builder, named};
use super::definition::Definition;
use super::index::Index;
use super::mapper::Mapper;
use super::watch::{Position, TICK, Watch};

/// The most mapping threads.
const THREADS_MAX: usize = 8;
/// How many messages a task may send before it waits: a piece and the end.
const WAITING_MAX: usize = 2;

type Task = Box<dyn FnOnce(&mut Mapper) + Send>;

/// The threads, and the watch over them.
pub(super) struct Workers {
    tasks: Sender<Task>,
    threads: usize,
    watch: Watch,
}

/// Where a task sends its pieces.
pub(super) struct PieceSender<T> {
    sender: SyncSender<Result<Option<T>, Broken>>,
    position: Arc<Position>,
}

/// The pieces that a task produces.
pub(super) struct TaskOutput<T>(Receiver<Result<Option<T>, Broken>>);

/// Why a task has no more pieces.
enum Broken {
    Failed(anyhow::Error),
    /// An expression made the task panic.
    Panicked(Arc<Position>),
}

impl<T> PieceSender<T> {
    /// Hands over a piece, waiting until the queue has room.
    pub(super) fn send(&self, piece: T) -> anyhow::Result<()> {
        self.position.rest();
        let sent = self.sender.send(Ok(Some(piece)));
        sent.map_err(|_gone| anyhow!("mapping was given up"))
    }
}

impl Workers {
    /// Starts a thread for each processor, as long as the system has room for their stacks.
    pub(super) fn start(
        definition: &Arc<Definition>,
        processors: NonZero<usize>,
        index: &Arc<Index>,
        mut watch: Watch,
    ) -> anyhow::Result<Self> {
        let (tasks, to_do) = mpsc::channel();
        let to_do = Arc::new(Mutex::new(to_do));
        let wanted = processors.get().min(THREADS_MAX);
        let mut threads = 0;
        while threads < wanted {
            // Every thread must be able to map the same records, so fewer threads are better than
            // smaller stacks.
            let builder = match deep_builder() {
                Some(builder) => builder,
                None if 0 < threads => break,
                None => named(),
            };
            let position = watch.add();
            let (to_do, definition) = (Arc::clone(&to_do), Arc::clone(definition));
            let index = Arc::clone(index);
            let run = move || run(&definition, index, wanted, &to_do, &position);
            match builder.spawn(run) {
                Ok(_detached) => threads += 1,
                Err(_too_many) if 0 < threads => break,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(Self {
            tasks,
            threads,
            watch,
        })
    }

    /// The number of threads.
    pub(super) const fn len(&self) -> usize {
        self.threads
    }

    /// Queues a task for the next free thread.
    pub(super) fn begin<T: Send + 'static>(
        &self,
        act: impl FnOnce(&mut Mapper, &PieceSender<T>) -> anyhow::Result<()> + Send + 'static,
    ) -> TaskOutput<T> {
        let (sender, receiver) = mpsc::sync_channel(WAITING_MAX);
        let task = move |mapper: &mut Mapper| {
            let position = Arc::clone(mapper.position());
            let pieces = PieceSender { sender, position };
            let acted = panic::catch_unwind(AssertUnwindSafe(|| act(mapper, &pieces)));
            let end = match acted {
                Ok(Ok(())) => Ok(None),
                Ok(Err(error)) => Err(Broken::Failed(error)),
                Err(_payload) => Err(Broken::Panicked(Arc::clone(&pieces.position))),
            };
            pieces.position.rest();
            // If nobody receives this, the command is ending for another reason.
            _ = pieces.sender.send(end);
        };
        // If no thread is left, waiting for a piece fails.
        _ = self.tasks.send(Box::new(task));
        TaskOutput(receiver)
    }

    /// The next piece of a task; `None` once it has ended. Waits as long as the threads make
    /// progress.
    pub(super) fn next<T>(&mut self, pending: &TaskOutput<T>) -> anyhow::Result<Option<T>> {
        loop {
            match pending.0.recv_timeout(TICK) {
                Ok(Ok(piece)) => return Ok(piece),
                Ok(Err(Broken::Failed(error))) => return Err(error),
                Ok(Err(Broken::Panicked(position))) => return Err(self.watch.panicked(&position)),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(anyhow!("mapping ended unexpectedly"));
                }
                Err(RecvTimeoutError::Timeout) => self.watch.look()?,
            }
        }
    }
}

/// Runs tasks until there are no more.
fn run(
    definition: &Arc<Definition>,
    index: Arc<Index>,
    threads: usize,
    tasks: &Mutex<Receiver<Task>>,
    position: &Arc<Position>,
) {
    // Cannot fail: the mapping was already compiled when it was read.
    let Ok(mut mapper) = Mapper::new(definition, index, threads, Arc::clone(position)) else {
        return;
    };
    let next = || tasks.lock().recv();
    while let Ok(task) = next() {
        task(&mut mapper);
    }
}
