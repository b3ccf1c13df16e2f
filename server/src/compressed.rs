//! Compressed bodies, remembered by what they are the compressed form of.
//!
//! An entry is named by the hash of the uncompressed body and by the coding, so it is right for
//! ever: another release needs no clearing, and a body that two releases share is compressed once.
//! Requests that want the same at once share one compression. What is compressed here and what
//! takes long enough to have a thread of its own is decided by length.
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
/// Most entries held: what fits if they are records, of which a kilobyte and a half is left.
pub const ENTRIES_MAX: u64 = 64 * 1024;

/// Longest body that is compressed on the thread that asks: a record, or a list of the usual 20
/// rows, which takes a fifth of a millisecond at most. A list of 100 rows takes up to six times as
/// long, so it waits for a thread that may block.
pub const AT_ONCE_BYTES_MAX: usize = 16 * 1024;

/// How long bodies wait for such a thread. It is short, because there is another way out: to send
/// the body as it is.
const LIMITS: QueueLimits = QueueLimits {
    waiting_max: 64,
    waiting: Duration::from_millis(100),
    working: Duration::from_secs(1),
};

/// Why a body was not compressed. It can be sent as it is.
#[derive(Debug, thiserror::Error)]
pub enum CompressError {
    /// Its turn did not come, or it took too long.
    #[error(transparent)]
    Queue(#[from] QueueError),
    /// Another request wanted the same before, and has no answer either.
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

    /// An empty cache whose long bodies wait in that queue.
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

    /// What long bodies wait in.
    pub(crate) const fn queue(&self) -> &Queue {
        &self.queue
    }

    /// The form of `body` that `tag` names, which has the hash of `body`. It need not be shorter.
    pub async fn get(&self, body: &Bytes, tag: CodedETag) -> Result<Bytes, CompressError> {
        // Nearly every request ends here, so it comes before timers and queues.
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
        // The capacity that the library reserved would be held as long as the entry.
        let compressed = Bytes::from(compressed.into_boxed_slice());
        // The only refusal is a body too large for the cache, which is then simply not held.
        let _admitted = compressing.insert(compressed.clone());
        Ok(compressed)
    }
}

impl Default for CompressedBodies {
    fn default() -> Self {
        Self::new()
    }
}
