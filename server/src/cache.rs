//! Responses of lists, by query: a repeated list needs no query.
//!
//! An entry belongs to one release, so activating another makes all of them unreachable, and
//! eviction removes them. An entry lives no longer than the `max-age` that clients see, by the
//! monotonic clock. Identical requests that arrive together run one query. Errors are never cached.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use quick_cache::sync::{Cache, DefaultLifecycle, PlaceholderGuard};
use quick_cache::{DefaultHashBuilder, Weighter};
use serde::Serialize;
use shared::base::clock::Moment;
use tokio::time::timeout;

use crate::base::bounded;
use crate::catalogue::ListBody;
use crate::params::ListKind;

/// How long an entry may be served: the `max-age` of `Cache-Control`, in seconds.
pub const MAX_AGE_SECONDS: u64 = 60;
/// Most bytes of bodies and keys held.
pub const BYTES_MAX: u64 = 64 * 1024 * 1024;
/// Most entries held.
pub const ENTRIES_MAX: u64 = 16 * 1024;

/// What identifies a list response.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct ListKey {
    /// Id of the release that answers.
    pub release: String,
    /// What its rows are.
    pub list: ListKind,
    /// The canonical form of the query.
    pub query: String,
}

/// Whether a query ran for a response, and how old its body is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freshness {
    /// No query ran: the body was cached or precomputed.
    Hit {
        /// Whole seconds the body has been in the list cache; 0 for a precomputed body.
        age_seconds: u64,
    },
    /// A query ran.
    Miss,
}

/// Why there is no reply.
#[derive(Debug, thiserror::Error)]
pub enum CacheError<E> {
    /// The query failed.
    #[error(transparent)]
    Query(E),
    /// Another request runs the same query, and is not done either. A later request may succeed.
    #[error("an identical list query gave no answer within {waiting:?}")]
    WaitedTooLong {
        /// How long this request may wait.
        waiting: Duration,
    },
}

#[derive(Clone)]
struct Entry {
    body: ListBody,
    /// Monotonic time of the request that asked.
    stored_at: Duration,
}

impl Entry {
    fn age_seconds(&self, now: Moment) -> u64 {
        now.monotonic.saturating_sub(self.stored_at).as_secs()
    }

    fn is_expired(&self, now: Moment) -> bool {
        MAX_AGE_SECONDS <= self.age_seconds(now)
    }

    /// The cached response, unless it is too old.
    fn hit(self, now: Moment) -> Option<(ListBody, Freshness)> {
        let age_seconds = self.age_seconds(now);
        (age_seconds < MAX_AGE_SECONDS).then_some((self.body, Freshness::Hit { age_seconds }))
    }
}

/// Weighs an entry by its bytes, and by at least its share of [`BYTES_MAX`], which bounds the
/// number of entries too.
#[derive(Clone)]
struct EntryWeight;

impl Weighter<ListKey, Entry> for EntryWeight {
    fn weight(&self, key: &ListKey, entry: &Entry) -> u64 {
        let bytes = key.release.len() + key.query.len() + entry.body.bytes.len();
        u64::try_from(bytes)
            .unwrap_or(u64::MAX)
            .max(BYTES_MAX / ENTRIES_MAX)
    }
}

type Entries = Cache<ListKey, Entry, EntryWeight>;
type Loading<'a> = PlaceholderGuard<
    'a,
    ListKey,
    Entry,
    EntryWeight,
    DefaultHashBuilder,
    DefaultLifecycle<ListKey, Entry>,
>;

/// A bounded cache of list responses.
pub struct ListCache {
    entries: Entries,
    hits: AtomicU64,
    misses: AtomicU64,
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

impl ListCache {
    /// An empty cache.
    pub fn new() -> Self {
        Self {
            entries: bounded::cache(EntryWeight, ENTRIES_MAX, BYTES_MAX),
            hits: AtomicU64::new(0),
            misses: AtomicU64::new(0),
        }
    }

    pub(crate) fn figures(&self) -> CacheFigures {
        CacheFigures {
            hits: self.hits.load(Ordering::Relaxed),
            misses: self.misses.load(Ordering::Relaxed),
            entries: self.entries.len() as u64,
            bytes: self.entries.weight(),
        }
    }

    /// The response for `key`, from the cache, or computed by `query` and then cached.
    ///
    /// While a query runs, requests for the same key wait for it, at most `waiting`. If it fails or
    /// is abandoned, one of them runs its own.
    pub async fn get_or_query<E>(
        &self,
        key: &ListKey,
        now: Moment,
        waiting: Duration,
        query: impl Future<Output = Result<ListBody, E>>,
    ) -> Result<(ListBody, Freshness), CacheError<E>> {
        // A hit takes no lock that blocks other readers.
        if let Some(hit) = self.entries.get(key).and_then(|entry| entry.hit(now)) {
            self.hits.fetch_add(1, Ordering::Relaxed);
            return Ok(hit);
        }
        self.entries.remove_if(key, |entry| entry.is_expired(now));
        let found = timeout(waiting, self.entries.get_value_or_guard_async(key)).await;
        let found = found.map_err(|_elapsed| CacheError::WaitedTooLong { waiting })?;
        let loading: Loading<'_> = match found {
            Ok(entry) => {
                self.hits.fetch_add(1, Ordering::Relaxed);
                let age_seconds = entry.age_seconds(now);
                return Ok((entry.body, Freshness::Hit { age_seconds }));
            }
            Err(loading) => loading,
        };
        self.misses.fetch_add(1, Ordering::Relaxed);
        let body = query.await.map_err(CacheError::Query)?;
        // The cache refuses only a body that is too large for it, which is then not cached.
        let _admitted = loading.insert(Entry {
            body: body.clone(),
            stored_at: now.monotonic,
        });
        Ok((body, Freshness::Miss))
    }
}

impl Default for ListCache {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests;
