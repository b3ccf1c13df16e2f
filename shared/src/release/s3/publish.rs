//! Publishing: a release that was made on this disk is sent, its manifest last.
//!
//! Killed at any point this leaves objects that are no release; importing the same again finishes
//! them, and a prune removes them when they are a day old.

use bytes::Bytes;

use super::bucket::Got;
use super::fetch::bytes;
use super::{MANIFEST_BYTES_MAX, S3Releases, file_name};
use crate::base::timestamp::Timestamp;
use crate::release::interruption::{self, Change, uninterrupted};
use crate::release::manifest::{FileEntry, FileName, MANIFEST};
use crate::release::{Finished, Manifest, Release, ReleaseError, ReleaseId, ReleaseWriter, reader};

impl S3Releases {
    /// Completes a release here and sends it, unless one with the same contents is published.
    pub(super) fn publish(
        &self,
        writer: ReleaseWriter,
        published_at: &Timestamp,
    ) -> Result<Finished, ReleaseError> {
        let mut published = None;
        let finished = writer.finish_unless(published_at, |files| {
            let found = self.find_with_files(files)?;
            published.clone_from(&found);
            Ok(found)
        })?;
        let release = self.cache.open(&finished.id)?;
        if published.is_some() {
            self.renew(&finished.id)?;
        } else {
            let sent = self.send(&release);
            self.watcher.finish();
            sent?;
        }
        Ok(Finished {
            existed: published.is_some(),
            ..finished
        })
    }

    /// The newest whole release that has exactly these files, if one is published.
    fn find_with_files(
        &self,
        files: &[FileEntry],
    ) -> Result<Option<(ReleaseId, Manifest)>, ReleaseError> {
        for id in self.list_published()? {
            match self.read_manifest(&id) {
                Ok((manifest, _bytes)) if manifest.files == files => {
                    match self.verify_in_bucket(&id) {
                        Ok(()) => return Ok(Some((id, manifest))),
                        // A damaged one is no reason not to send its contents anew.
                        Err(error) if error.is_damage() => {}
                        Err(error) => return Err(error),
                    }
                }
                Ok(_) => {}
                // One that is damaged, or was pruned since, is not it.
                Err(error) if error.is_damage() => {}
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }

    /// Writes the manifest anew, so that the release counts as young again.
    fn renew(&self, id: &ReleaseId) -> Result<(), ReleaseError> {
        self.mark(id)?;
        let (_manifest, contents) = self.read_manifest(id)?;
        self.bucket.put(&file_name(id, MANIFEST), contents.bytes)
    }

    fn send(&self, release: &Release) -> Result<(), ReleaseError> {
        let id = release.id();
        self.watcher.sending(bytes(release.manifest()));
        let sent = self.bucket.path(&file_name(id, ""));
        interruption::begin(Change::Sent(sent.display().to_string()));
        for name in FileName::ALL {
            let object = file_name(id, name.as_str());
            self.bucket
                .put_file(&object, &release.path(name), &|bytes| {
                    self.watcher.advance(bytes);
                })?;
        }
        let name = file_name(id, MANIFEST);
        let manifest = Bytes::from(release.manifest_bytes()?);
        let made = Change::Made(id.clone());
        let create = || self.bucket.create(&name, manifest.clone());
        if !uninterrupted(Some(made), create)? {
            // It was there already, or an answer was lost and this is what was just written.
            match self.bucket.get(&name, MANIFEST_BYTES_MAX, None)? {
                Got::Contents(contents) if contents.bytes == manifest => {}
                _ => {
                    return Err(ReleaseError::damaged(
                        &self.bucket.path(&name),
                        "it is not the manifest its release names",
                    ));
                }
            }
        }
        // A prune may have taken the files for left behind where they were long on their way.
        self.check_listed(id, release.manifest())
    }

    /// Checks by their sizes that all files of a release are there.
    pub(super) fn check_published(&self, id: &ReleaseId) -> Result<(), ReleaseError> {
        let (manifest, _bytes) = self.read_manifest(id)?;
        self.check_listed(id, &manifest)
    }

    /// The same for a release that has this manifest.
    pub(super) fn check_listed(
        &self,
        id: &ReleaseId,
        manifest: &Manifest,
    ) -> Result<(), ReleaseError> {
        let objects = self.bucket.list(&file_name(id, ""))?;
        FileName::ALL.into_iter().try_for_each(|name| {
            let entry = self.entry(id, manifest, name)?;
            let object = file_name(id, name.as_str());
            let path = self.bucket.path(&object);
            match objects.iter().find(|listed| listed.name == object) {
                Some(listed) => reader::check_size(&path, entry, listed.bytes),
                None => Err(ReleaseError::damaged(&path, "it is not there")),
            }
        })
    }

    /// All published releases, the newest first: those that have a manifest.
    pub(super) fn list_published(&self) -> Result<Vec<ReleaseId>, ReleaseError> {
        let objects = self.bucket.list(super::RELEASES)?;
        let of_manifest = |name: &str| {
            let (id, file) = name.strip_prefix(super::RELEASES)?.split_once('/')?;
            (file == MANIFEST).then(|| ReleaseId::parse(id)).flatten()
        };
        let ids = objects
            .iter()
            .filter_map(|object| of_manifest(&object.name));
        let mut ids: Vec<_> = ids.collect();
        ids.sort_unstable_by(|a, b| b.cmp(a));
        Ok(ids)
    }
}
