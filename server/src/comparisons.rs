//! What changed between pairs of releases: compared once, and remembered as long as there is room.
//!
//! Of the release before only ids and hashes are read, wherever it is kept, on a thread that may
//! block: one comparison at a time, since one of a million records takes a second or two and
//! hundreds of megabytes. A pair never changes, so what is remembered never grows old; a release
//! that is served no more makes its pairs unreachable, and eviction removes them.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::time::Duration;

use shared::release::reader::Identities;
use shared::release::{ReleaseError, ReleaseId};

use crate::base::weighted_cache::{Bounds, CacheError, WeightedCache};
use crate::catalogue::{Catalogue, Changes, Queue, QueueError, QueueLimits};

/// Most pairs remembered, and most bytes of their changes: sixteen to a record.
const BOUNDS: Bounds = Bounds {
    entries: 64,
    bytes: 64 * 1024 * 1024,
};
/// Pairs that wait for their turn. Each may have to be fetched from S3.
const LIMITS: QueueLimits = QueueLimits {
    waiting_max: 16,
    waiting: Duration::from_secs(2),
    working: Duration::from_secs(10),
};
/// Most comparisons at a time, since each takes much memory.
pub(crate) const COMPARED_AT_ONCE: usize = 1;
/// The work, as metrics and messages call it.
const WHAT: &str = "comparison of releases";

/// Reads the ids and hashes of a release, wherever it is kept.
pub type ReadIdentities = Box<dyn Fn(&ReleaseId) -> Result<Identities, ReleaseError> + Send + Sync>;

/// Two releases.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Pair {
    before: ReleaseId,
    after: String,
}

/// Why two releases were not compared.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ComparisonError {
    /// The release before is not kept, or no server can open it.
    #[error("a release cannot be compared with")]
    Gone(#[source] ReleaseError),
    /// It could not be read now.
    #[error(transparent)]
    Read(ReleaseError),
    /// It was not compared in time.
    #[error(transparent)]
    Queue(#[from] QueueError),
}

/// What changed between pairs of releases.
pub struct Comparisons {
    read: ReadIdentities,
    made: WeightedCache<Pair, Arc<Changes>>,
    queue: Queue,
}

/// Changes, and whether they were compared for this request.
type Compared = (Arc<Changes>, bool);

impl Comparisons {
    /// Nothing compared yet.
    pub fn new(read: ReadIdentities) -> Self {
        let bytes_of = |pair: &Pair, changes: &Arc<Changes>| pair.after.len() + changes.bytes();
        Self {
            read,
            made: WeightedCache::new(BOUNDS, bytes_of),
            queue: Queue::new(WHAT, COMPARED_AT_ONCE, LIMITS),
        }
    }

    /// The queue before comparisons.
    pub(crate) const fn queue(&self) -> &Queue {
        &self.queue
    }

    /// What changed from the release `before` to the one of `catalogue`, whichever is newer.
    ///
    /// A pair that is compared already is waited for. Its comparison goes on when its client
    /// leaves: others wait for it, and whoever comes next finds it.
    pub(crate) async fn since(
        self: &Arc<Self>,
        before: &ReleaseId,
        catalogue: &Arc<Catalogue>,
    ) -> Result<Compared, CacheError<ComparisonError>> {
        if before.as_str() == catalogue.release_id() {
            return Ok((Arc::default(), false));
        }
        let pair = Pair {
            before: before.clone(),
            after: catalogue.release_id().to_owned(),
        };
        if let Some(known) = self.made.get(&pair) {
            return Ok((known, false));
        }
        let making = tokio::spawn(Arc::clone(self).make(pair, Arc::clone(catalogue)));
        making
            .await
            .unwrap_or_else(|broken_off| match broken_off.try_into_panic() {
                Ok(panic) => resume_unwind(panic),
                Err(_cancelled) => {
                    let stopping = QueueError::Stopping { what: WHAT };
                    Err(CacheError::Failed(stopping.into()))
                }
            })
    }

    async fn make(
        self: Arc<Self>,
        pair: Pair,
        catalogue: Arc<Catalogue>,
    ) -> Result<Compared, CacheError<ComparisonError>> {
        let (this, before) = (Arc::clone(&self), pair.before.clone());
        let compare = async {
            let compare = move || {
                let before = (this.read)(&before).map_err(refused)?;
                Ok(Arc::new(catalogue.changes_since(before)))
            };
            self.queue.run(compare).await?
        };
        let made = self.made.get_or_fill(&pair, LIMITS.longest(), compare);
        made.await
    }
}

fn refused(error: ReleaseError) -> ComparisonError {
    if error.is_damage() {
        ComparisonError::Gone(error)
    } else {
        ComparisonError::Read(error)
    }
}
