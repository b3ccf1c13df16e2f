//! Releases published in S3, for several servers that share them, and their copies on this disk.
//!
//! ```text
//! current                       the pointer to the active release, as in a directory
//! releases/<id>/manifest.json   written last, and never over another: with it there is a release
//! releases/<id>/<file>          the other files of a release
//! in-use/<id>/<who>             somebody uses the release, or is about to activate it
//! probe/<who>                   there while it is tried out whether S3 keeps conditions
//! time/<who>                    there for as long as somebody asks what time it is in S3
//! ```
//!
//! The pointer is replaced only in the state that was read, so of two operators who activate at
//! once one wins and the other is told. What is opened is a copy in the data directory, of which
//! every byte was checked against the manifest as it came.

mod address;
mod bucket;
mod cache;
mod fetch;
mod marks;
mod place;
mod pointer;
mod probe;
mod prune;
mod publish;
mod time;

#[cfg(test)]
pub(super) mod tests;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex};

pub use self::address::{NotAnAddress, S3Address};
use self::bucket::{Bucket, Contents, Got};
pub use self::bucket::{S3Error, S3Settings};
use self::cache::Refused;
use self::pointer::Seen;
use super::manifest::MANIFEST;
use super::{Manifest, ReleaseError, ReleaseId, ReleaseStore, reader};
use crate::base::clock::Clock;
use crate::base::data_dir::DataDir;

/// The folder of releases, in S3.
const RELEASES: &str = "releases/";
/// Most bytes of a manifest: those of a release with every field there is have fewer than 100,000.
const MANIFEST_BYTES_MAX: u64 = 16 << 20;

/// Sees how far files are on their way. Nothing is said of anything small.
pub trait Watcher: Send + Sync {
    /// So many bytes are about to be sent.
    fn sending(&self, bytes: u64);
    /// So many bytes are about to be fetched.
    fn fetching(&self, bytes: u64);
    /// So many more of them are done.
    fn advance(&self, bytes: u64);
    /// All is done, or nothing more comes of it.
    fn finish(&self);
}

/// Watches nothing.
#[derive(Debug)]
pub struct Unwatched;

impl Watcher for Unwatched {
    fn sending(&self, _bytes: u64) {}
    fn fetching(&self, _bytes: u64) {}
    fn advance(&self, _bytes: u64) {}
    fn finish(&self) {}
}

/// The releases at an address of S3.
pub struct S3Releases {
    bucket: Bucket,
    /// Copies of releases, and the pointer that was kept.
    cache: ReleaseStore,
    /// Where copies are made.
    fetching: PathBuf,
    watcher: Box<dyn Watcher>,
    /// Who this is, in marks of use.
    who: String,
    clock: Arc<dyn Clock>,
    /// The pointer as it was seen last.
    seen: Mutex<Option<Seen>>,
    /// What is being fetched by a thread of this process, so that no other one does it too.
    underway: Mutex<BTreeSet<ReleaseId>>,
    fetched: Condvar,
    /// What could not be fetched ahead of its activation.
    refused: Mutex<Refused>,
    /// The mark that is renewed.
    marked: Mutex<Option<marks::Marked>>,
}

impl S3Releases {
    /// The releases at `address`, reached as `settings` say, with copies in `data`. `who` tells
    /// this process from all others.
    pub fn open(
        address: S3Address,
        settings: &S3Settings,
        data: &DataDir,
        who: String,
        watcher: Box<dyn Watcher>,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, ReleaseError> {
        let cache = DataDir::new(data.path().join(address.cache_name()));
        Ok(Self {
            bucket: Bucket::open(address, settings)?,
            fetching: cache.path().join("fetching"),
            cache: ReleaseStore::new(cache),
            watcher,
            who,
            clock,
            seen: Mutex::default(),
            underway: Mutex::default(),
            fetched: Condvar::new(),
            refused: Mutex::default(),
            marked: Mutex::default(),
        })
    }

    /// The manifest of a release, and its bytes.
    fn read_manifest(&self, id: &ReleaseId) -> Result<(Manifest, Contents), ReleaseError> {
        let name = file_name(id, MANIFEST);
        match self.bucket.get(&name, MANIFEST_BYTES_MAX, None)? {
            Got::Contents(contents) => {
                let manifest = reader::proved(id, &contents.bytes, &self.bucket.path(&name))?;
                Ok((manifest, contents))
            }
            Got::Missing | Got::Unchanged => Err(ReleaseError::Unknown { id: id.to_string() }),
        }
    }
}

/// The name of a file of a release.
fn file_name(id: &ReleaseId, file: &str) -> String {
    format!("{RELEASES}{id}/{file}")
}

/// Locks; a thread that panicked left nothing half done in what is locked here.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}
