//! Copies of releases: every byte is checked against the manifest on its way to the disk, and what
//! does not match never gets a release's name.
//!
//! A copy is made in a folder of its own, under a lock that several may share: whoever has it alone
//! knows that all there was left behind.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use super::bucket::Contents;
use super::{S3Releases, file_name, lock};
use crate::base::data_dir::DataDir;
use crate::base::durable;
use crate::release::hash::Hashed;
use crate::release::manifest::{FileEntry, FileName, MANIFEST};
use crate::release::new_file::NewFile;
use crate::release::staging::Staging;
use crate::release::{Manifest, Release, ReleaseError, ReleaseId, reader};

/// So often a copy is made anew that was removed before it could be opened.
const ATTEMPTS: u32 = 3;

impl S3Releases {
    /// The copy of a release, which is fetched if there is none.
    pub(super) fn open_copy(&self, id: &ReleaseId) -> Result<Release, ReleaseError> {
        for _attempt in 1..ATTEMPTS {
            match self.cache.open(id) {
                Err(ReleaseError::Unknown { .. }) => self.fetch(id)?,
                opened => return opened,
            }
        }
        self.cache.open(id)
    }

    /// Makes a copy of a release, unless there is one; waits while another thread makes it.
    pub(super) fn fetch(&self, id: &ReleaseId) -> Result<(), ReleaseError> {
        let mut underway = lock(&self.underway);
        while underway.contains(id) {
            let waited = self.fetched.wait(underway);
            underway = waited.unwrap_or_else(std::sync::PoisonError::into_inner);
        }
        if self.cache.directory(id).is_dir() {
            return Ok(());
        }
        underway.insert(id.clone());
        drop(underway);
        let _underway = Underway { releases: self, id };
        self.copy(id)
    }

    fn copy(&self, id: &ReleaseId) -> Result<(), ReleaseError> {
        let (manifest, contents) = self.read_manifest(id)?;
        self.check_listed(id, &manifest)?;
        let (_shared, staging) = self.create_staging()?;
        self.watcher.fetching(bytes(&manifest));
        for name in FileName::ALL {
            let entry = self.entry(id, &manifest, name)?;
            let file = NewFile::create(staging.path(), name)?;
            self.copy_file(id, entry, file, &staging.path().join(name.as_str()))?;
        }
        self.place_copy(id, &contents, staging)
    }

    fn copy_file(
        &self,
        id: &ReleaseId,
        entry: &FileEntry,
        mut file: NewFile,
        path: &Path,
    ) -> Result<(), ReleaseError> {
        let name = file_name(id, entry.name.as_str());
        self.bucket.get_file(&name, entry.bytes, |piece| {
            self.watcher.advance(piece.len() as u64);
            file.write_all(piece)
                .map_err(ReleaseError::io("write", path))
        })?;
        let copied = file.finish().map_err(ReleaseError::io("write", path))?;
        let source = self.bucket.path(&name);
        reader::check(&source, entry, copied.bytes, &copied.sha256)
    }

    /// Gives a copy its name, unless another process was faster.
    fn place_copy(
        &self,
        id: &ReleaseId,
        manifest: &Contents,
        staging: Staging,
    ) -> Result<(), ReleaseError> {
        let path = staging.path().join(MANIFEST);
        durable::replace(&path, &manifest.bytes).map_err(ReleaseError::io("write", &path))?;
        let target = self.cache.directory(id);
        let releases = DataDir::new(durable::directory_of(&target));
        let created = releases.create();
        created.map_err(ReleaseError::io("create", releases.path()))?;
        match staging.publish(&target, None) {
            Ok(()) => Ok(()),
            Err(error) if is_taken(error.kind()) => Ok(()),
            Err(error) => Err(ReleaseError::io("publish", &target)(error)),
        }
    }

    /// A place to make a copy in, and what keeps others from taking it for left behind.
    fn create_staging(&self) -> Result<(File, Staging), ReleaseError> {
        let folder = &self.fetching;
        let created = DataDir::new(folder).create();
        created.map_err(ReleaseError::io("create", folder))?;
        let path = folder.with_extension("lock");
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .mode(0o600)
            .open(&path)
            .map_err(ReleaseError::io("open", &path))?;
        if file.try_lock().is_ok() {
            remove_all(folder)?;
        }
        file.lock_shared()
            .map_err(ReleaseError::io("lock", &path))?;
        let staging = Staging::create(folder);
        let staging = staging.map_err(ReleaseError::io("create a directory in", folder))?;
        Ok((file, staging))
    }

    /// Reads every byte of a release where it is published; nothing is kept.
    pub(super) fn verify_in_bucket(&self, id: &ReleaseId) -> Result<(), ReleaseError> {
        let (manifest, _bytes) = self.read_manifest(id)?;
        self.check_listed(id, &manifest)?;
        self.watcher.fetching(bytes(&manifest));
        let verified = FileName::ALL.into_iter().try_for_each(|name| {
            let entry = self.entry(id, &manifest, name)?;
            let name = file_name(id, name.as_str());
            let mut hashed = Hashed::new(std::io::sink());
            self.bucket.get_file(&name, entry.bytes, |piece| {
                self.watcher.advance(piece.len() as u64);
                let path = self.bucket.path(&name);
                hashed
                    .write_all(piece)
                    .map_err(ReleaseError::io("hash", &path))
            })?;
            let (_sink, bytes, sha256) = hashed.finish();
            reader::check(&self.bucket.path(&name), entry, bytes, &sha256)
        });
        self.watcher.finish();
        verified
    }

    /// What the manifest says of a file.
    pub(super) fn entry<'m>(
        &self,
        id: &ReleaseId,
        manifest: &'m Manifest,
        name: FileName,
    ) -> Result<&'m FileEntry, ReleaseError> {
        let directory = file_name(id, "");
        reader::entry(
            manifest,
            name,
            &self.bucket.path(directory.trim_end_matches('/')),
        )
    }
}

/// A copy that is being made. However that ends, whoever waits for it is told.
struct Underway<'a> {
    releases: &'a S3Releases,
    id: &'a ReleaseId,
}

impl Drop for Underway<'_> {
    fn drop(&mut self) {
        let releases = self.releases;
        lock(&releases.underway).remove(self.id);
        releases.fetched.notify_all();
        releases.watcher.finish();
    }
}

/// Of all files but the manifest.
pub(super) fn bytes(manifest: &Manifest) -> u64 {
    manifest.files.iter().map(|file| file.bytes).sum()
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
        crate::release::interruption::remove(&path)?;
    }
    Ok(())
}
