//! Pruning in S3: by age and use, as in a directory, and by what servers say they use.
//!
//! The manifest goes first, so that there is no release any more, and is put back if it shows that
//! somebody has come to need the release meanwhile. Only then are its files removed. Killed at any
//! point, this leaves a release whole or gone, and what is left of it to the next prune; what the
//! pointer names is never taken for left, so that importing it again makes it whole.

use std::collections::BTreeMap;

use bytes::Bytes;

use super::bucket::Listed;
use super::marks::{IN_USE, MARKED_SECONDS};
use super::{RELEASES, S3Releases, file_name};
use crate::release::interruption::{Change, uninterrupted};
use crate::release::manifest::MANIFEST;
use crate::release::pointer::Pointer;
use crate::release::prune::{Kept, PREVIOUS_KEPT, Pruned, Verdict, YOUNG};
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

    /// Whether nobody wrote any of them for a day.
    fn are_old(&self, now: i64) -> bool {
        let newest = self.listed.iter().map(|object| object.modified_seconds);
        let newest = newest.max().unwrap_or(i64::MIN);
        YOUNG.as_secs().cast_signed() <= now.saturating_sub(newest)
    }
}

impl S3Releases {
    pub(super) fn judge(&self, now: i64, remove: bool) -> Result<Pruned, ReleaseError> {
        // Read before the releases: what is activated meanwhile was published before, and is seen.
        let (pointer, is_damaged) = match self.read_pointer() {
            Err(ReleaseError::DamagedPointer { .. }) => (None, true),
            read => (read?, false),
        };
        let mut by_id: BTreeMap<String, Objects> = BTreeMap::new();
        for object in self.bucket.list(RELEASES)? {
            let below = object.name.strip_prefix(RELEASES).unwrap_or_default();
            if let Some((folder, _file)) = below.split_once('/') {
                let folder = folder.to_owned();
                by_id.entry(folder).or_default().listed.push(object);
            }
        }
        let marked = self.marked(now, remove)?;
        let mut pruned = Pruned::default();
        let previous = self.previous(pointer.as_ref(), &by_id);
        for (folder, objects) in by_id.iter().rev() {
            let Some(id) = ReleaseId::parse(folder) else {
                // It is somebody else's.
                continue;
            };
            if objects.has(&file_name(&id, MANIFEST)) {
                let needed = Needed {
                    pointer: pointer.as_ref(),
                    previous: &previous,
                    marked: &marked,
                    now,
                };
                let kept = needed.reason(&id, objects);
                pruned.add(self.removed(id, objects, kept, remove));
            } else if objects.are_old(now)
                && !marked.contains(&id)
                && !is_damaged
                && !pointer.as_ref().is_some_and(|pointer| names(pointer, &id))
            {
                let removed = if remove {
                    self.remove_all(objects)
                } else {
                    Ok(())
                };
                let leftover = Leftover {
                    path: self.bucket.path(&format!("{RELEASES}{id}")),
                    bytes: objects.bytes(),
                };
                match removed {
                    Ok(()) => pruned.leftovers.push(leftover),
                    Err(error) => pruned.failures.push(error),
                }
            }
        }
        Ok(pruned)
    }

    /// The releases to roll back to that are there in full.
    fn previous(
        &self,
        pointer: Option<&Pointer>,
        by_id: &BTreeMap<String, Objects>,
    ) -> Vec<ReleaseId> {
        let previous = pointer.map_or(&[][..], |pointer| &pointer.previous).iter();
        let is_there = |id: &&ReleaseId| {
            let objects = by_id.get(id.as_str());
            objects.is_some_and(|objects| objects.has(&file_name(id, MANIFEST)))
                && self.check_published(id).is_ok()
        };
        previous
            .filter(is_there)
            .take(PREVIOUS_KEPT)
            .cloned()
            .collect()
    }

    /// The releases that somebody marked a moment ago; marks that count no more are removed.
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

    fn removed(
        &self,
        id: ReleaseId,
        objects: &Objects,
        kept: Option<Kept>,
        remove: bool,
    ) -> (Verdict, Option<ReleaseError>) {
        let kept = match kept {
            None if remove => self.remove_release(&id, objects),
            kept => Ok(kept),
        };
        let (kept, failure) = match kept {
            Ok(kept) => (kept, None),
            Err(error) => (Some(Kept::Failed), Some(error)),
        };
        let bytes = objects.bytes();
        (Verdict { id, bytes, kept }, failure)
    }

    fn remove_release(
        &self,
        id: &ReleaseId,
        objects: &Objects,
    ) -> Result<Option<Kept>, ReleaseError> {
        let manifest = file_name(id, MANIFEST);
        let (_manifest, contents) = self.read_manifest(id)?;
        uninterrupted(Some(Change::Pruned), || self.bucket.remove(&manifest))?;
        let is_needed = self.is_needed_again(id);
        if !matches!(is_needed, Ok(false)) {
            self.put_back(&manifest, &contents.bytes)?;
            return is_needed.map(|_needed| Some(Kept::InUse));
        }
        self.remove_all(objects)?;
        Ok(None)
    }

    /// Where it fails, a release is left that somebody needs and nobody finds.
    fn put_back(&self, manifest: &str, bytes: &Bytes) -> Result<(), ReleaseError> {
        for _attempt in 1..ATTEMPTS {
            if self.bucket.create(manifest, bytes.clone()).is_ok() {
                return Ok(());
            }
        }
        self.bucket.create(manifest, bytes.clone()).map(|_made| ())
    }

    /// Whether somebody has come to need a release whose manifest was just taken away.
    fn is_needed_again(&self, id: &ReleaseId) -> Result<bool, ReleaseError> {
        let marks = self.bucket.list(&format!("{IN_USE}{id}/"))?;
        let pointer = self.read_pointer()?;
        Ok(!marks.is_empty() || pointer.is_some_and(|pointer| pointer.release == *id))
    }

    fn remove_all(&self, objects: &Objects) -> Result<(), ReleaseError> {
        let names = objects.listed.iter().map(|object| &object.name);
        names
            .filter(|name| !name.ends_with(MANIFEST))
            .try_for_each(|name| self.bucket.remove(name))
    }
}

impl Pruned {
    fn add(&mut self, (verdict, failure): (Verdict, Option<ReleaseError>)) {
        self.releases.push(verdict);
        self.failures.extend(failure);
    }
}

/// Whether a release would be kept for the pointer if it were whole.
fn names(pointer: &Pointer, id: &ReleaseId) -> bool {
    pointer.release == *id
        || pointer
            .previous
            .iter()
            .take(PREVIOUS_KEPT)
            .any(|one| one == id)
}

/// The reasons to keep a release.
struct Needed<'a> {
    pointer: Option<&'a Pointer>,
    previous: &'a [ReleaseId],
    marked: &'a [ReleaseId],
    now: i64,
}

impl Needed<'_> {
    fn reason(&self, id: &ReleaseId, objects: &Objects) -> Option<Kept> {
        let Some(pointer) = self.pointer else {
            return Some(Kept::NothingKnown);
        };
        let young = YOUNG.as_secs().cast_signed();
        let is_young =
            self.now.saturating_sub(id.unix_seconds()) < young || !objects.are_old(self.now);
        if pointer.release == *id {
            Some(Kept::Active)
        } else if self.previous.contains(id) {
            Some(Kept::Previous)
        } else if is_young {
            Some(Kept::Young)
        } else if self.marked.contains(id) {
            Some(Kept::InUse)
        } else {
            None
        }
    }
}
