//! What the sources of `server` find under the names of its `primitives`, made by the model
//! checker.

use std::convert::Infallible;
use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, PoisonError};
use std::task::{Context, Poll, Wake, Waker, ready};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, poll_fn};
pub(crate) use hashbrown::HashMap;
pub(crate) use loom::sync::{Mutex, MutexGuard, atomic};

/// A value that is replaced as a whole, as by `arc-swap`: what orders memory is the one atomic, as
/// there. The model checker does not see the lock of the standard library.
pub(crate) struct Swap<T> {
    current: atomic::AtomicUsize,
    all: std::sync::Mutex<Vec<Option<Arc<T>>>>,
}

impl<T> Swap<T> {
    pub(crate) fn load(&self) -> Option<Arc<T>> {
        let current = self.current.load(atomic::Ordering::Acquire);
        self.all()[current].clone()
    }

    pub(crate) fn store(&self, value: Option<Arc<T>>) {
        let new = {
            let mut all = self.all();
            all.push(value);
            all.len() - 1
        };
        self.current.store(new, atomic::Ordering::Release);
    }

    fn all(&self) -> std::sync::MutexGuard<'_, Vec<Option<Arc<T>>>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Default for Swap<T> {
    fn default() -> Self {
        Self {
            current: atomic::AtomicUsize::new(0),
            all: std::sync::Mutex::new(vec![None]),
        }
    }
}

impl<T> fmt::Debug for Swap<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Swap(..)")
    }
}

/// What becomes of work on another thread.
struct Job<T> {
    outcome: Option<T>,
    waiting: Option<Waker>,
}

/// Does `work` on a thread of its own.
pub(crate) fn spawn_blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> impl Future<Output = Result<T, Infallible>> + Send {
    let job = Arc::new(Mutex::new(Job {
        outcome: None,
        waiting: None,
    }));
    let done = Arc::clone(&job);
    loom::thread::spawn(move || {
        let outcome = work();
        let mut job = lock(&done);
        job.outcome = Some(outcome);
        let waiting = job.waiting.take();
        drop(job);
        if let Some(waker) = waiting {
            waker.wake();
        }
    });
    poll_fn(move |cx| {
        let mut job = lock(&job);
        if let Some(outcome) = job.outcome.take() {
            return Poll::Ready(Ok(outcome));
        }
        job.waiting = Some(cx.waker().clone());
        Poll::Pending
    })
}

/// The outcome of one future, for all who wait for it. The one of `futures-util` wakes others while
/// it holds a lock that the model checker does not know.
pub(crate) struct Shared<T>(Arc<Waiting<T>>);

struct Waiting<T> {
    progress: Mutex<Progress<T>>,
    wakers: Mutex<Vec<Waker>>,
}

enum Progress<T> {
    Going(BoxFuture<'static, T>),
    Over(T),
}

pub(crate) fn share<T: Clone + Send>(
    future: impl Future<Output = T> + Send + 'static,
) -> Shared<T> {
    Shared(Arc::new(Waiting {
        progress: Mutex::new(Progress::Going(future.boxed())),
        wakers: Mutex::default(),
    }))
}

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T: Clone + Send + 'static> Future for Shared<T> {
    type Output = T;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T> {
        lock(&self.0.wakers).push(cx.waker().clone());
        let mut progress = lock(&self.0.progress);
        let outcome = match &mut *progress {
            Progress::Over(outcome) => outcome.clone(),
            Progress::Going(future) => {
                let all = Waker::from(Arc::clone(&self.0));
                ready!(future.as_mut().poll(&mut Context::from_waker(&all)))
            }
        };
        *progress = Progress::Over(outcome.clone());
        drop(progress);
        self.0.wake_by_ref();
        Poll::Ready(outcome)
    }
}

impl<T: Send + 'static> Wake for Waiting<T> {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        let wakers = std::mem::take(&mut *lock(&self.wakers));
        wakers.into_iter().for_each(Waker::wake);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// In a model no time passes.
pub(crate) async fn timeout<F: Future>(_limit: Duration, work: F) -> Result<F::Output, Infallible> {
    Ok(work.await)
}

/// In a model no time passes.
pub(crate) async fn sleep(_pause: Duration) {}
