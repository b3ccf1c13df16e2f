//! S3 as a place where releases are published: what commands and servers ask of it.

use std::time::Duration;

use super::S3Releases;
use super::fetch::bytes;
use crate::base::timestamp::Timestamp;
use crate::release::pointer::Pointer;
use crate::release::prune::Pruned;
use crate::release::releases::{Before, Releases, Tended};
use crate::release::{
    Finished, Manifest, Release, ReleaseError, ReleaseId, ReleaseLock, ReleaseWriter,
};

/// Pause between two looks at the pointer.
const LOOKED_AT_EVERY: Duration = Duration::from_millis(500);

impl Releases for S3Releases {
    fn place(&self) -> String {
        self.bucket.address().to_string()
    }

    fn begin(&self) -> Result<ReleaseWriter, ReleaseError> {
        self.cache.begin()
    }

    fn finish(
        &self,
        writer: ReleaseWriter,
        published_at: &Timestamp,
    ) -> Result<Finished, ReleaseError> {
        self.publish(writer, published_at)
    }

    fn lock(&self) -> Result<ReleaseLock, ReleaseError> {
        self.cache.create()?;
        self.cache.lock()
    }

    fn is_busy(&self) -> Result<bool, ReleaseError> {
        self.cache.is_busy()
    }

    fn pointer(&self) -> Result<Option<Pointer>, ReleaseError> {
        self.read_pointer()
    }

    fn list(&self) -> Result<Vec<ReleaseId>, ReleaseError> {
        self.list_published()
    }

    fn manifest(&self, id: &ReleaseId) -> Result<Manifest, ReleaseError> {
        Ok(self.read_manifest(id)?.0)
    }

    fn size(&self, id: &ReleaseId) -> Result<u64, ReleaseError> {
        let (manifest, contents) = self.read_manifest(id)?;
        Ok(bytes(&manifest) + contents.bytes.len() as u64)
    }

    fn check_sizes(&self, id: &ReleaseId) -> Result<(), ReleaseError> {
        self.check_published(id)
    }

    fn verify(&self, id: &ReleaseId) -> Result<(), ReleaseError> {
        self.verify_in_bucket(id)
    }

    fn open(&self, id: &ReleaseId) -> Result<Release, ReleaseError> {
        self.open_copy(id)
    }

    fn open_here(&self, id: &ReleaseId) -> Result<Release, ReleaseError> {
        self.cache.open(id)
    }

    /// What servers will fetch is there in its sizes, and a copy of it has proved whole byte by
    /// byte.
    fn prove(&self, id: &ReleaseId, held: &ReleaseLock) -> Result<(), ReleaseError> {
        self.check_published(id)?;
        // Closed again before it is looked at, since nothing that is open is removed.
        let verified = self.open_copy(id)?.verify();
        match verified {
            Err(damage) if damage.is_damage() => {
                self.remove_copy(id, held)?;
                self.open_copy(id)?.verify()
            }
            verified => verified,
        }
    }

    fn prove_finished(&self, finished: &Finished) -> Result<(), ReleaseError> {
        self.check_published(&finished.id)?;
        self.cache.open(&finished.id)?.check_sizes()
    }

    fn set_current(
        &self,
        id: &ReleaseId,
        before: &Before,
        _held: &ReleaseLock,
    ) -> Result<(), ReleaseError> {
        self.mark(id)?;
        self.swap_pointer(id, before)
    }

    fn prune(&self, now_seconds: i64, held: &ReleaseLock) -> Result<Pruned, ReleaseError> {
        let mut pruned = self.judge(self.server_time(now_seconds)?, true)?;
        let copies = self.prune_copies(now_seconds, held);
        pruned.failures.extend(copies.err());
        Ok(pruned)
    }

    /// It writes nothing, so it goes by this machine's clock.
    fn prune_dry_run(&self, now_seconds: i64) -> Result<Pruned, ReleaseError> {
        self.judge(now_seconds, false)
    }

    fn followed_within(&self) -> &'static str {
        "within two seconds"
    }

    fn leave(&self) {
        self.bucket.leave();
    }

    fn looked_at_every(&self) -> Duration {
        LOOKED_AT_EVERY
    }

    fn kept_pointer(&self) -> Result<Option<Pointer>, ReleaseError> {
        self.cache.pointer()
    }

    fn keep_pointer(&self, pointer: &Pointer) -> Result<(), ReleaseError> {
        self.cache.create()?;
        self.cache.write_pointer(pointer)
    }

    fn distrust(&self, id: &ReleaseId) -> Result<(), ReleaseError> {
        let held = self.lock()?;
        self.remove_copy(id, &held)
    }

    fn mark_in_use(&self, served: &ReleaseId) -> Result<(), ReleaseError> {
        self.renew_mark(served)
    }

    fn tend(&self, served: &ReleaseId, now_seconds: i64) -> Tended {
        self.tend_copies(served, now_seconds)
    }
}
