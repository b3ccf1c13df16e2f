//! Releases published in S3, for several servers that share them, and their copies on this disk.
//!
//! ```text
//! current                       the pointer to the active release, as in a directory
//! releases/<id>/manifest.json   written last, and never over another: with it there is a release
//! releases/<id>/<file>          the other files of a release
//! in-use/<id>/<who>             a process uses the release, or is about to activate it
//! log/<time>-<who>-<number>     an entry of the log of releases
//! probe/<who>                   written to find out whether the store keeps conditions of writes
//! time/<who>                    written to read the time by S3's clock
//! ```
//!
//! The pointer is replaced only if it is still what was read, so if two operators activate at once,
//! one wins and the other gets an error. What is opened is a copy in the data directory, with every
//! byte checked against the manifest as it arrived.

mod address;
mod bucket;
mod copies;
mod log;
mod pointer;
mod probe;
mod prune;
mod published;

#[cfg(test)]
pub(super) mod tests;

use std::sync::Arc;
use std::time::Duration;

pub use self::address::{NotAnAddress, S3Address};
use self::bucket::Bucket;
pub use self::bucket::{Flaw, S3Error, S3Settings, StoreConnector, reply_fault, root_cause};
use self::copies::Copies;
use self::log::SharedLog;
use self::pointer::SharedPointer;
use self::published::Published;
pub use self::published::{NoTransferListener, TransferListener};
use super::log::{Attempt, Entry, LogPart, LogQuery, Outcome};
use super::pointer::{Pointer, Step};
use super::prune::Pruned;
use super::reader::Identities;
use super::releases::{ExpectedActive, Prefetched, Releases, TriedOut};
use super::{
    Finished, Manifest, RecordColumns, Release, ReleaseError, ReleaseId, ReleaseLock, ReleaseWriter,
};
use crate::base::clock::Clock;
use crate::base::data_dir::DataDir;
use crate::base::timestamp::Timestamp;

/// Pause between two reads of the pointer.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// The releases at an address of S3.
pub struct S3Releases {
    published: Published,
    pointer: SharedPointer,
    log: SharedLog,
    copies: Copies,
}

impl S3Releases {
    /// The releases at `address`, reached with `settings`, with copies in `data`. `who` is unique
    /// to this process.
    pub fn open(
        address: S3Address,
        settings: &S3Settings,
        data: &DataDir,
        who: String,
        listener: Box<dyn TransferListener>,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, ReleaseError> {
        let bucket = Bucket::open(address, settings)?;
        let copies = data.path().join(bucket.address().cache_name());
        let copies = Copies::new(DataDir::new(copies));
        let bucket = Arc::new(bucket);
        Ok(Self {
            pointer: SharedPointer::new(Arc::clone(&bucket), &who),
            log: SharedLog::new(Arc::clone(&bucket), who.clone()),
            published: Published::new(bucket, listener, who, clock),
            copies,
        })
    }
}

impl Releases for S3Releases {
    fn location(&self) -> String {
        self.published.bucket.address().to_string()
    }

    fn begin(&self, columns: RecordColumns) -> Result<ReleaseWriter, ReleaseError> {
        self.copies.store.begin(columns)
    }

    fn finish(
        &self,
        writer: ReleaseWriter,
        published_at: &Timestamp,
    ) -> Result<Finished, ReleaseError> {
        let store = &self.copies.store;
        let mut is_published = false;
        let finished = writer.finish_unless(published_at, |id| match self.find_equal(id)? {
            // What is here but not there was removed, or only partly sent.
            None => store.renew_equal(id, published_at),
            published => {
                is_published = true;
                Ok(published)
            }
        })?;
        if is_published {
            self.published.renew(&finished.id)?;
        } else {
            self.published.send(&store.open(&finished.id)?)?;
        }
        Ok(Finished {
            existed: is_published,
            ..finished
        })
    }

    fn lock(&self) -> Result<ReleaseLock, ReleaseError> {
        self.copies.store.create()?;
        self.copies.store.lock()
    }

    fn is_busy(&self) -> Result<bool, ReleaseError> {
        self.copies.store.is_busy()
    }

    fn pointer(&self) -> Result<Option<Pointer>, ReleaseError> {
        self.pointer.read()
    }

    fn list(&self) -> Result<Vec<ReleaseId>, ReleaseError> {
        self.published.list()
    }

    fn manifest(&self, id: &ReleaseId) -> Result<Manifest, ReleaseError> {
        Ok(self.published.read_manifest(id)?.0)
    }

    fn size(&self, id: &ReleaseId) -> Result<u64, ReleaseError> {
        self.published.size(id)
    }

    fn check_sizes(&self, id: &ReleaseId) -> Result<(), ReleaseError> {
        self.published.check(id)
    }

    fn verify(&self, id: &ReleaseId) -> Result<(), ReleaseError> {
        self.published.verify(id)
    }

    fn open(&self, id: &ReleaseId) -> Result<Release, ReleaseError> {
        self.copies.open(&self.published, id)
    }

    fn open_here(&self, id: &ReleaseId) -> Result<Release, ReleaseError> {
        self.copies.store.open(id)
    }

    /// A copy is read where there is a whole one; otherwise two files are, and not kept.
    fn identities(&self, id: &ReleaseId) -> Result<Identities, ReleaseError> {
        let copy = self.open_here(id).and_then(|copy| copy.identities());
        match copy {
            Err(error) if error.is_damage() => self.published.identities(id),
            read => read,
        }
    }

    /// What servers will fetch has the right sizes, and a copy has proved whole byte by byte.
    fn prove(&self, id: &ReleaseId, held: &ReleaseLock) -> Result<(), ReleaseError> {
        self.published.check(id)?;
        // Closed again before it is looked at, since nothing that is open is removed.
        let verified = self.open(id)?.verify();
        match verified {
            Err(damage) if damage.is_damage() => {
                self.copies.remove(id, held)?;
                self.open(id)?.verify()
            }
            verified => verified,
        }
    }

    fn prove_finished(&self, finished: &Finished) -> Result<(), ReleaseError> {
        self.published.check(&finished.id)?;
        self.open(&finished.id)?.check_sizes()
    }

    fn set_current(
        &self,
        id: &ReleaseId,
        before: &ExpectedActive,
        step: Step,
        attempt: &Attempt,
        held: &ReleaseLock,
    ) -> Result<(), ReleaseError> {
        self.published.mark(id)?;
        let entry = attempt.entry(Outcome::activated(id, before.release()));
        let swapped = self.pointer.swap(id, before, step, &self.log, &entry);
        if let Err(ReleaseError::Overtaken { .. }) = &swapped {
            let release = id.clone();
            // Nothing is changed, so the lack of this entry is the lesser failure.
            _ = self.log(&attempt.entry(Outcome::Overtaken { release }), held);
        }
        swapped
    }

    fn log(&self, entry: &Entry, _held: &ReleaseLock) -> Result<(), ReleaseError> {
        self.log.append(entry).map(|_written| ())
    }

    fn read_log(&self, query: LogQuery<'_>) -> Result<LogPart, ReleaseError> {
        self.log.read(query)
    }

    fn latest_entry(
        &self,
        is_wanted: &mut dyn FnMut(&Entry) -> bool,
    ) -> Result<Option<Entry>, ReleaseError> {
        self.log.latest(is_wanted)
    }

    fn prune(&self, now_seconds: i64, held: &ReleaseLock) -> Result<Pruned, ReleaseError> {
        let server_time = self.published.server_time(now_seconds)?;
        let mut pruned = prune::prune(&self.published, &self.pointer, server_time, true)?;
        let copies = self
            .copies
            .prune(&self.published, &self.pointer, now_seconds, held);
        pruned.failures.extend(copies.err());
        Ok(pruned)
    }

    /// It writes nothing, so it goes by this machine's clock.
    fn prune_dry_run(&self, now_seconds: i64) -> Result<Pruned, ReleaseError> {
        prune::prune(&self.published, &self.pointer, now_seconds, false)
    }

    fn followed_within(&self) -> &'static str {
        "within two seconds"
    }

    fn try_out(&self) -> Option<Result<TriedOut, ReleaseError>> {
        Some(self.pointer.try_out())
    }

    fn cancel(&self) {
        self.published.bucket.cancel();
    }

    fn poll_interval(&self) -> Duration {
        POLL_INTERVAL
    }

    fn cached_pointer(&self) -> Result<Option<Pointer>, ReleaseError> {
        self.copies.store.pointer()
    }

    fn cache_pointer(&self, pointer: &Pointer) -> Result<(), ReleaseError> {
        self.copies.store.create()?;
        self.copies.store.write_pointer(pointer)
    }

    fn invalidate(&self, id: &ReleaseId) -> Result<(), ReleaseError> {
        let held = self.lock()?;
        self.copies.remove(id, &held)
    }

    fn mark_in_use(&self, served: &ReleaseId) -> Result<(), ReleaseError> {
        self.published.renew_mark(served)
    }

    fn prefetch(&self, served: &ReleaseId, now_seconds: i64) -> Prefetched {
        self.copies
            .prefetch(&self.published, &self.pointer, served, now_seconds)
    }
}
