//! The objects below an address: read, written, listed and removed, each within a time that stands
//! here.
//!
//! A file is sent and fetched in pieces: several are under way at a time, none takes longer than it
//! may, and no more of a file than those is held in memory. Nothing here knows releases. The caller
//! waits: the client's runtime lives in here, so none of this may be called from asynchronous code.

mod client;
mod connector;
mod failure;

use std::fs::File;
use std::future::Future;
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt, stream};
use object_store::path::Path as Key;
use object_store::{
    Error, GetOptions, ObjectStore, ObjectStoreExt, PutMode, UpdateVersion, WriteMultipart,
};
use tokio::runtime::Runtime;
use tokio::sync::watch;

pub use self::client::S3Settings;
pub use self::connector::StoreConnector;
use self::failure::Failure;
pub(super) use self::failure::is_refusal;
pub use self::failure::{Flaw, S3Error, root_cause};
use super::address::S3Address;
use crate::base::regular_file;
use crate::base::threads::{self, Blocking};
use crate::release::ReleaseError;

/// How long anything small may take, all attempts together.
const SMALL_MAX: Duration = Duration::from_secs(5);
/// How long a piece of a large file may take, all attempts together.
const PIECE_MAX: Duration = Duration::from_mins(2);
/// Bytes of a piece. A file of no more is written at once; S3 takes no smaller piece than 5 MiB,
/// but for the last.
const PIECE_BYTES: u64 = 8 << 20;
/// Most pieces of a file that S3 takes.
const PIECES_MAX: u64 = 10_000;
/// Pieces on their way at a time.
const AT_A_TIME: usize = 4;
/// Threads that hash, encrypt and wait for the network.
const THREADS: usize = 2;
/// Threads that look up the names of hosts.
const BLOCKING: Blocking = Blocking {
    made: 1,
    at_most: 4,
};

/// An object, as it is listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Listed {
    /// Below the prefix.
    pub(super) name: String,
    pub(super) bytes: u64,
    pub(super) modified_seconds: i64,
}

/// An object that was read.
pub(super) struct Contents {
    pub(super) bytes: Bytes,
    /// Names this state of the object.
    pub(super) etag: Option<String>,
}

/// What asking for an object came to.
pub(super) enum Got {
    Missing,
    /// It is as it was in the state that was named.
    Unchanged,
    Contents(Contents),
}

/// The objects below an address.
pub(super) struct Bucket {
    address: S3Address,
    client: Arc<dyn ObjectStore>,
    runtime: Runtime,
    is_cancelled: watch::Sender<bool>,
}

impl Bucket {
    pub(super) fn open(address: S3Address, settings: &S3Settings) -> Result<Self, ReleaseError> {
        // Fails if another part of this program has done so already.
        _ = rustls::crypto::ring::default_provider().install_default();
        let unreached = |source| ReleaseError::S3 {
            action: "reach",
            object: address.to_string(),
            source,
        };
        let client = client::builder(settings)
            .map_err(unreached)?
            .with_bucket_name(address.bucket())
            .build();
        let client = client.map_err(|error| {
            let reason = failure::root_cause(&error);
            unreached(S3Error::Failed(reason))
        })?;
        Self::with_client(address, Arc::new(client))
    }

    /// The objects below `address`, as that client reaches them.
    pub(super) fn with_client(
        address: S3Address,
        client: Arc<dyn ObjectStore>,
    ) -> Result<Self, ReleaseError> {
        let runtime = threads::runtime("s3", THREADS, BLOCKING);
        let runtime = runtime.map_err(|error| ReleaseError::S3 {
            action: "reach",
            object: address.to_string(),
            source: S3Error::Failed(error.to_string()),
        })?;
        Ok(Self {
            client,
            runtime,
            is_cancelled: watch::Sender::new(false),
            address,
        })
    }

    pub(super) const fn address(&self) -> &S3Address {
        &self.address
    }

    /// An object as errors and people name it.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        PathBuf::from(format!("{}/{name}", self.address))
    }

    /// The contents of a small object of at most `bytes_max` bytes, unless its state is the one of
    /// this ETag.
    pub(super) fn get(
        &self,
        name: &str,
        bytes_max: u64,
        unless: Option<&str>,
    ) -> Result<Got, ReleaseError> {
        let key = self.key(name);
        let options = GetOptions {
            if_none_match: unless.map(str::to_owned),
            ..GetOptions::default()
        };
        let got = self.wait(SMALL_MAX, async {
            let got = self.client.get_opts(&key, options).await?;
            let (size, etag) = (got.meta.size, got.meta.e_tag.clone());
            if bytes_max < size {
                return Ok(Err(size));
            }
            let bytes = got.bytes().await?;
            Ok(Ok(Contents { bytes, etag }))
        });
        match got {
            Ok(Ok(contents)) if contents.etag.is_some() && contents.etag.as_deref() == unless => {
                // Some servers send it all the same.
                Ok(Got::Unchanged)
            }
            Ok(Ok(contents)) => Ok(Got::Contents(contents)),
            Ok(Err(size)) => {
                let reason = format!("it has {size} bytes, more than the {bytes_max} it may have");
                Err(ReleaseError::damaged(&self.path(name), reason))
            }
            Err(Failure::Client(error)) if failure::is_missing(&error) => Ok(Got::Missing),
            Err(Failure::Client(Error::NotModified { .. })) => Ok(Got::Unchanged),
            Err(failure) => Err(self.error("read", name, failure)),
        }
    }

    /// Makes an object, whole and at once; whether there was none of that name.
    pub(super) fn create(&self, name: &str, bytes: Bytes) -> Result<bool, ReleaseError> {
        self.put_if(name, bytes, PutMode::Create)
    }

    /// Replaces an object in the state of this ETag; whether that was its state.
    pub(super) fn replace(
        &self,
        name: &str,
        bytes: Bytes,
        etag: Option<String>,
    ) -> Result<bool, ReleaseError> {
        let version = UpdateVersion {
            e_tag: etag,
            version: None,
        };
        self.put_if(name, bytes, PutMode::Update(version))
    }

    /// Writes an object, whatever there is of that name.
    pub(super) fn put(&self, name: &str, bytes: Bytes) -> Result<(), ReleaseError> {
        self.put_if(name, bytes, PutMode::Overwrite).map(|_put| ())
    }

    fn put_if(&self, name: &str, bytes: Bytes, mode: PutMode) -> Result<bool, ReleaseError> {
        let key = self.key(name);
        let put = self.client.put_opts(&key, bytes.into(), mode.into());
        match self.wait(SMALL_MAX, put) {
            Ok(_put) => Ok(true),
            Err(Failure::Client(Error::AlreadyExists { .. } | Error::Precondition { .. })) => {
                Ok(false)
            }
            Err(failure) => Err(self.error("write", name, failure)),
        }
    }

    /// All objects whose names begin with `folder`, which ends with `/`, by name.
    pub(super) fn list(&self, folder: &str) -> Result<Vec<Listed>, ReleaseError> {
        let key = self.key(folder);
        let root = self.address.key("");
        let listed = self.client.list(Some(&key)).map_ok(|meta| Listed {
            name: meta
                .location
                .as_ref()
                .strip_prefix(&root)
                .unwrap_or_default()
                .to_owned(),
            bytes: meta.size,
            modified_seconds: meta.last_modified.timestamp(),
        });
        let listed = self.wait(SMALL_MAX, listed.try_collect::<Vec<_>>());
        let mut listed = listed.map_err(|failure| self.error("list", folder, failure))?;
        listed.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        Ok(listed)
    }

    /// Whether there is an object of that name, whatever is listed.
    pub(super) fn has(&self, name: &str) -> Result<bool, ReleaseError> {
        match self.wait(SMALL_MAX, self.client.head(&self.key(name))) {
            Ok(_meta) => Ok(true),
            Err(Failure::Client(Error::NotFound { .. })) => Ok(false),
            Err(failure) => Err(self.error("read", name, failure)),
        }
    }

    /// Removes an object; it is no error that there is none.
    pub(super) fn remove(&self, name: &str) -> Result<(), ReleaseError> {
        match self.wait(SMALL_MAX, self.client.delete(&self.key(name))) {
            Ok(()) => Ok(()),
            Err(Failure::Client(error)) if failure::is_missing(&error) => Ok(()),
            Err(failure) => Err(self.error("remove", name, failure)),
        }
    }

    /// Writes the file at `path` to an object; `written` gets the bytes of each piece that was
    /// sent.
    pub(super) fn put_file(
        &self,
        name: &str,
        path: &Path,
        written: &dyn Fn(u64),
    ) -> Result<(), ReleaseError> {
        let mut pieces = Pieces::open(path)?;
        let sent = self.run(async {
            if pieces.are_one {
                self.send_whole(name, &mut pieces, written).await
            } else {
                self.send_pieces(name, &mut pieces, written).await
            }
        });
        sent.map_err(|undone| match undone {
            Undone::Here(error) => error,
            Undone::There(failure) => self.error("write", name, failure),
        })
    }

    /// Writes an object as large files are written, though it is one piece.
    pub(super) fn put_in_pieces(&self, name: &str, bytes: Bytes) -> Result<(), ReleaseError> {
        let key = self.key(name);
        let put = async {
            let mut writing = WriteMultipart::new(self.client.put_multipart(&key).await?);
            writing.put(bytes);
            writing.finish().await
        };
        let put = self.wait(SMALL_MAX, put).map(|_put| ());
        put.map_err(|failure| self.error("write", name, failure))
    }

    /// Passes the first `size` bytes of an object to `take`, in order.
    pub(super) fn get_file(
        &self,
        name: &str,
        size: u64,
        mut take: impl FnMut(&[u8]) -> Result<(), ReleaseError>,
    ) -> Result<(), ReleaseError> {
        let key = self.key(name);
        let asked = stream::iter(ranges(size))
            .map(|range| within(PIECE_MAX, self.client.get_range(&key, range)));
        let taken = self.run(async {
            let mut pieces = std::pin::pin!(asked.buffered(AT_A_TIME));
            while let Some(piece) = pieces.next().await {
                take(&piece?).map_err(Undone::Here)?;
            }
            Ok(())
        });
        taken.map_err(|undone| match undone {
            Undone::Here(error) => error,
            Undone::There(Failure::Client(error)) if failure::is_missing(&error) => {
                ReleaseError::damaged(&self.path(name), "it is not there")
            }
            Undone::There(failure) => self.error("read", name, failure),
        })
    }

    async fn send_whole(
        &self,
        name: &str,
        pieces: &mut Pieces<'_>,
        written: &dyn Fn(u64),
    ) -> Result<(), Undone> {
        let whole = pieces.next()?;
        let bytes = whole.len() as u64;
        within(PIECE_MAX, self.client.put(&self.key(name), whole.into())).await?;
        written(bytes);
        Ok(())
    }

    async fn send_pieces(
        &self,
        name: &str,
        pieces: &mut Pieces<'_>,
        written: &dyn Fn(u64),
    ) -> Result<(), Undone> {
        let key = self.key(name);
        let upload = within(SMALL_MAX, self.client.put_multipart(&key)).await?;
        let piece_bytes = usize::try_from(pieces.bytes).unwrap_or(usize::MAX);
        let mut writing = WriteMultipart::new_with_chunk_size(upload, piece_bytes);
        match pieces.send(&mut writing, written).await {
            Ok(()) => {
                within(PIECE_MAX, writing.finish()).await?;
                Ok(())
            }
            Err(undone) => {
                // Where this fails too, the bucket's own rules remove what is unfinished.
                _ = within(SMALL_MAX, writing.abort()).await;
                Err(undone)
            }
        }
    }

    fn key(&self, name: &str) -> Key {
        Key::from(self.address.key(name))
    }

    fn wait<T>(
        &self,
        at_most: Duration,
        work: impl Future<Output = object_store::Result<T>>,
    ) -> Result<T, Failure> {
        self.run(within(at_most, work))
    }

    /// Waits for work, or until requests are cancelled.
    fn run<T, E: From<Failure>>(&self, work: impl Future<Output = Result<T, E>>) -> Result<T, E> {
        let mut is_cancelled = self.is_cancelled.subscribe();
        self.runtime.block_on(async {
            tokio::select! {
                biased;
                _ = is_cancelled.wait_for(|is_cancelled| *is_cancelled) => Err(Failure::Cancelled.into()),
                done = work => done,
            }
        })
    }

    /// Cancels every request, those under way and those to come.
    pub(super) fn cancel(&self) {
        self.is_cancelled.send_replace(true);
    }

    fn error(&self, action: &'static str, name: &str, failure: Failure) -> ReleaseError {
        ReleaseError::S3 {
            action,
            object: self.path(name).display().to_string(),
            source: failure.into(),
        }
    }
}

async fn within<T>(
    at_most: Duration,
    work: impl Future<Output = object_store::Result<T>>,
) -> Result<T, Failure> {
    match tokio::time::timeout(at_most, work).await {
        Ok(done) => done.map_err(Failure::Client),
        Err(_elapsed) => Err(Failure::TimedOut(at_most)),
    }
}

/// A file, a piece at a time.
struct Pieces<'a> {
    file: File,
    path: &'a Path,
    bytes: u64,
    are_one: bool,
}

impl<'a> Pieces<'a> {
    fn open(path: &'a Path) -> Result<Self, ReleaseError> {
        let file = regular_file::open(path).map_err(ReleaseError::io("open", path))?;
        let metadata = file.metadata().map_err(ReleaseError::io("measure", path))?;
        let bytes = PIECE_BYTES.max(metadata.len().div_ceil(PIECES_MAX));
        Ok(Self {
            file,
            path,
            bytes,
            are_one: metadata.len() <= bytes,
        })
    }

    /// Empty at the end.
    fn next(&mut self) -> Result<Vec<u8>, Undone> {
        let mut piece = Vec::new();
        let read = (&mut self.file).take(self.bytes).read_to_end(&mut piece);
        let read = read.map_err(ReleaseError::io("read", self.path));
        read.map_err(Undone::Here)?;
        Ok(piece)
    }

    async fn send(
        &mut self,
        writing: &mut WriteMultipart,
        written: &dyn Fn(u64),
    ) -> Result<(), Undone> {
        loop {
            let piece = self.next()?;
            let bytes = piece.len() as u64;
            if bytes == 0 {
                // Until all are there, so that each has had its own time.
                within(PIECE_MAX, writing.wait_for_capacity(1)).await?;
                return Ok(());
            }
            within(PIECE_MAX, writing.wait_for_capacity(AT_A_TIME)).await?;
            writing.put(piece.into());
            written(bytes);
        }
    }
}

/// Why a file was not sent or taken.
enum Undone {
    /// The disk failed.
    Here(ReleaseError),
    /// S3 did.
    There(Failure),
}

impl From<Failure> for Undone {
    fn from(failure: Failure) -> Self {
        Self::There(failure)
    }
}

fn ranges(size: u64) -> impl Iterator<Item = Range<u64>> {
    let starts = (0..size.div_ceil(PIECE_BYTES)).map(|piece| piece * PIECE_BYTES);
    starts.map(move |start| start..size.min(start + PIECE_BYTES))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pieces_of_a_file_are_all_of_it_once() {
        for size in [
            0,
            1,
            PIECE_BYTES - 1,
            PIECE_BYTES,
            PIECE_BYTES + 1,
            5 * PIECE_BYTES,
        ] {
            let mut end = 0;
            for range in ranges(size) {
                assert_eq!(range.start, end);
                assert!(range.start < range.end && range.end - range.start <= PIECE_BYTES);
                end = range.end;
            }
            assert_eq!(end, size);
        }
    }
}
