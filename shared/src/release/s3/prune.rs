//! Pruning in S3: by age and use, as in a directory, and by the marks of servers.
//!
//! The manifest goes first, so that there is no release any more, and is put back if the
//! release turns out to be needed meanwhile. Only then are its files removed. Killed at any
//! point, this leaves a release whole or gone, and what is left of it to the next prune; what the
//! pointer names is never removed as a leftover, so that importing it again makes it whole.

use std::collections::BTreeMap;

use bytes::Bytes;

use super::bucket::Listed;
use super::pointer::SharedPointer;
use super::published::{IN_USE, Published, RELEASES, file_name};
use crate::release::interruption::{Change, uninterrupted};
use crate::release::manifest::MANIFEST;
use crate::release::pointer::Pointer;
use crate::release::prune::{Kept, Needed, PREVIOUS_KEPT, Pruned};
use crate::release::staging::Leftover;
use crate::release::{ReleaseError, ReleaseId};

/// So often it is tried to put a manifest back.
const ATTEMPTS: u32 = 3;

/// The objects of one release, or of what was to become one.
#[derive(Default)]
struct Objects {
    listed: Vec<Listed>,
}

impl Objects {
    fn bytes(&self) -> u64 {
        self.listed.iter().map(|object| object.bytes).sum()
    }

    fn has(&self, name: &str) -> bool {
        self.listed.iter().any(|object| object.name == name)
    }

    /// When the newest of them was written, in seconds since the Unix epoch.
    fn modified_seconds(&self) -> i64 {
        let modified = self.listed.iter().map(|object| object.modified_seconds);
        modified.max().unwrap_or(i64::MIN)
    }
}

/// What a prune goes by, read before anything is removed.
struct Prune<'a> {
    published: &'a Published,
    shared: &'a SharedPointer,
    by_folder: BTreeMap<String, Objects>,
    pointer: Option<Pointer>,
    is_damaged: bool,
    marked: Vec<ReleaseId>,
    now: i64,
    remove: bool,
}

/// Removes every release for which there is no reason to keep it, and what was left behind; or says
/// what would be removed. The time is by S3's clock.
pub(super) fn prune(
    published: &Published,
    shared: &SharedPointer,
    now: i64,
    remove: bool,
) -> Result<Pruned, ReleaseError> {
    // Read before the releases: what is activated meanwhile was published before, and is seen.
    let (pointer, is_damaged) = match shared.read() {
        Err(ReleaseError::DamagedPointer { .. }) => (None, true),
        read => (read?, false),
    };
    let mut by_folder: BTreeMap<String, Objects> = BTreeMap::new();
    for object in published.bucket.list(RELEASES)? {
        let below = object.name.strip_prefix(RELEASES).unwrap_or_default();
        if let Some((folder, _file)) = below.split_once('/') {
            let folder = folder.to_owned();
            by_folder.entry(folder).or_default().listed.push(object);
        }
    }
    let prune = Prune {
        marked: published.marked(now, remove)?,
        published,
        shared,
        by_folder,
        pointer,
        is_damaged,
        now,
        remove,
    };
    Ok(prune.run())
}

impl Prune<'_> {
    fn run(&self) -> Pruned {
        let mut pruned = Pruned::default();
        let previous = self.previous();
        let needed = Needed {
            active: self.pointer.as_ref().map(|pointer| &pointer.release),
            previous: previous.iter().collect(),
            now_seconds: self.now,
        };
        for (folder, objects) in self.by_folder.iter().rev() {
            // Other folders belong to others.
            let Some(id) = ReleaseId::parse(folder) else {
                continue;
            };
            if objects.has(&file_name(&id, MANIFEST)) {
                let kept = self.keep_or_remove(&id, objects, &needed);
                pruned.push(id, objects.bytes(), kept);
            } else if self.is_left_behind(&id, objects, &needed) {
                pruned.push_leftover(self.clear_away(&id, objects));
            }
        }
        pruned
    }

    /// The releases to roll back to that are there in full.
    fn previous(&self) -> Vec<ReleaseId> {
        let previous = self.pointer.as_ref().map(|pointer| &*pointer.previous);
        let is_there = |id: &&ReleaseId| {
            let objects = self.by_folder.get(id.as_str());
            objects.is_some_and(|objects| objects.has(&file_name(id, MANIFEST)))
                && self.published.check(id).is_ok()
        };
        let previous = previous.unwrap_or_default().iter().filter(is_there);
        previous.take(PREVIOUS_KEPT).cloned().collect()
    }

    /// Keeps a release or removes it. Marks count where nothing else does.
    fn keep_or_remove(
        &self,
        id: &ReleaseId,
        objects: &Objects,
        needed: &Needed<'_>,
    ) -> Result<Option<Kept>, ReleaseError> {
        match needed.reason(id, || Ok(objects.modified_seconds()))? {
            None if self.marked.contains(id) => Ok(Some(Kept::InUse)),
            None if self.remove => self.remove_release(id, objects),
            kept => Ok(kept),
        }
    }

    fn remove_release(
        &self,
        id: &ReleaseId,
        objects: &Objects,
    ) -> Result<Option<Kept>, ReleaseError> {
        let manifest = file_name(id, MANIFEST);
        let bytes = self.published.manifest_bytes(id)?;
        let bucket = &self.published.bucket;
        uninterrupted(Some(Change::Pruned), || bucket.remove(&manifest))?;
        let is_needed = self.is_needed_again(id);
        if !matches!(is_needed, Ok(false)) {
            self.put_back(&manifest, &bytes)?;
            return is_needed.map(|_needed| Some(Kept::InUse));
        }
        self.remove_all(objects)?;
        Ok(None)
    }

    /// Where it fails, a release is left that is needed and cannot be found.
    fn put_back(&self, manifest: &str, bytes: &Bytes) -> Result<(), ReleaseError> {
        let put_back = || self.published.bucket.create(manifest, bytes.clone());
        for _attempt in 1..ATTEMPTS {
            if put_back().is_ok() {
                return Ok(());
            }
        }
        put_back().map(|_made| ())
    }

    /// Whether a release has come to be needed whose manifest was just taken away.
    fn is_needed_again(&self, id: &ReleaseId) -> Result<bool, ReleaseError> {
        let marks = self.published.bucket.list(&format!("{IN_USE}{id}/"))?;
        let pointer = self.shared.read()?;
        Ok(!marks.is_empty() || pointer.is_some_and(|pointer| pointer.release == *id))
    }

    /// Whether objects without a manifest are of an upload that ended long ago, and of a release
    /// that the pointer would not keep if it were whole.
    fn is_left_behind(&self, id: &ReleaseId, objects: &Objects, needed: &Needed<'_>) -> bool {
        let is_named = |pointer: &Pointer| {
            let previous = pointer.previous.iter().take(PREVIOUS_KEPT);
            previous.chain([&pointer.release]).any(|one| one == id)
        };
        !needed.is_young(objects.modified_seconds())
            && !self.marked.contains(id)
            && !self.is_damaged
            && !self.pointer.as_ref().is_some_and(is_named)
    }

    fn clear_away(&self, id: &ReleaseId, objects: &Objects) -> Result<Leftover, ReleaseError> {
        if self.remove {
            self.remove_all(objects)?;
        }
        Ok(Leftover {
            path: self.published.bucket.path(&format!("{RELEASES}{id}")),
            bytes: objects.bytes(),
        })
    }

    fn remove_all(&self, objects: &Objects) -> Result<(), ReleaseError> {
        let names = objects.listed.iter().map(|object| &object.name);
        names
            .filter(|name| !name.ends_with(MANIFEST))
            .try_for_each(|name| self.published.bucket.remove(name))
    }
}
