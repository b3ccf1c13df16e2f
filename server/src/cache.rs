//! Responses of lists, by query: a repeated list needs no query.
//!
//! An entry belongs to one release, so activating another makes all of them unreachable, and
//! eviction removes them. An entry lives no longer than the `max-age` that clients see, by the
//! monotonic clock. Identical requests that arrive together run one query. Errors are never cached.

use std::time::Duration;

use serde::Serialize;
use shared::base::clock::Moment;

pub use crate::base::weighted_cache::CacheError;
use crate::base::weighted_cache::{Bounds, CacheFigures, WeightedCache};
use crate::catalogue::ListBody;

/// How long an entry may be served: the `max-age` of `Cache-Control`, in seconds.
pub const MAX_AGE_SECONDS: u64 = 60;
/// Most lists held, and most bytes of their bodies and keys.
const BOUNDS: Bounds = Bounds {
    entries: 16 * 1024,
    bytes: 64 * 1024 * 1024,
};

/// What identifies a list response.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct ListKey {
    /// Id of the release that answers.
    pub release: String,
    /// What is listed: `boats`, `manufacturers`, or the `facets` of boats.
    pub list: &'static str,
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

    fn is_fresh(&self, now: Moment) -> bool {
        self.age_seconds(now) < MAX_AGE_SECONDS
    }
}

/// A bounded cache of list responses.
pub struct ListCache {
    entries: WeightedCache<ListKey, Entry>,
}

impl Default for ListCache {
    /// An empty cache.
    fn default() -> Self {
        let bytes_of = |key: &ListKey, entry: &Entry| {
            key.release.len() + key.query.len() + entry.body.bytes.len()
        };
        Self {
            entries: WeightedCache::new(BOUNDS, bytes_of),
        }
    }
}

impl ListCache {
    pub(crate) fn figures(&self) -> CacheFigures {
        self.entries.figures()
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
        let is_fresh = |entry: &Entry| entry.is_fresh(now);
        let (entry, is_new) = if let Some(entry) = self.entries.get_if(key, is_fresh) {
            (entry, false)
        } else {
            self.entries.remove_unless(key, is_fresh);
            let query = async {
                let (body, stored_at) = (query.await?, now.monotonic);
                Ok(Entry { body, stored_at })
            };
            self.entries.get_or_fill(key, waiting, query).await?
        };
        let age_seconds = entry.age_seconds(now);
        let freshness = if is_new {
            Freshness::Miss
        } else {
            Freshness::Hit { age_seconds }
        };
        Ok((entry.body, freshness))
    }
}

#[cfg(test)]
mod tests;
