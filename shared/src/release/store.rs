//! Releases in a data directory, for a server on the same machine: publish, activate, list, open,
//! prune.
//!
//! Whatever changes anything holds one lock; readers need none, because a release never changes
//! and the pointer is replaced at once.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::in_use::Unused;
use super::interruption::{self, Change, Unfinished, uninterrupted};
use super::log::{Attempt, Entry, LogPart, LogQuery, Outcome};
use super::log_file::LogFile;
use super::manifest::MANIFEST;
use super::pointer::{Pointer, Step};
use super::prune::{Kept, Needed, PREVIOUS_KEPT, Pruned};
use super::releases::{ExpectedActive, Releases};
use super::staging::{self, Leftover, PRUNED};
use super::{
    Finished, Manifest, RecordColumns, Release, ReleaseError, ReleaseId, ReleaseLock, ReleaseWriter,
};
use crate::base::data_dir::DataDir;
use crate::base::file_lock::FileLock;
use crate::base::timestamp::Timestamp;
use crate::base::{durable, regular_file};

/// Pause between two reads of the pointer.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// The releases of a data directory.
#[derive(Clone, Debug)]
pub struct ReleaseStore {
    data: DataDir,
}

impl ReleaseStore {
    /// The store in `data`, which need not exist yet.
    pub const fn new(data: DataDir) -> Self {
        Self { data }
    }

    /// Makes the data directory, where it is missing.
    pub(super) fn create(&self) -> Result<(), ReleaseError> {
        let created = self.data.create();
        created.map_err(ReleaseError::io("create", self.data.path()))
    }

    /// Replaces the pointer.
    pub(super) fn write_pointer(&self, pointer: &Pointer) -> Result<(), ReleaseError> {
        let activated = Change::Activated(pointer.release.clone());
        uninterrupted(Some(activated), || pointer.write(&self.data.current()))
    }

    /// Where a release lies.
    pub fn directory(&self, id: &ReleaseId) -> PathBuf {
        self.data.releases().join(id.as_str())
    }

    /// The release here that has the contents of `id`, if there is one. It is wanted at that time,
    /// so it counts as young again.
    pub(super) fn renew_equal(
        &self,
        id: &ReleaseId,
        wanted_at: &Timestamp,
    ) -> Result<Option<(ReleaseId, Manifest)>, ReleaseError> {
        let equal = self.find_equal(id)?;
        if let Some((id, _manifest)) = &equal {
            staging::set_modified(&self.directory(id), wanted_at.unix_seconds())?;
        }
        Ok(equal)
    }

    /// The lock is held, so whatever is unfinished was abandoned by a killed command.
    fn remove_abandoned(&self) -> Result<(), ReleaseError> {
        staging::find_leftovers(&self.data.releases())?
            .iter()
            .try_for_each(|leftover| interruption::remove(leftover))
    }

    fn remove_unneeded(&self, now_seconds: i64, remove: bool) -> Result<Pruned, ReleaseError> {
        let pointer = match self.pointer() {
            Err(ReleaseError::DamagedPointer { .. }) => None,
            read => read?,
        };
        let ids = self.list()?;
        let needed = self.needed(pointer.as_ref(), now_seconds)?;
        let mut pruned = Pruned::default();
        // Before the releases: one of them may have the name of what a killed prune left.
        for path in self.leftovers()? {
            pruned.push_leftover(remove_leftover(path, remove));
        }
        for id in ids {
            let size = self.size(&id);
            let bytes = *size.as_ref().unwrap_or(&0);
            let kept = size.and_then(|_bytes| self.keep_or_remove(&id, &needed, remove));
            pruned.push(id, bytes, kept);
        }
        Ok(pruned)
    }

    fn keep_or_remove(
        &self,
        id: &ReleaseId,
        needed: &Needed<'_>,
        remove: bool,
    ) -> Result<Option<Kept>, ReleaseError> {
        if let Some(reason) = needed.reason(id, || self.modified_seconds(id))? {
            return Ok(Some(reason));
        }
        remove_unused(id, &self.directory(id), remove, Some(Change::Pruned))
    }

    fn needed<'a>(
        &self,
        pointer: Option<&'a Pointer>,
        now_seconds: i64,
    ) -> Result<Needed<'a>, ReleaseError> {
        let mut previous = Vec::new();
        for id in pointer.map_or(&[][..], |pointer| &pointer.previous) {
            if previous.len() < PREVIOUS_KEPT && self.is_in_full(id)? {
                previous.push(id);
            }
        }
        Ok(Needed {
            active: pointer.map(|pointer| &pointer.release),
            previous,
            now_seconds,
        })
    }

    /// Removes a release at once, unless it is open somewhere.
    pub(super) fn remove_unused(
        &self,
        id: &ReleaseId,
        _held: &ReleaseLock,
    ) -> Result<(), ReleaseError> {
        remove_unused(id, &self.directory(id), true, None).map(|_kept| ())
    }

    /// When a release was last wanted: when its directory was made, or renewed.
    pub(super) fn modified_seconds(&self, id: &ReleaseId) -> Result<i64, ReleaseError> {
        let directory = self.directory(id);
        let metadata = fs::metadata(&directory);
        Ok(metadata
            .map_err(ReleaseError::io("look at", &directory))?
            .mtime())
    }

    /// What unfinished commands left in the data directory and among the releases.
    fn leftovers(&self) -> Result<Vec<PathBuf>, ReleaseError> {
        let mut all = staging::find_leftovers(self.data.path())?;
        all.extend(staging::find_leftovers(&self.data.releases())?);
        Ok(all)
    }

    /// Whether a release is there in full. Its contents are not read, which would take too long.
    fn is_in_full(&self, id: &ReleaseId) -> Result<bool, ReleaseError> {
        match self.open(id).and_then(|release| release.check_sizes()) {
            Ok(()) => Ok(true),
            Err(error) if error.is_damage() => Ok(false),
            Err(error) => Err(error),
        }
    }
}

impl Releases for ReleaseStore {
    fn location(&self) -> String {
        self.data.path().display().to_string()
    }

    /// Creates the data directory where it is missing.
    fn begin(&self, columns: RecordColumns) -> Result<ReleaseWriter, ReleaseError> {
        self.create()?;
        let lock = self.lock()?;
        self.remove_abandoned()?;
        ReleaseWriter::create(self.data.releases(), columns, lock)
    }

    fn finish(
        &self,
        writer: ReleaseWriter,
        published_at: &Timestamp,
    ) -> Result<Finished, ReleaseError> {
        writer.finish_unless(published_at, |id| self.renew_equal(id, published_at))
    }

    fn lock(&self) -> Result<ReleaseLock, ReleaseError> {
        let path = self.data.release_lock();
        let file = regular_file::open_to_write(&path);
        let file = file.map_err(ReleaseError::io("open", &path))?;
        match FileLock::take(file).map_err(ReleaseError::io("lock", &path))? {
            Some(lock) => Ok(ReleaseLock::of(lock)),
            None => Err(ReleaseError::Busy {
                data: self.data.path().to_owned(),
            }),
        }
    }

    fn is_busy(&self) -> Result<bool, ReleaseError> {
        let path = self.data.release_lock();
        let file = match regular_file::open(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
            opened => opened.map_err(ReleaseError::io("open", &path))?,
        };
        let shared = FileLock::share_free(file).map_err(ReleaseError::io("lock", &path))?;
        Ok(shared.is_none())
    }

    fn pointer(&self) -> Result<Option<Pointer>, ReleaseError> {
        Pointer::read(&self.data.current())
    }

    /// Links and files are none, whatever their names.
    fn list(&self) -> Result<Vec<ReleaseId>, ReleaseError> {
        let path = self.data.releases();
        let entries = match fs::read_dir(&path) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(ReleaseError::io("list", &path)(error)),
        };
        let mut ids = Vec::new();
        for entry in entries {
            let entry = entry.map_err(ReleaseError::io("list", &path))?;
            let Some(id) = entry.file_name().to_str().and_then(ReleaseId::parse) else {
                continue;
            };
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => ids.push(id),
                Ok(_) => {}
                // It was pruned since.
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(ReleaseError::io("list", &entry.path())(error)),
            }
        }
        ids.sort_unstable_by(|a, b| b.cmp(a));
        Ok(ids)
    }

    fn manifest(&self, id: &ReleaseId) -> Result<Manifest, ReleaseError> {
        Ok(self.open(id)?.manifest().clone())
    }

    fn size(&self, id: &ReleaseId) -> Result<u64, ReleaseError> {
        let directory = self.directory(id);
        staging::size(&directory).map_err(ReleaseError::io("measure", &directory))
    }

    fn check_sizes(&self, id: &ReleaseId) -> Result<(), ReleaseError> {
        self.open(id)?.check_sizes()
    }

    fn verify(&self, id: &ReleaseId) -> Result<(), ReleaseError> {
        self.open(id)?.verify()
    }

    fn open(&self, id: &ReleaseId) -> Result<Release, ReleaseError> {
        Release::open(self.directory(id), id.clone())
    }

    fn prove(&self, id: &ReleaseId, _held: &ReleaseLock) -> Result<(), ReleaseError> {
        self.open(id)?.verify()
    }

    fn prove_finished(&self, finished: &Finished) -> Result<(), ReleaseError> {
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
        let now = self.pointer();
        let pointer = now.as_ref().ok().cloned().flatten();
        let now = ExpectedActive::of(now)?;
        if now != *before {
            let release = id.clone();
            // Nothing is changed, so the lack of this entry is the lesser failure.
            _ = self.log(&attempt.entry(Outcome::Overtaken { release }), held);
            return Err(now.overtakes(id));
        }
        let entry = attempt.entry(Outcome::activated(id, before.release()));
        let pointer = Pointer::after_step(pointer, id.clone(), step);
        let activated = Change::Activated(id.clone());
        uninterrupted(Some(activated), || {
            self.log(&entry, held)?;
            pointer.write(&self.data.current())
        })
    }

    fn log(&self, entry: &Entry, _held: &ReleaseLock) -> Result<(), ReleaseError> {
        LogFile::new(self.data.release_log()).append(entry)
    }

    fn read_log(&self, query: LogQuery<'_>) -> Result<LogPart, ReleaseError> {
        LogFile::new(self.data.release_log()).read(query)
    }

    fn latest_entry(
        &self,
        is_wanted: &mut dyn FnMut(&Entry) -> bool,
    ) -> Result<Option<Entry>, ReleaseError> {
        LogFile::new(self.data.release_log()).latest(is_wanted)
    }

    fn prune(&self, now_seconds: i64, _held: &ReleaseLock) -> Result<Pruned, ReleaseError> {
        self.remove_unneeded(now_seconds, true)
    }

    fn prune_dry_run(&self, now_seconds: i64) -> Result<Pruned, ReleaseError> {
        self.remove_unneeded(now_seconds, false)
    }

    fn followed_within(&self) -> &'static str {
        "within a second"
    }

    fn poll_interval(&self) -> Duration {
        POLL_INTERVAL
    }
}

fn remove_leftover(path: PathBuf, remove: bool) -> Result<Leftover, ReleaseError> {
    let bytes = staging::size(&path).map_err(ReleaseError::io("measure", &path))?;
    if remove {
        interruption::remove(&path)?;
    }
    Ok(Leftover { path, bytes })
}

/// Removes a release unless it is open somewhere, or only checks whether it is.
fn remove_unused(
    id: &ReleaseId,
    directory: &Path,
    remove: bool,
    change: Option<Change>,
) -> Result<Option<Kept>, ReleaseError> {
    let manifest = directory.join(MANIFEST);
    let unused = Unused::take(&manifest).map_err(ReleaseError::io("lock", &manifest))?;
    let Some(unused) = unused else {
        return Ok(Some(Kept::InUse));
    };
    if !remove {
        return Ok(None);
    }
    let aside = directory.with_file_name(format!("{PRUNED}{id}"));
    // Interrupted from here on, the release is removed to the end.
    let _unfinished = Unfinished::at(&aside);
    uninterrupted(change, || durable::publish_directory(directory, &aside))
        .map_err(ReleaseError::io("move aside", directory))?;
    drop(unused);
    interruption::remove(&aside)?;
    Ok(None)
}
