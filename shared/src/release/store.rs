//! The store of releases in a data directory: publish, activate, list, open.
//!
//! Whoever changes anything holds one lock; readers need none, because a release never changes
//! and the pointer is replaced at once.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::ErrorKind;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use super::leftovers;
use super::manifest::FileEntry;
use super::pointer::Pointer;
use super::staging::Staging;
use super::{Manifest, Release, ReleaseError, ReleaseId, ReleaseWriter};
use crate::base::data_dir::DataDir;
use crate::base::file_lock;
use crate::base::regular_file;
use crate::base::timestamp::Timestamp;
use crate::release::interruption::{Change, uninterrupted};

/// The releases of a data directory.
#[derive(Clone, Debug)]
pub struct ReleaseStore {
    data: DataDir,
}

/// The right to change releases and the pointer; released when dropped.
#[derive(Debug)]
pub struct ReleaseLock {
    _file: File,
}

impl ReleaseStore {
    /// The store in `data`, which need not exist yet.
    pub const fn new(data: DataDir) -> Self {
        Self { data }
    }

    /// Starts a new release. Creates the data directory where it is missing.
    pub fn begin(&self) -> Result<ReleaseWriter, ReleaseError> {
        self.create()?;
        let lock = self.lock()?;
        self.remove_abandoned()?;
        ReleaseWriter::create(self.clone(), lock)
    }

    /// Makes the data directory, where it is missing.
    pub(super) fn create(&self) -> Result<(), ReleaseError> {
        let created = self.data.create();
        created.map_err(ReleaseError::io("create", self.data.path()))
    }

    /// Takes the lock, or says who is busy.
    pub fn lock(&self) -> Result<ReleaseLock, ReleaseError> {
        let path = self.data.release_lock();
        let mut options = OpenOptions::new();
        let file = options.create(true).truncate(false).write(true);
        let file = file.mode(0o600).open(&path);
        let file = file.map_err(ReleaseError::io("open", &path))?;
        match file_lock::take(&file) {
            Ok(true) => Ok(ReleaseLock { _file: file }),
            Ok(false) => Err(ReleaseError::Busy {
                data: self.data.path().to_owned(),
            }),
            Err(error) => Err(ReleaseError::io("lock", &path)(error)),
        }
    }

    /// Whether somebody has the lock, so that releases are being changed.
    pub fn is_busy(&self) -> Result<bool, ReleaseError> {
        let path = self.data.release_lock();
        let file = match regular_file::open(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
            opened => opened.map_err(ReleaseError::io("open", &path))?,
        };
        match file.try_lock_shared() {
            Ok(()) => Ok(false),
            Err(TryLockError::WouldBlock) => Ok(true),
            Err(TryLockError::Error(error)) => Err(ReleaseError::io("lock", &path)(error)),
        }
    }

    /// Makes a release the active one, once every file of it has proved whole, whatever was active
    /// before. This mends a damaged pointer, though what was active before is forgotten with it.
    pub fn activate(&self, id: &ReleaseId, _held: &ReleaseLock) -> Result<(), ReleaseError> {
        self.open(id)?.verify()?;
        let before = match self.pointer() {
            Err(ReleaseError::DamagedPointer { .. }) => None,
            read => read?,
        };
        self.write_pointer(&Pointer::after(before, id.clone()))
    }

    /// Replaces the pointer.
    pub(super) fn write_pointer(&self, pointer: &Pointer) -> Result<(), ReleaseError> {
        let activated = Change::Activated(pointer.release.clone());
        uninterrupted(Some(activated), || pointer.write(&self.data.current()))
    }

    /// The pointer to the active release, if any was ever activated.
    pub fn pointer(&self) -> Result<Option<Pointer>, ReleaseError> {
        Pointer::read(&self.data.current())
    }

    /// The active release, if any was ever activated.
    pub fn current(&self) -> Result<Option<ReleaseId>, ReleaseError> {
        Ok(self.pointer()?.map(|pointer| pointer.release))
    }

    /// All published releases, the newest first. Links and files are none, whatever their names.
    pub fn list(&self) -> Result<Vec<ReleaseId>, ReleaseError> {
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

    /// Opens a release: its manifest is proved by the id, its files are not read yet.
    pub fn open(&self, id: &ReleaseId) -> Result<Release, ReleaseError> {
        Release::open(self.directory(id), id.clone())
    }

    /// Where a release lies.
    pub fn directory(&self, id: &ReleaseId) -> PathBuf {
        self.data.releases().join(id.as_str())
    }

    /// Size of a release in bytes, its manifest included.
    pub fn size(&self, id: &ReleaseId) -> Result<u64, ReleaseError> {
        let directory = self.directory(id);
        leftovers::size(&directory).map_err(ReleaseError::io("measure", &directory))
    }

    /// Notes that somebody wanted a release at that time, so that it counts as young again.
    pub(super) fn renew(&self, id: &ReleaseId, wanted_at: &Timestamp) -> Result<(), ReleaseError> {
        renew(&self.directory(id), wanted_at)
    }

    pub(super) fn create_staging(&self) -> Result<Staging, ReleaseError> {
        let releases = self.data.releases();
        DataDir::new(&releases)
            .create()
            .map_err(ReleaseError::io("create", &releases))?;
        Staging::create(&releases).map_err(ReleaseError::io("create a directory in", &releases))
    }

    /// The newest whole release that has exactly these files, if there is one. A damaged one is
    /// no reason not to write its contents anew.
    pub(super) fn find_with_files(
        &self,
        files: &[FileEntry],
    ) -> Result<Option<(ReleaseId, Manifest)>, ReleaseError> {
        for id in self.list()? {
            let Ok(release) = self.open(&id) else {
                continue;
            };
            if release.manifest().files == files && release.verify().is_ok() {
                return Ok(Some((id, release.manifest().clone())));
            }
        }
        Ok(None)
    }

    pub(super) const fn data(&self) -> &DataDir {
        &self.data
    }

    /// The lock is held, so whatever is unfinished was abandoned by a killed command.
    fn remove_abandoned(&self) -> Result<(), ReleaseError> {
        leftovers::find(&self.data.releases())?
            .iter()
            .try_for_each(|leftover| leftovers::remove(leftover))
    }
}

/// Gives the directory of a release a time of modification, which is not a part of its contents.
pub(super) fn renew(directory: &Path, wanted_at: &Timestamp) -> Result<(), ReleaseError> {
    // Nothing is published before 1970; what claims to be is merely not young.
    let seconds = u64::try_from(wanted_at.unix_seconds()).unwrap_or(0);
    let time = UNIX_EPOCH + Duration::from_secs(seconds);
    let renewed = File::open(directory).and_then(|opened| {
        opened.set_modified(time)?;
        opened.sync_all()
    });
    renewed.map_err(ReleaseError::io("renew", directory))
}
