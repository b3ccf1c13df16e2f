//! What the sources of `server` find under the names of its `primitives`: time is virtual, and a
//! thread takes turns with the others.

use std::hash::{BuildHasherDefault, DefaultHasher};
pub(crate) use std::sync::{Mutex, MutexGuard, atomic};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;

pub(crate) use arc_swap::ArcSwapOption as Swap;
pub(crate) use tokio::time::MissedTickBehavior;

pub(crate) use crate::turns::{JoinHandle, interval, sleep, spawn, spawn_blocking, timeout};

/// A map with the same order in every run.
pub(crate) type HashMap<K, V> = hashbrown::HashMap<K, V, BuildHasherDefault<DefaultHasher>>;

/// The outcome of one future, for all who wait for it.
pub(crate) type Shared<T> = futures_util::future::Shared<BoxFuture<'static, T>>;

pub(crate) fn share<T: Clone>(future: impl Future<Output = T> + Send + 'static) -> Shared<T> {
    future.boxed().shared()
}
