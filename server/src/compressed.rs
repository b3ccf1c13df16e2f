//! A cache of compressed bodies, keyed by the hash of the uncompressed one.
//!
//! The key is the hash of the uncompressed body and the encoding, so an entry never becomes stale:
//! a new release needs no clearing, and a body that two releases share is compressed once.
//! Concurrent requests for the same body share one compression. Short bodies are compressed on the
//! calling thread, long ones on a blocking thread.
//!
//! Nothing here decides whether a compressed body is sent, nor knows HTTP.

mod coder;
#[cfg(test)]
mod tests;

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::available_parallelism;
use std::time::Duration;

use bytes::Bytes;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use shared::base::etag::{CodedETag, Coding};
use tokio::time::timeout;

use self::coder::Coder;
use crate::base::bounded;
use crate::cache::CacheFigures;
use crate::catalogue::{Queue, QueueError, QueueLimits};

/// Most bytes of compressed bodies held.
pub const BYTES_MAX: u64 = 64 * 1024 * 1024;
/// Most entries held: as many as fit if they are records of a kilobyte and a half.
pub const ENTRIES_MAX: u64 = 64 * 1024;

/// Longest body that is compressed on the calling thread: a record, or a list of the usual 20 rows,
/// which takes at most a fifth of a millisecond. A list of 100 rows takes up to six times as long,
/// so it waits for a blocking thread.
pub const AT_ONCE_BYTES_MAX: usize = 16 * 1024;

/// How long bodies wait for such a thread. It is short, because a body can also be sent
/// uncompressed.
const LIMITS: QueueLimits = QueueLimits {
    waiting_max: 64,
    waiting: Duration::from_millis(100),
    working: Duration::from_secs(1),
};

/// Why a body was not compressed. It can be sent uncompressed.
#[derive(Debug, thiserror::Error)]
pub enum CompressError {
    /// Its turn did not come, or it took too long.
    #[error(transparent)]
    Queue(#[from] QueueError),
    /// Another request compresses the same body, and is not done either.
    #[error("the same body was not compressed for another request within {waiting:?}")]
    WaitedTooLong {
        /// How long this request may wait.
        waiting: Duration,
    },
    /// The library failed.
    #[error("could not compress a body as {}", coding.name())]
    Coder {
        /// The coding.
        coding: Coding,
        /// Why not.
        #[source]
        source: io::Error,
    },
}

/// Weighs an entry by its bytes, and by at least its share of [`BYTES_MAX`], which bounds the
/// number of entries too.
#[derive(Clone)]
struct EntryWeight;

impl Weighter<CodedETag, Bytes> for EntryWeight {
    fn weight(&self, _key: &CodedETag, body: &Bytes) -> u64 {
        let bytes = u64::try_from(body.len()).unwrap_or(u64::MAX);
        bytes.max(BYTES_MAX / ENTRIES_MAX)
    }
}

type Entries = Cache<CodedETag, Bytes, EntryWeight>;

/// A bounded cache of compressed bodies.
pub struct CompressedBodies {
    entries: Entries,
    coder: Arc<Coder>,
    queue: Queue,
    hits: AtomicU64,
    misses: AtomicU64,
}

impl CompressedBodies {
    /// An empty cache.
    pub fn new() -> Self {
        let cores = available_parallelism().map_or(2, usize::from);
        Self::with_queue(Queue::new("compression", cores, LIMITS))
    }

    /// An empty cache whose long bodies wait in `queue`.
    pub(crate) fn with_queue(queue: Queue) -> Self {
        Self {
            entries: bounded::cache(EntryWeight, ENTRIES_MAX, BYTES_MAX),
            coder: Arc::default(),
            queue,
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

    /// The queue of long bodies.
    pub(crate) const fn queue(&self) -> &Queue {
        &self.queue
    }

    /// `body` in the encoding of `tag`, which has its hash. It need not be shorter.
    pub async fn get(&self, body: &Bytes, tag: CodedETag) -> Result<Bytes, CompressError> {
        // Nearly every request ends here, before timers and queues.
        if let Some(compressed) = self.entries.get(&tag) {
            self.hits.fetch_add(1, Ordering::Relaxed);
            return Ok(compressed);
        }
        let coder = Arc::clone(&self.coder);
        let compress = move |body: &[u8], coding| coder.compress(body, coding);
        Box::pin(self.get_or_compress(body, tag, compress)).await
    }

    async fn get_or_compress(
        &self,
        body: &Bytes,
        tag: CodedETag,
        compress: impl FnOnce(&[u8], Coding) -> io::Result<Vec<u8>> + Send + 'static,
    ) -> Result<Bytes, CompressError> {
        let waiting = LIMITS.waiting + LIMITS.working;
        let found = timeout(waiting, self.entries.get_value_or_guard_async(&tag)).await;
        let compressing =
            match found.map_err(|_elapsed| CompressError::WaitedTooLong { waiting })? {
                Ok(compressed) => {
                    self.hits.fetch_add(1, Ordering::Relaxed);
                    return Ok(compressed);
                }
                Err(compressing) => compressing,
            };
        self.misses.fetch_add(1, Ordering::Relaxed);
        let coding = tag.coding;
        let compressed = if body.len() <= AT_ONCE_BYTES_MAX {
            compress(body, coding)
        } else {
            let body = body.clone();
            self.queue.run(move || compress(&body, coding)).await?
        };
        let compressed = compressed.map_err(|source| CompressError::Coder { coding, source })?;
        // Drops the spare capacity, which would be held as long as the entry.
        let compressed = Bytes::from(compressed.into_boxed_slice());
        // The cache refuses only a body that is too large for it, which is then not cached.
        let _admitted = compressing.insert(compressed.clone());
        Ok(compressed)
    }
}

impl Default for CompressedBodies {
    fn default() -> Self {
        Self::new()
    }
}
