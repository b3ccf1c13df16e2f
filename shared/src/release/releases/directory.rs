//! A directory as a place where releases are published: one server, on the same machine.

use std::time::Duration;

use super::{Before, Releases};
use crate::base::timestamp::Timestamp;
use crate::release::pointer::Pointer;
use crate::release::prune::Pruned;
use crate::release::{
    Finished, Manifest, Release, ReleaseError, ReleaseId, ReleaseLock, ReleaseStore, ReleaseWriter,
};

/// Pause between two looks at the pointer.
const LOOKED_AT_EVERY: Duration = Duration::from_millis(200);

impl Releases for ReleaseStore {
    fn place(&self) -> String {
        self.data().path().display().to_string()
    }

    fn begin(&self) -> Result<ReleaseWriter, ReleaseError> {
        self.begin()
    }

    fn finish(
        &self,
        writer: ReleaseWriter,
        published_at: &Timestamp,
    ) -> Result<Finished, ReleaseError> {
        writer.finish(published_at)
    }

    fn lock(&self) -> Result<ReleaseLock, ReleaseError> {
        self.lock()
    }

    fn is_busy(&self) -> Result<bool, ReleaseError> {
        self.is_busy()
    }

    fn pointer(&self) -> Result<Option<Pointer>, ReleaseError> {
        self.pointer()
    }

    fn list(&self) -> Result<Vec<ReleaseId>, ReleaseError> {
        self.list()
    }

    fn manifest(&self, id: &ReleaseId) -> Result<Manifest, ReleaseError> {
        Ok(self.open(id)?.manifest().clone())
    }

    fn size(&self, id: &ReleaseId) -> Result<u64, ReleaseError> {
        self.size(id)
    }

    fn check_sizes(&self, id: &ReleaseId) -> Result<(), ReleaseError> {
        self.open(id)?.check_sizes()
    }

    fn verify(&self, id: &ReleaseId) -> Result<(), ReleaseError> {
        self.open(id)?.verify()
    }

    fn open(&self, id: &ReleaseId) -> Result<Release, ReleaseError> {
        self.open(id)
    }

    fn prove(&self, id: &ReleaseId, _held: &ReleaseLock) -> Result<(), ReleaseError> {
        self.open(id)?.verify()
    }

    fn prove_finished(&self, finished: &Finished) -> Result<(), ReleaseError> {
        self.open(&finished.id)?.check_sizes()
    }

    fn point_to(
        &self,
        id: &ReleaseId,
        before: &Before,
        _held: &ReleaseLock,
    ) -> Result<(), ReleaseError> {
        let now = self.pointer();
        let pointer = now.as_ref().ok().cloned().flatten();
        let now = Before::of(now)?;
        if now != *before {
            return Err(ReleaseError::overtaken(id, now));
        }
        self.write_pointer(&Pointer::after(pointer, id.clone()))
    }

    fn prune(&self, now_seconds: i64, held: &ReleaseLock) -> Result<Pruned, ReleaseError> {
        self.prune(now_seconds, held)
    }

    fn foresee_prune(&self, now_seconds: i64) -> Result<Pruned, ReleaseError> {
        self.foresee_prune(now_seconds)
    }

    fn followed_within(&self) -> &'static str {
        "within a second"
    }

    fn looked_at_every(&self) -> Duration {
        LOOKED_AT_EVERY
    }
}
