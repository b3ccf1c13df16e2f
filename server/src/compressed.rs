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
use std::thread::available_parallelism;
use std::time::Duration;

use bytes::Bytes;
use shared::base::etag::{CodedETag, Coding};

use self::coder::Coder;
use crate::base::weighted_cache::{Bounds, CacheError, CacheFigures, WeightedCache};
use crate::catalogue::{Queue, QueueLimits};

/// Most compressed bodies held, and their bytes: as many as fit if they are records of a kilobyte
/// and a half.
const BOUNDS: Bounds = Bounds {
    entries: 64 * 1024,
    bytes: 64 * 1024 * 1024,
};

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

/// A bounded cache of compressed bodies.
pub struct CompressedBodies {
    entries: WeightedCache<CodedETag, Bytes>,
    coder: Arc<Coder>,
    queue: Queue,
}

impl Default for CompressedBodies {
    /// An empty cache.
    fn default() -> Self {
        let cores = available_parallelism().map_or(2, usize::from);
        Self::with_queue(Queue::new("compression", cores, LIMITS))
    }
}

impl CompressedBodies {
    /// An empty cache whose long bodies wait in `queue`.
    pub(crate) fn with_queue(queue: Queue) -> Self {
        Self {
            entries: WeightedCache::new(BOUNDS, |_tag, body| body.len()),
            coder: Arc::default(),
            queue,
        }
    }

    pub(crate) fn figures(&self) -> CacheFigures {
        self.entries.figures()
    }

    /// The queue of long bodies.
    pub(crate) const fn queue(&self) -> &Queue {
        &self.queue
    }

    /// `body` in the encoding of `tag`, which has its hash. It need not be shorter. If it fails, or
    /// takes too long, `body` can be sent.
    pub async fn get(&self, body: &Bytes, tag: CodedETag) -> Result<Bytes, CacheError<io::Error>> {
        // Nearly every request ends here, before timers and queues.
        if let Some(compressed) = self.entries.get(&tag) {
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
    ) -> Result<Bytes, CacheError<io::Error>> {
        let coding = tag.coding;
        let compressing = async {
            let compressed = if body.len() <= AT_ONCE_BYTES_MAX {
                compress(body, coding)
            } else {
                let body = body.clone();
                let work = self.queue.run(move || compress(&body, coding)).await;
                work.map_err(io::Error::other)?
            };
            // Drops the spare capacity, which would be held as long as the entry.
            Ok(Bytes::from(compressed?.into_boxed_slice()))
        };
        let found = self
            .entries
            .get_or_fill(&tag, LIMITS.longest(), compressing);
        found.await.map(|(compressed, _is_new)| compressed)
    }
}
