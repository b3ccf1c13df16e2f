//! A pool of threads. Tasks begin in order, and what they make is taken in order.
//!
//! ```text
//! begin ─► tasks, in order ─► threads ─► pieces ─► taken, in order
//! ```
//!
//! Each thread has a state of its own, for what is expensive to make and cannot be shared. The
//! threads are our own rather than a library's or scoped ones, because one that is stuck can be
//! abandoned, while a scope would wait for it. Nothing here knows what a task does.

use std::any::Any;
use std::collections::VecDeque;
use std::io;
use std::num::NonZero;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::thread::{self, Builder};
use std::time::Duration;

use anyhow::anyhow;
use parking_lot::Mutex;

/// How often somebody who waits for a piece is called.
const TICK: Duration = Duration::from_millis(10);
/// How many pieces a task may send before it waits until one is taken.
const WAITING_MAX: usize = 2;
/// Tasks begun for each thread, so that it has another one when it finishes the first.
const AHEAD: usize = 2;

type Task<S> = Box<dyn FnOnce(&mut S) + Send>;

/// Threads that each have an `S`.
pub struct Pool<S> {
    tasks: Sender<Task<S>>,
    threads: usize,
    on_tick: Box<dyn FnMut() -> anyhow::Result<()>>,
}

/// Tasks that were begun and have not ended, in their order.
pub type Pending<T> = VecDeque<Output<T>>;

/// What a task makes.
#[derive(Debug)]
pub struct Output<T>(Receiver<Message<T>>);

/// Where a task sends what it makes.
#[derive(Debug)]
pub struct Pieces<T>(SyncSender<Message<T>>);

#[derive(Debug)]
enum Message<T> {
    Piece(T),
    End,
    Failed(anyhow::Error),
    Panicked(Box<dyn Any + Send>),
}

impl<T> Pieces<T> {
    /// Hands over a piece, and waits while too many are not taken yet.
    pub fn send(&self, piece: T) -> anyhow::Result<()> {
        let sent = self.0.send(Message::Piece(piece));
        sent.map_err(|_gone| anyhow!("nothing more is wanted"))
    }
}

impl Pool<()> {
    /// Starts so many threads of this name, or fewer if the system allows no more.
    pub fn of(threads: NonZero<usize>, name: &str) -> io::Result<Self> {
        Self::start(threads, |_| {
            Some((Builder::new().name(name.to_owned()), || Some(())))
        })
    }
}

impl<S: 'static> Pool<S> {
    /// Starts up to `wanted` threads: fewer if the system allows no more, or if `thread`, which is
    /// asked how to start each, has none. A thread makes its state first; without one it ends.
    pub fn start<F>(
        wanted: NonZero<usize>,
        mut thread: impl FnMut(usize) -> Option<(Builder, F)>,
    ) -> io::Result<Self>
    where
        F: FnOnce() -> Option<S> + Send + 'static,
    {
        let (tasks, to_do) = mpsc::channel();
        let to_do = Arc::new(Mutex::new(to_do));
        let mut threads = 0;
        while threads < wanted.get()
            && let Some((builder, state)) = thread(threads)
        {
            let to_do = Arc::clone(&to_do);
            match builder.spawn(move || run(state(), &to_do)) {
                Ok(_detached) => threads += 1,
                Err(_too_many) if 0 < threads => break,
                Err(error) => return Err(error),
            }
        }
        Ok(Self {
            tasks,
            threads,
            on_tick: Box::new(|| Ok(())),
        })
    }

    /// Has this called again and again while a piece is awaited. Its error ends the waiting.
    pub fn set_on_tick(&mut self, on_tick: impl FnMut() -> anyhow::Result<()> + 'static) {
        self.on_tick = Box::new(on_tick);
    }

    /// The most tasks that are worth beginning before the first of them ends.
    pub const fn pending_max(&self) -> usize {
        AHEAD * self.threads
    }

    /// Queues a task for the next free thread.
    pub fn begin<T: Send + 'static>(
        &self,
        act: impl FnOnce(&mut S, &Pieces<T>) -> anyhow::Result<()> + Send + 'static,
    ) -> Output<T> {
        let (sender, receiver) = mpsc::sync_channel(WAITING_MAX);
        let task = move |state: &mut S| {
            let pieces = Pieces(sender);
            let acted = panic::catch_unwind(AssertUnwindSafe(|| act(state, &pieces)));
            // If nobody receives this, nothing more is wanted.
            _ = pieces.0.send(match acted {
                Ok(Ok(())) => Message::End,
                Ok(Err(error)) => Message::Failed(error),
                Err(payload) => Message::Panicked(payload),
            });
        };
        // If no thread is left, waiting for a piece fails.
        _ = self.tasks.send(Box::new(task));
        Output(receiver)
    }

    /// The next piece of a task; `None` once it has ended. A panic of the task goes on here.
    pub fn next<T>(&mut self, output: &Output<T>) -> anyhow::Result<Option<T>> {
        loop {
            match output.0.recv_timeout(TICK) {
                Ok(Message::Piece(piece)) => return Ok(Some(piece)),
                Ok(Message::End) => return Ok(None),
                Ok(Message::Failed(error)) => return Err(error),
                Ok(Message::Panicked(payload)) => panic::resume_unwind(payload),
                Err(RecvTimeoutError::Timeout) => (self.on_tick)()?,
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(anyhow!("a thread ended unexpectedly"));
                }
            }
        }
    }

    /// Hands the pieces of the first tasks to `take` until at most `left` tasks are pending.
    pub fn take<T>(
        &mut self,
        pending: &mut Pending<T>,
        left: usize,
        take: &mut dyn FnMut(T) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        while left < pending.len()
            && let Some(first) = pending.front()
        {
            match self.next(first)? {
                Some(piece) => take(piece)?,
                None => _ = pending.pop_front(),
            }
        }
        Ok(())
    }
}

/// Runs tasks until there are no more.
fn run<S>(state: Option<S>, tasks: &Mutex<Receiver<Task<S>>>) {
    let Some(mut state) = state else { return };
    let next = || tasks.lock().recv();
    while let Ok(task) = next() {
        task(&mut state);
    }
}

/// The number of processors, as far as it is known.
pub fn processors() -> NonZero<usize> {
    thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pool() -> Pool<()> {
        Pool::of(NonZero::new(3).unwrap(), "test").unwrap()
    }

    #[test]
    fn pieces_are_taken_in_the_order_of_their_tasks() {
        let mut pool = pool();
        let (mut pending, mut taken) = (Pending::new(), Vec::new());
        for task in 0..100 {
            pending.push_back(pool.begin(move |(), pieces| {
                (0..task % 5).try_for_each(|piece| pieces.send((task, piece)))
            }));
            let left = pool.pending_max();
            let mut take = |piece| {
                taken.push(piece);
                Ok(())
            };
            pool.take(&mut pending, left, &mut take).unwrap();
            assert!(pending.len() <= left);
        }
        pool.take(&mut pending, 0, &mut |piece| {
            taken.push(piece);
            Ok(())
        })
        .unwrap();
        let expected = (0..100).flat_map(|task| (0..task % 5).map(move |piece| (task, piece)));
        assert_eq!(taken, expected.collect::<Vec<_>>());
    }

    #[test]
    fn what_fails_first_is_the_error() {
        let mut pool = pool();
        let fails = |at: u32| {
            move |(): &mut (), pieces: &Pieces<u32>| {
                (0..at).try_for_each(|piece| pieces.send(piece))?;
                Err(anyhow!("the release is corrupt"))
            }
        };
        let mut pending = Pending::from([pool.begin(fails(100))]);
        let corrupt = pool.take(&mut pending, 0, &mut |_piece| Ok(()));
        assert_eq!(corrupt.unwrap_err().to_string(), "the release is corrupt");
        let mut pending = Pending::from([pool.begin(fails(100))]);
        let full = pool.take(&mut pending, 0, &mut |piece| match piece {
            0..50 => Ok(()),
            _ => Err(anyhow!("the disk is full")),
        });
        assert_eq!(full.unwrap_err().to_string(), "the disk is full");
    }

    #[test]
    fn a_panic_goes_on_where_the_piece_is_awaited() {
        let mut pool = pool();
        let output = pool.begin(|(), _pieces: &Pieces<()>| panic!("it is broken"));
        let next = panic::catch_unwind(AssertUnwindSafe(|| pool.next(&output)));
        let reason = next.err().unwrap();
        assert_eq!(reason.downcast_ref(), Some(&"it is broken"));
        // Its thread goes on with other tasks.
        let others = [(); 9].map(|()| pool.begin(|(), pieces| pieces.send(1)));
        let sum: i32 = others.iter().filter_map(|of| pool.next(of).unwrap()).sum();
        assert_eq!(sum, 9);
    }

    #[test]
    fn whoever_waits_too_long_can_give_up() {
        let mut pool = pool();
        pool.set_on_tick(|| Err(anyhow!("it took too long")));
        let (wait, until) = mpsc::channel::<()>();
        let output = pool.begin(move |(), _pieces: &Pieces<()>| Ok(until.recv()?));
        let error = pool.next(&output).unwrap_err();
        assert_eq!(error.to_string(), "it took too long");
        drop(wait);
    }
}
