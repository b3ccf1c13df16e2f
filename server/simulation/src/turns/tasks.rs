//! Work that is handed to another thread, under the names of the runtime's where the server's
//! sources call them.

use std::marker::PhantomData;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Poll, Waker};

use super::time::Elapsed;
use super::{Process, ThreadId, block_on, process, spawn_in, table};

/// What a job has come to.
struct Job<T> {
    outcome: Option<T>,
    waiting: Option<Waker>,
}

/// Does `work` on another thread of this process.
pub fn spawn_blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> impl Future<Output = Result<T, Elapsed>> + Send {
    job_in(process(), work)
}

/// Does `work` on a thread of that process. The future never ends if that process does.
pub fn job_in<T: Send + 'static>(
    process: Process,
    work: impl FnOnce() -> T + Send + 'static,
) -> impl Future<Output = Result<T, Elapsed>> + Send {
    let job = Arc::new(Mutex::new(Job {
        outcome: None,
        waiting: None,
    }));
    let done = Arc::clone(&job);
    spawn_in(process, move || {
        let outcome = work();
        let mut job = done.lock().unwrap_or_else(PoisonError::into_inner);
        job.outcome = Some(outcome);
        let waiting = job.waiting.take();
        drop(job);
        if let Some(waker) = waiting {
            waker.wake();
        }
    });
    std::future::poll_fn(move |context| {
        let mut job = job.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(outcome) = job.outcome.take() {
            return Poll::Ready(Ok(outcome));
        }
        job.waiting = Some(context.waker().clone());
        Poll::Pending
    })
}

/// A task on a thread of its own.
#[derive(Debug)]
pub(crate) struct JoinHandle<T> {
    thread: ThreadId,
    output: PhantomData<fn() -> T>,
}

/// Starts a task of this process.
pub(crate) fn spawn<T>(task: impl Future<Output = T> + Send + 'static) -> JoinHandle<T> {
    let thread = spawn_in(process(), move || {
        block_on(task);
    });
    let output = PhantomData;
    JoinHandle { thread, output }
}

impl<T> JoinHandle<T> {
    /// The task goes no further.
    pub(crate) fn abort(&self) {
        let table = table();
        let mut state = table.lock();
        if let Some(entry) = state.threads.get_mut(&self.thread) {
            entry.is_aborted = true;
        }
        state.wake(self.thread);
    }
}
