//! The copies on this disk: how they are made, which are fetched ahead, and which are removed.
//!
//! Every byte is checked against the manifest on its way to the disk, and what does not match never
//! gets a release's name. A copy is made in a folder of its own, under a lock that several may
//! share; with the lock alone, all that is there was left behind.
//!
//! Fetched ahead are the releases that the active one can be rolled back to, and the newest that
//! were never active, so that whatever is activated next is here already. The active one is fetched
//! by whoever opens it. No others stay but what is open, and what was fetched a moment ago.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;

use super::pointer::SharedPointer;
use super::published::{Published, bytes};
use crate::base::data_dir::DataDir;
use crate::base::durable;
use crate::base::file_lock::FileLock;
use crate::base::regular_file;
use crate::release::interruption;
use crate::release::manifest::{FileName, MANIFEST};
use crate::release::prune::PREVIOUS_KEPT;
use crate::release::releases::Prefetched;
use crate::release::staging::Staging;
use crate::release::{Release, ReleaseError, ReleaseId, ReleaseLock, ReleaseStore, Releases};

/// Attempts to copy and open a release whose copy is removed in between.
const ATTEMPTS: u32 = 3;
/// How many of the newest releases that were never active are fetched ahead.
const AHEAD_MAX: usize = 2;
/// Copies younger than this stay: they may be about to be opened.
const YOUNG_SECONDS: i64 = 10 * 60;
/// After how long a release is tried again that could not be fetched.
const RETRY_SECONDS: i64 = 60;

/// The copies in the data directory.
pub(super) struct Copies {
    pub(super) store: ReleaseStore,
    /// Where copies are made.
    pub(super) fetching: PathBuf,
    /// For each release one that the thread which fetches it holds: what is activated while it is
    /// fetched ahead is not fetched twice.
    turns: Mutex<BTreeMap<ReleaseId, Arc<Mutex<()>>>>,
    /// What could not be fetched ahead of its activation, and until when it is not tried again.
    refused: Mutex<BTreeMap<ReleaseId, i64>>,
}

impl Copies {
    /// The copies in `directory`, which need not exist yet.
    pub(super) fn new(directory: DataDir) -> Self {
        Self {
            fetching: directory.path().join("fetching"),
            store: ReleaseStore::new(directory),
            turns: Mutex::default(),
            refused: Mutex::default(),
        }
    }

    /// The copy of a release, which is fetched if there is none.
    pub(super) fn open(
        &self,
        published: &Published,
        id: &ReleaseId,
    ) -> Result<Release, ReleaseError> {
        for _attempt in 1..ATTEMPTS {
            match self.store.open(id) {
                Err(ReleaseError::Unknown { .. }) => self.fetch(published, id)?,
                opened => return opened,
            }
        }
        self.store.open(id)
    }

    /// Makes a copy of a release, unless there is one once it is this thread's turn.
    fn fetch(&self, published: &Published, id: &ReleaseId) -> Result<(), ReleaseError> {
        let turn = Arc::clone(self.turns.lock().entry(id.clone()).or_default());
        let _turn = turn.lock();
        if self.store.directory(id).is_dir() {
            return Ok(());
        }
        self.copy(published, id)
    }

    fn copy(&self, published: &Published, id: &ReleaseId) -> Result<(), ReleaseError> {
        let (manifest, manifest_bytes) = published.read_manifest(id)?;
        published.check_files(id, &manifest)?;
        let (_shared, staging) = self.create_staging()?;
        published.listener.fetching(bytes(&manifest));
        let read = FileName::ALL.into_iter().try_for_each(|name| {
            let path = staging.path().join(name.as_str());
            let file = durable::create_new(&path).map_err(ReleaseError::io("create", &path))?;
            published.read_file(id, &manifest, name, (&file, &path))?;
            file.sync_all().map_err(ReleaseError::io("sync", &path))
        });
        published.listener.finish();
        read?;
        self.publish(id, &manifest_bytes, staging)
    }

    /// Gives a copy its name, unless another process was faster.
    fn publish(
        &self,
        id: &ReleaseId,
        manifest: &[u8],
        staging: Staging,
    ) -> Result<(), ReleaseError> {
        let path = staging.path().join(MANIFEST);
        durable::replace(&path, manifest).map_err(ReleaseError::io("write", &path))?;
        let target = self.store.directory(id);
        let releases = DataDir::new(durable::directory_of(&target));
        let created = releases.create();
        created.map_err(ReleaseError::io("create", releases.path()))?;
        match staging.publish(&target, None) {
            Ok(()) => Ok(()),
            Err(error) if is_taken(error.kind()) => Ok(()),
            Err(error) => Err(ReleaseError::io("publish", &target)(error)),
        }
    }

    /// A directory to make a copy in, and the lock that keeps others from removing it.
    fn create_staging(&self) -> Result<(FileLock, Staging), ReleaseError> {
        let folder = &self.fetching;
        let created = DataDir::new(folder).create();
        created.map_err(ReleaseError::io("create", folder))?;
        let path = folder.with_extension("lock");
        let file = regular_file::open_to_write(&path);
        let file = file.map_err(ReleaseError::io("open", &path))?;
        if file.try_lock().is_ok() {
            remove_all(folder)?;
        }
        let shared = FileLock::share(file).map_err(ReleaseError::io("lock", &path))?;
        Ok((shared, Staging::create(folder)?))
    }

    /// Fetches the wanted releases that are missing, and removes copies that are not wanted.
    pub(super) fn prefetch(
        &self,
        published: &Published,
        pointer: &SharedPointer,
        served: &ReleaseId,
        now: i64,
    ) -> Prefetched {
        let mut prefetched = Prefetched::default();
        match wanted(published, pointer) {
            Ok(wanted) => {
                self.fetch_ahead(published, &wanted, now, &mut prefetched);
                let removed = self.remove_unwanted(&wanted, served, now);
                prefetched.failures.extend(removed.err());
            }
            Err(error) => prefetched.failures.push(error),
        }
        prefetched
    }

    fn fetch_ahead(
        &self,
        published: &Published,
        wanted: &[ReleaseId],
        now: i64,
        prefetched: &mut Prefetched,
    ) {
        self.refused.lock().retain(|id, _| wanted.contains(id));
        self.turns.lock().retain(|id, _| wanted.contains(id));
        for id in wanted.iter().skip(1) {
            let refused = self.refused.lock().get(id).copied();
            if self.store.directory(id).is_dir() || refused.is_some_and(|until| now < until) {
                continue;
            }
            match self.fetch(published, id) {
                Ok(()) => prefetched.fetched.push(id.clone()),
                Err(error) => {
                    self.refused.lock().insert(id.clone(), now + RETRY_SECONDS);
                    prefetched.failures.push(error);
                }
            }
        }
    }

    /// Another process may be changing what is here; then it is done another time.
    fn remove_unwanted(
        &self,
        wanted: &[ReleaseId],
        served: &ReleaseId,
        now: i64,
    ) -> Result<(), ReleaseError> {
        if self.left(wanted, Some(served))?.is_empty() {
            return Ok(());
        }
        match self.store.lock() {
            Err(ReleaseError::Busy { .. }) => Ok(()),
            locked => self.remove_left(wanted, Some(served), now, &locked?),
        }
    }

    /// Removes the copies that are not needed, on a machine where no server may do so.
    pub(super) fn prune(
        &self,
        published: &Published,
        pointer: &SharedPointer,
        now: i64,
        held: &ReleaseLock,
    ) -> Result<(), ReleaseError> {
        self.remove_left(&wanted(published, pointer)?, None, now, held)
    }

    fn remove_left(
        &self,
        wanted: &[ReleaseId],
        served: Option<&ReleaseId>,
        now: i64,
        held: &ReleaseLock,
    ) -> Result<(), ReleaseError> {
        self.left(wanted, served)?.iter().try_for_each(|id| {
            let age_seconds = now - self.store.modified_seconds(id)?;
            if age_seconds < YOUNG_SECONDS {
                return Ok(());
            }
            self.remove(id, held)
        })
    }

    /// The copies that are not known to be needed; none where it is not known what is wanted.
    fn left(
        &self,
        wanted: &[ReleaseId],
        served: Option<&ReleaseId>,
    ) -> Result<Vec<ReleaseId>, ReleaseError> {
        if wanted.is_empty() {
            return Ok(Vec::new());
        }
        let kept = self.kept()?;
        let needed =
            |id: &ReleaseId| wanted.contains(id) || Some(id) == served || Some(id) == kept.as_ref();
        let copies = self.store.list()?.into_iter();
        Ok(copies.filter(|id| !needed(id)).collect())
    }

    fn kept(&self) -> Result<Option<ReleaseId>, ReleaseError> {
        match self.store.current() {
            Err(ReleaseError::DamagedPointer { .. }) => Ok(None),
            read => read,
        }
    }

    /// Removes a copy, unless it is open.
    pub(super) fn remove(&self, id: &ReleaseId, held: &ReleaseLock) -> Result<(), ReleaseError> {
        self.store.remove_unused(id, held)
    }
}

/// The active release first, those to roll back to, and those that may be activated next.
fn wanted(published: &Published, pointer: &SharedPointer) -> Result<Vec<ReleaseId>, ReleaseError> {
    let Some(pointer) = pointer.read()? else {
        return Ok(Vec::new());
    };
    let published = published.list()?;
    let was_active = |id: &&ReleaseId| **id == pointer.release || pointer.previous.contains(id);
    let ahead = published.iter().filter(|id| !was_active(id));
    let ahead: Vec<_> = ahead.take(AHEAD_MAX).cloned().collect();
    let previous = pointer.previous.into_iter();
    let previous = previous.filter(|id| published.contains(id));
    let wanted = [pointer.release]
        .into_iter()
        .chain(previous.take(PREVIOUS_KEPT));
    Ok(wanted.chain(ahead).collect())
}

fn is_taken(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::DirectoryNotEmpty | ErrorKind::AlreadyExists
    )
}

fn remove_all(folder: &Path) -> Result<(), ReleaseError> {
    let failed = || ReleaseError::io("empty", folder);
    for entry in fs::read_dir(folder).map_err(failed())? {
        let path = entry.map_err(failed())?.path();
        interruption::remove(&path)?;
    }
    Ok(())
}
