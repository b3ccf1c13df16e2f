//! A folder of the bucket that the environment names, for one test: emptied when dropped.

use std::env;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;

use crate::base::clock::SystemClock;
use crate::base::data_dir::DataDir;
use crate::base::services;
use crate::release::s3::bucket::{Bucket, Listed};
use crate::release::s3::{NoTransferListener, S3Releases, S3Settings};

/// Names the bucket.
const VARIABLE: &str = "CATALOGUE_TEST_S3";
/// Most bytes of an object that tests read.
const BYTES_MAX: u64 = 1 << 30;

static FOLDERS: AtomicU64 = AtomicU64::new(0);

/// A folder of a bucket, and machines that know it.
pub(in crate::release) struct Folder {
    address: String,
    bucket: Bucket,
    machines: tempfile::TempDir,
}

impl Folder {
    /// An empty folder.
    pub(in crate::release) fn new() -> Self {
        let bucket = services::address(VARIABLE);
        let number = FOLDERS.fetch_add(1, Ordering::Relaxed);
        let address = format!("{bucket}/shared-{}-{number}", std::process::id());
        Self {
            bucket: Bucket::open(address.parse().unwrap(), &settings()).unwrap(),
            address,
            machines: tempfile::tempdir().unwrap(),
        }
    }

    /// What a machine of that name sees, which has copies of its own.
    pub(in crate::release) fn machine(&self, name: &str) -> S3Releases {
        self.machine_with(name, &settings())
    }

    /// The same, for one that reaches S3 in another way.
    pub(in crate::release) fn machine_with(&self, name: &str, settings: &S3Settings) -> S3Releases {
        let data = DataDir::new(self.machines.path().join(name));
        let address = self.address.parse().unwrap();
        S3Releases::open(
            address,
            settings,
            &data,
            name.to_owned(),
            Box::new(NoTransferListener),
            Arc::new(SystemClock::new()),
        )
        .unwrap()
    }

    /// All objects whose names begin so.
    pub(in crate::release) fn list(&self, folder: &str) -> Vec<String> {
        let listed = self.bucket.list(folder).unwrap().into_iter();
        listed.map(|Listed { name, .. }| name).collect()
    }

    pub(in crate::release) fn get(&self, name: &str) -> Bytes {
        let contents = self.bucket.get(name, BYTES_MAX).unwrap();
        contents
            .unwrap_or_else(|| panic!("there is no {name}"))
            .bytes
    }

    pub(in crate::release) fn put(&self, name: &str, bytes: impl Into<Bytes>) {
        self.bucket.put(name, bytes.into()).unwrap();
    }

    pub(in crate::release) fn remove(&self, name: &str) {
        self.bucket.remove(name).unwrap();
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let objects = ["releases/", "in-use/"];
        for name in objects.iter().flat_map(|folder| self.list(folder)) {
            self.remove(&name);
        }
        self.remove("current");
    }
}

/// How the environment says that S3 is reached.
pub(in crate::release) fn settings() -> S3Settings {
    S3Settings::of(env::vars())
}
