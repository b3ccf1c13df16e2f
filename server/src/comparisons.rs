//! What changed between pairs of releases: compared once, and remembered as long as there is room.
//!
//! Of the release before only ids and hashes are read, wherever it is kept, on a thread that may
//! block: one comparison at a time, since one of a million records takes a second or two and
//! hundreds of megabytes. A pair never changes, so what is remembered never grows old. But it is
//! told only while the release before is kept, which is looked at again after a while, so that
//! servers that remember and those that do not say the same.

use std::sync::Arc;
use std::time::Duration;

use shared::base::clock::Moment;
use shared::release::reader::Identities;
use shared::release::{ReleaseError, ReleaseId, Releases};
use tokio::time::timeout;

use crate::base::weighted_cache::{Bounds, CacheError, WeightedCache};
use crate::catalogue::{Catalogue, Changes, Queue, QueueError, QueueLimits, finished};

/// Most pairs remembered, and most bytes of their changes: sixteen to a record.
const BOUNDS: Bounds = Bounds {
    entries: 64,
    bytes: 64 * 1024 * 1024,
};
/// Pairs that wait for their turn. Each may have to be fetched from S3. No request waits as long as
/// a comparison may take: see [`ANSWERED_WITHIN`].
const LIMITS: QueueLimits = QueueLimits {
    waiting_max: 16,
    waiting: Duration::from_secs(2),
    working: Duration::from_mins(10),
};
/// How long a request waits for a comparison, which then goes on without it. With the look before,
/// it waits no longer than one for a list may, which is what balancers in front go by.
const ANSWERED_WITHIN: Duration = Duration::from_secs(4);
/// Most comparisons at a time, since each takes much memory.
pub(crate) const COMPARED_AT_ONCE: usize = 1;
/// The work, as metrics and messages call it.
const WHAT: &str = "comparison of releases";

/// Most releases of which is remembered whether they are kept, and most bytes of that.
const LOOKED_AT: Bounds = Bounds {
    entries: 1024,
    bytes: 128 * 1024,
};
/// How long that is remembered.
const LOOKED_AT_FOR: Duration = Duration::from_secs(10);
/// Looks at releases. One that cannot be looked at so soon counts as kept.
const LOOKS: QueueLimits = QueueLimits {
    waiting_max: 16,
    waiting: Duration::from_secs(1),
    working: Duration::from_secs(1),
};
/// Most looks at a time.
pub(crate) const LOOKS_AT_ONCE: usize = 1;

/// Reads something of a release, and may block.
type Read<T> = Box<dyn Fn(&ReleaseId) -> Result<T, ReleaseError> + Send + Sync>;

/// Releases that are not served, wherever they are kept.
pub struct OtherReleases {
    /// The ids and hashes of one.
    pub identities: Read<Identities>,
    /// Whether there is one.
    pub find: Read<()>,
}

impl From<Arc<dyn Releases>> for OtherReleases {
    fn from(releases: Arc<dyn Releases>) -> Self {
        let read = Arc::clone(&releases);
        Self {
            identities: Box::new(move |id| read.identities(id)),
            find: Box::new(move |id| releases.find(id)),
        }
    }
}

/// The release before, and the id of the one after.
type Pair = (ReleaseId, String);

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
    others: OtherReleases,
    made: WeightedCache<Pair, Arc<Changes>>,
    queue: Queue,
    looked_at: WeightedCache<ReleaseId, Look>,
    looks: Queue,
}

/// Changes, and whether they were compared for this request.
type Compared = (Arc<Changes>, bool);

/// Whether a release was there, and at which monotonic time.
type Look = (bool, Duration);

impl Comparisons {
    /// Nothing compared yet.
    pub fn new(others: OtherReleases) -> Self {
        let bytes_of = |(_, after): &Pair, changes: &Arc<Changes>| after.len() + changes.bytes();
        Self {
            others,
            made: WeightedCache::new(BOUNDS, bytes_of),
            queue: Queue::new(WHAT, COMPARED_AT_ONCE, LIMITS),
            looked_at: WeightedCache::new(LOOKED_AT, |id, _look| id.as_str().len()),
            looks: Queue::new("look at a release", LOOKS_AT_ONCE, LOOKS),
        }
    }

    /// The queue before comparisons.
    pub(crate) const fn queue(&self) -> &Queue {
        &self.queue
    }

    /// What changed from the release `before` to the one of `catalogue`, whichever is newer.
    ///
    /// A pair that is compared already is waited for. Its comparison goes on when its client leaves
    /// or has waited long enough: others wait for it, and whoever comes next finds it.
    pub(crate) async fn since(
        self: &Arc<Self>,
        before: &ReleaseId,
        catalogue: &Arc<Catalogue>,
        now: Moment,
    ) -> Result<Compared, CacheError<ComparisonError>> {
        if before.as_str() == catalogue.release_id() {
            return Ok((Arc::default(), false));
        }
        self.look_at(before, now).await?;
        let pair = (before.clone(), catalogue.release_id().to_owned());
        if let Some(known) = self.made.get(&pair) {
            return Ok((known, false));
        }
        let making = tokio::spawn(Arc::clone(self).make(pair, Arc::clone(catalogue)));
        let failed = |why: QueueError| Err(CacheError::Failed(why.into()));
        let (what, working) = (WHAT, ANSWERED_WITHIN);
        let made = match timeout(working, making).await {
            Err(_goes_on) => failed(QueueError::TookTooLong { what, working }),
            Ok(made) => finished(made).unwrap_or_else(|| failed(QueueError::Stopping { what })),
        };
        if let Err(CacheError::Failed(ComparisonError::Gone(_))) = &made {
            self.remember(before, false, now);
        }
        made
    }

    /// An error if the release is not kept. That this could not be found out is no reason to refuse.
    async fn look_at(
        self: &Arc<Self>,
        id: &ReleaseId,
        now: Moment,
    ) -> Result<(), CacheError<ComparisonError>> {
        let is_recent = |(_, at): &Look| now.monotonic.saturating_sub(*at) < LOOKED_AT_FOR;
        let gone = |error| Err(CacheError::Failed(ComparisonError::Gone(error)));
        match self.looked_at.get_if(id, is_recent) {
            Some((true, _)) => return Ok(()),
            Some((false, _)) => return gone(ReleaseError::Unknown { id: id.to_string() }),
            None => {}
        }
        let (this, wanted) = (Arc::clone(self), id.clone());
        let found = self.looks.run(move || (this.others.find)(&wanted)).await;
        match found {
            Ok(Err(error)) if error.is_damage() => {
                self.remember(id, false, now);
                gone(error)
            }
            _ => {
                self.remember(id, true, now);
                Ok(())
            }
        }
    }

    fn remember(&self, id: &ReleaseId, is_kept: bool, now: Moment) {
        self.looked_at.insert(id.clone(), (is_kept, now.monotonic));
    }

    async fn make(
        self: Arc<Self>,
        pair: Pair,
        catalogue: Arc<Catalogue>,
    ) -> Result<Compared, CacheError<ComparisonError>> {
        let (this, before) = (Arc::clone(&self), pair.0.clone());
        let compare = async {
            let compare = move || {
                let before = (this.others.identities)(&before).map_err(refused)?;
                Ok(Arc::new(catalogue.changes_since(before)))
            };
            self.queue.run(compare).await?
        };
        let made = self.made.get_or_fill(&pair, ANSWERED_WITHIN, compare);
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
