//! A cache bounded by entries and by bytes. Whoever asks for what another request is making waits
//! for it, so a value is made once for all who want it together. Failures are not cached.
//!
//! Nothing here knows what is cached, or when it is too old.

use std::hash::Hash;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use quick_cache::sync::{Cache, DefaultLifecycle};
use quick_cache::{DefaultHashBuilder, OptionsBuilder, Weighter};
use tokio::time::timeout;

/// How much a cache may hold.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// Most entries.
    pub(crate) entries: u64,
    /// Most bytes, by the weights of the entries.
    pub(crate) bytes: u64,
}

/// Why there is no value.
#[derive(Debug, thiserror::Error)]
pub enum CacheError<E> {
    /// It could not be made.
    #[error(transparent)]
    Failed(E),
    /// Another request makes it, and is not done either. A later request may succeed.
    #[error("an identical request was not done within {waiting:?}")]
    WaitedTooLong {
        /// How long this request may wait.
        waiting: Duration,
    },
}

/// The figures of a cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CacheFigures {
    /// Lookups that found an entry.
    pub(crate) hits: u64,
    /// Lookups that did not.
    pub(crate) misses: u64,
    /// Entries held.
    pub(crate) entries: u64,
    /// Their weight in bytes.
    pub(crate) bytes: u64,
}

/// A bounded cache.
#[derive(Debug)]
pub(crate) struct WeightedCache<K, V> {
    entries: Cache<K, V, Weight<K, V>>,
    hits: AtomicU64,
    misses: AtomicU64,
}

/// Weighs an entry by its bytes, and by at least its share of the most bytes, which bounds the
/// number of entries too.
#[derive(Clone, Debug)]
struct Weight<K, V> {
    bytes_of: fn(&K, &V) -> usize,
    share: u64,
}

impl<K: Clone, V: Clone> Weighter<K, V> for Weight<K, V> {
    fn weight(&self, key: &K, value: &V) -> u64 {
        let bytes = u64::try_from((self.bytes_of)(key, value));
        bytes.unwrap_or(u64::MAX).max(self.share)
    }
}

impl<K: Clone + Eq + Hash, V: Clone> WeightedCache<K, V> {
    /// An empty cache, whose entries take as many bytes as `bytes_of` returns.
    pub(crate) fn new(bounds: Bounds, bytes_of: fn(&K, &V) -> usize) -> Self {
        let items = usize::try_from(bounds.entries).unwrap_or(usize::MAX);
        let options = OptionsBuilder::new()
            .estimated_items_capacity(items)
            .weight_capacity(bounds.bytes)
            .build()
            .unwrap_or_else(|_why| unreachable!("both capacities are given"));
        let share = bounds.bytes / bounds.entries;
        let weight = Weight { bytes_of, share };
        let (hasher, lifecycle) = (DefaultHashBuilder::default(), DefaultLifecycle::default());
        Self {
            entries: Cache::with_options(options, weight, hasher, lifecycle),
            hits: AtomicU64::new(0),
            misses: AtomicU64::new(0),
        }
    }

    /// The value, if it is held. Takes no lock that blocks other readers.
    pub(crate) fn get(&self, key: &K) -> Option<V> {
        self.get_if(key, |_value| true)
    }

    /// The value, if it is held and good.
    pub(crate) fn get_if(&self, key: &K, is_good: impl FnOnce(&V) -> bool) -> Option<V> {
        let found = self.entries.get(key).filter(is_good)?;
        self.hits.fetch_add(1, Ordering::Relaxed);
        Some(found)
    }

    /// Removes the value unless it is good.
    pub(crate) fn remove_unless(&self, key: &K, is_good: impl FnOnce(&V) -> bool) {
        self.entries.remove_if(key, |value| !is_good(value));
    }

    /// Holds a value.
    pub(crate) fn insert(&self, key: K, value: V) {
        self.entries.insert(key, value);
    }

    /// The value, held or made by `fill`, and whether it was made here.
    ///
    /// While it is made, requests for the same key wait for it, at most `waiting`. If it fails or is
    /// abandoned, one of them makes its own.
    pub(crate) async fn get_or_fill<E>(
        &self,
        key: &K,
        waiting: Duration,
        fill: impl Future<Output = Result<V, E>>,
    ) -> Result<(V, bool), CacheError<E>> {
        let found = timeout(waiting, self.entries.get_value_or_guard_async(key)).await;
        let guard = match found.map_err(|_elapsed| CacheError::WaitedTooLong { waiting })? {
            Ok(value) => {
                self.hits.fetch_add(1, Ordering::Relaxed);
                return Ok((value, false));
            }
            Err(guard) => guard,
        };
        self.misses.fetch_add(1, Ordering::Relaxed);
        let value = fill.await.map_err(CacheError::Failed)?;
        // The cache refuses only a value that is too large for it, which is then not cached.
        let _admitted = guard.insert(value.clone());
        Ok((value, true))
    }

    pub(crate) fn figures(&self) -> CacheFigures {
        CacheFigures {
            hits: self.hits.load(Ordering::Relaxed),
            misses: self.misses.load(Ordering::Relaxed),
            entries: self.entries.len() as u64,
            bytes: self.entries.weight(),
        }
    }
}
