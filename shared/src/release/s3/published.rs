//! What is published in S3: releases, marks of their use, and the time by which objects are dated.
//!
//! A release is sent with its manifest last. Killed at any point, that leaves objects that are no
//! release; importing the same again finishes them, and a prune removes them when they are a day
//! old.
//!
//! Marks are small objects that keep a release from being pruned while it is needed. A process that
//! needs one marks it first and then checks whether it is still there; a prune takes the manifest
//! away first and then looks for marks. So one of the two sees the other, whatever the order in
//! which they come.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use parking_lot::Mutex;

use super::bucket::{Bucket, Flaw, S3Error};
use crate::base::clock::Clock;
use crate::base::hash::Hashed;
use crate::release::interruption::{self, Change, uninterrupted};
use crate::release::kind::Kind;
use crate::release::manifest::{FileEntry, FileName, MANIFEST};
use crate::release::reader::Identities;
use crate::release::throttle::Unthrottled;
use crate::release::{Manifest, Release, ReleaseError, ReleaseId, reader};

/// Most bytes of a manifest: those of a release with every field there is have fewer than 100,000.
const MANIFEST_BYTES_MAX: u64 = 16 << 20;
/// The folder of releases, in S3.
pub(super) const RELEASES: &str = "releases/";
/// The folder of marks.
pub(super) const IN_USE: &str = "in-use/";
/// Marks older than this count no more: the process that made it has ended, or is cut off.
const MARKED_SECONDS: i64 = 5 * 60;
/// A mark is renewed when it is older than this.
const RENEWED_AFTER: Duration = Duration::from_mins(1);
/// The folder of objects that are written to see when.
const TIME: &str = "time/";

/// Follows the progress of files that are sent or fetched; small objects are not reported.
pub trait TransferListener: Send + Sync {
    /// This number of bytes is about to be sent.
    fn sending(&self, bytes: u64);
    /// This number of bytes is about to be fetched.
    fn fetching(&self, bytes: u64);
    /// This number of further bytes is done.
    fn advance(&self, bytes: u64);
    /// The transfer has ended, whatever its outcome.
    fn finish(&self);
}

/// Ignores progress.
#[derive(Debug)]
pub struct NoTransferListener;

impl TransferListener for NoTransferListener {
    fn sending(&self, _bytes: u64) {}
    fn fetching(&self, _bytes: u64) {}
    fn advance(&self, _bytes: u64) {}
    fn finish(&self) {}
}

/// A mark that this process keeps fresh.
struct Marked {
    release: ReleaseId,
    /// By the monotonic clock, which nothing puts back.
    at: Duration,
}

/// The releases in a bucket.
pub(super) struct Published {
    pub(super) bucket: Arc<Bucket>,
    pub(super) listener: Box<dyn TransferListener>,
    /// Unique to this process.
    who: String,
    pub(super) clock: Arc<dyn Clock>,
    /// The mark that is renewed.
    marked: Mutex<Option<Marked>>,
}

impl Published {
    pub(super) fn new(
        bucket: Arc<Bucket>,
        listener: Box<dyn TransferListener>,
        who: String,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self {
            bucket,
            listener,
            who,
            clock,
            marked: Mutex::default(),
        }
    }

    /// The manifest of a release, and its bytes.
    pub(super) fn read_manifest(&self, id: &ReleaseId) -> Result<(Manifest, Bytes), ReleaseError> {
        let bytes = self.manifest_bytes(id)?;
        let path = self.bucket.path(&file_name(id, MANIFEST));
        Ok((Manifest::prove(id, &bytes, &path)?, bytes))
    }

    /// The bytes of a manifest, also of one that this version does not read.
    pub(super) fn manifest_bytes(&self, id: &ReleaseId) -> Result<Bytes, ReleaseError> {
        let contents = self
            .bucket
            .get(&file_name(id, MANIFEST), MANIFEST_BYTES_MAX)?;
        let contents = contents.ok_or_else(|| ReleaseError::Unknown { id: id.to_string() })?;
        Ok(contents.bytes)
    }

    /// Size of a release in bytes, including its manifest.
    pub(super) fn size(&self, id: &ReleaseId) -> Result<u64, ReleaseError> {
        let (manifest, itself) = self.read_manifest(id)?;
        Ok(bytes(&manifest) + itself.len() as u64)
    }

    /// All published releases, the newest first: those that have a manifest.
    pub(super) fn list(&self) -> Result<Vec<ReleaseId>, ReleaseError> {
        let objects = self.bucket.list(RELEASES)?;
        let of_manifest = |name: &str| {
            let (id, file) = name.strip_prefix(RELEASES)?.split_once('/')?;
            (file == MANIFEST).then(|| ReleaseId::parse(id)).flatten()
        };
        let ids = objects
            .iter()
            .filter_map(|object| of_manifest(&object.name));
        let mut ids: Vec<_> = ids.collect();
        ids.sort_unstable_by(|a, b| b.cmp(a));
        Ok(ids)
    }

    /// Checks by their sizes that all files of a release are there.
    pub(super) fn check(&self, id: &ReleaseId) -> Result<(), ReleaseError> {
        let (manifest, _bytes) = self.read_manifest(id)?;
        self.check_files(id, &manifest)
    }

    /// The same for a release that has this manifest.
    pub(super) fn check_files(
        &self,
        id: &ReleaseId,
        manifest: &Manifest,
    ) -> Result<(), ReleaseError> {
        FileName::ALL.into_iter().try_for_each(|name| {
            let entry = self.entry(id, manifest, name)?;
            let object = file_name(id, name.as_str());
            let path = self.bucket.path(&object);
            match self.bucket.size(&object)? {
                Some(bytes) => reader::check_size(&path, entry, bytes),
                None => Err(ReleaseError::damaged(&path, "it is not there")),
            }
        })
    }

    /// What the manifest says of a file.
    fn entry<'m>(
        &self,
        id: &ReleaseId,
        manifest: &'m Manifest,
        name: FileName,
    ) -> Result<&'m FileEntry, ReleaseError> {
        let directory = file_name(id, "");
        let directory = directory.trim_end_matches('/');
        manifest.entry(name, &self.bucket.path(directory))
    }

    /// Reads a file of a release to `to`, which is called `path`, and compares it with the
    /// manifest.
    pub(super) fn read_file(
        &self,
        id: &ReleaseId,
        manifest: &Manifest,
        name: FileName,
        (to, path): (impl Write, &Path),
    ) -> Result<(), ReleaseError> {
        let entry = self.entry(id, manifest, name)?;
        let object = file_name(id, name.as_str());
        let mut hashed = Hashed::new(to);
        self.bucket.get_file(&object, entry.bytes, |piece| {
            self.listener.advance(piece.len() as u64);
            hashed
                .write_all(piece)
                .map_err(ReleaseError::io("write", path))
        })?;
        let (_to, bytes, sha256) = hashed.finish();
        reader::check(&self.bucket.path(&object), entry, bytes, &sha256)
    }

    /// The identities of a release's records, from the two files that have them.
    pub(super) fn identities(&self, id: &ReleaseId) -> Result<Identities, ReleaseError> {
        let (manifest, _bytes) = self.read_manifest(id)?;
        let records = |kind: Kind| {
            let name = kind.index();
            let path = self.bucket.path(&file_name(id, name.as_str()));
            let mut contents = Vec::new();
            self.read_file(id, &manifest, name, (&mut contents, &path))?;
            reader::records(contents.into(), &path, &Unthrottled)
        };
        Ok(Identities {
            boats: records(Kind::Boats)?,
            manufacturers: records(Kind::Manufacturers)?,
        })
    }

    /// Reads every byte of a release and checks it; nothing is kept.
    pub(super) fn verify(&self, id: &ReleaseId) -> Result<(), ReleaseError> {
        let (manifest, _bytes) = self.read_manifest(id)?;
        self.check_files(id, &manifest)?;
        self.listener.fetching(bytes(&manifest));
        let mut names = FileName::ALL.into_iter();
        let verified = names
            .try_for_each(|name| self.read_file(id, &manifest, name, (io::sink(), Path::new("-"))));
        self.listener.finish();
        verified
    }

    /// Sends a release that was made on this machine.
    pub(super) fn send(&self, release: &Release) -> Result<(), ReleaseError> {
        self.listener.sending(bytes(release.manifest()));
        let sent = self.send_files(release);
        self.listener.finish();
        sent
    }

    fn send_files(&self, release: &Release) -> Result<(), ReleaseError> {
        let id = release.id();
        let sent = self.bucket.path(&file_name(id, ""));
        interruption::begin(Change::Sent(sent.display().to_string()));
        for name in FileName::ALL {
            let object = file_name(id, name.as_str());
            self.bucket
                .put_file(&object, &release.path(name), &|bytes| {
                    self.listener.advance(bytes);
                })?;
        }
        let name = file_name(id, MANIFEST);
        let manifest = Bytes::from(release.manifest_bytes()?);
        let made = Change::Made(id.clone());
        let create = || self.bucket.create(&name, manifest.clone());
        if !uninterrupted(Some(made), create)? {
            // It was there already, or an answer was lost and this is what was just written.
            let there = self.bucket.get(&name, MANIFEST_BYTES_MAX)?;
            if there.is_none_or(|contents| contents.bytes != manifest) {
                return Err(ReleaseError::damaged(
                    &self.bucket.path(&name),
                    "it is not the manifest its release names",
                ));
            }
        }
        // A prune may have taken the files for left behind where they were long on their way.
        self.check_files(id, release.manifest())
    }

    /// Writes the manifest anew, so that the release counts as young again.
    pub(super) fn renew(&self, id: &ReleaseId) -> Result<(), ReleaseError> {
        self.mark(id)?;
        let (_manifest, bytes) = self.read_manifest(id)?;
        self.bucket.put(&file_name(id, MANIFEST), bytes)
    }

    /// Marks a release for as long as something short takes, and makes sure that it is there.
    pub(super) fn mark(&self, id: &ReleaseId) -> Result<(), ReleaseError> {
        self.bucket.put(&self.mark_name(id), Bytes::new())?;
        if self.bucket.size(&file_name(id, MANIFEST))?.is_some() {
            return Ok(());
        }
        Err(ReleaseError::Unknown { id: id.to_string() })
    }

    /// Keeps the mark of the release that is served fresh, and takes away the one before it.
    pub(super) fn renew_mark(&self, served: &ReleaseId) -> Result<(), ReleaseError> {
        let mut marked = self.marked.lock();
        let now = self.clock.monotonic();
        if let Some(mark) = &*marked
            && mark.release == *served
            && now.saturating_sub(mark.at) < RENEWED_AFTER
        {
            return Ok(());
        }
        self.bucket.put(&self.mark_name(served), Bytes::new())?;
        let mark = Marked {
            release: served.clone(),
            at: now,
        };
        if let Some(before) = marked.replace(mark)
            && before.release != *served
        {
            self.bucket.remove(&self.mark_name(&before.release))?;
        }
        Ok(())
    }

    fn mark_name(&self, id: &ReleaseId) -> String {
        format!("{IN_USE}{id}/{}", self.who)
    }

    /// The releases that were marked a moment ago; marks that count no more are removed.
    pub(super) fn marked(&self, now: i64, remove: bool) -> Result<Vec<ReleaseId>, ReleaseError> {
        let mut marked = Vec::new();
        for mark in self.bucket.list(IN_USE)? {
            let below = mark.name.strip_prefix(IN_USE).unwrap_or_default();
            let id = below
                .split_once('/')
                .and_then(|(id, _who)| ReleaseId::parse(id));
            let age_seconds = now.saturating_sub(mark.modified_seconds);
            if age_seconds < MARKED_SECONDS {
                marked.extend(id);
            } else if remove && id.is_some() {
                self.bucket.remove(&mark.name)?;
            }
        }
        Ok(marked)
    }

    /// What S3's clock shows when ours shows `now`. Ages of objects are judged by the clock that
    /// dates them: by one that is fast, marks that were just made and uploads under way would be
    /// old. An error where what was just written is not listed: a prune would miss marks.
    pub(super) fn server_time(&self, now: i64) -> Result<i64, ReleaseError> {
        let name = format!("{TIME}{}", self.who);
        let written = self.clock.now().unix_seconds();
        self.bucket.put(&name, Bytes::new())?;
        let listed = self.bucket.list(TIME)?;
        self.bucket.remove(&name)?;
        let object = listed.into_iter().find(|object| object.name == name);
        let object = object.ok_or_else(|| ReleaseError::S3 {
            action: "list",
            object: self.bucket.path(&name).display().to_string(),
            source: S3Error::Unsuitable(Flaw::ListsLate),
        })?;
        Ok(now.saturating_add(object.modified_seconds.saturating_sub(written)))
    }
}

/// Size of all files but the manifest.
pub(super) fn bytes(manifest: &Manifest) -> u64 {
    manifest.files.iter().map(|file| file.bytes).sum()
}

/// The name of a file of a release.
pub(super) fn file_name(id: &ReleaseId, file: &str) -> String {
    format!("{RELEASES}{id}/{file}")
}
