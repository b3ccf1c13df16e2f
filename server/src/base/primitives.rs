//! The synchronisation primitives of hot structures, named once: `server/models` and
//! `server/simulation` check the same sources with other primitives under the same names.

pub(crate) use std::sync::{Mutex, MutexGuard, atomic};

pub(crate) use arc_swap::ArcSwapOption as Swap;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
pub(crate) use hashbrown::HashMap;
pub(crate) use tokio::task::{JoinHandle, spawn, spawn_blocking};
pub(crate) use tokio::time::{MissedTickBehavior, interval, sleep, timeout};

/// The outcome of one future, for all who wait for it.
pub(crate) type Shared<T> = futures_util::future::Shared<BoxFuture<'static, T>>;

pub(crate) fn share<T: Clone>(future: impl Future<Output = T> + Send + 'static) -> Shared<T> {
    future.boxed().shared()
}
