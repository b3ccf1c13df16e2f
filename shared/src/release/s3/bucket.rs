//! The objects below an address: read, written, listed and removed, each within a time that stands
//! here.
//!
//! A file is sent and fetched in pieces: several are under way at a time, none takes longer than it
//! may, and no more of a file than those is held in memory. Nothing here knows releases. The caller
//! waits: the client's runtime lives in here, so none of this may be called from asynchronous code.

mod client;
mod connector;
mod failure;
mod reply;

use std::future::Future;
use std::io::{self, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt, stream};
use object_store::buffered::BufWriter;
use object_store::path::Path as Key;
use object_store::{Error, ObjectStore, ObjectStoreExt, PutMode, UpdateVersion};
use tokio::io::AsyncWriteExt;
use tokio::runtime::Runtime;
use tokio::sync::watch;

pub use self::client::S3Settings;
use self::connector::PIECE_MAX;
pub use self::connector::StoreConnector;
pub(super) use self::failure::is_refusal;
pub use self::failure::{Flaw, S3Error, root_cause};
pub use self::reply::reply_fault;
use super::address::S3Address;
use crate::base::regular_file;
use crate::base::threads::{self, Blocking};
use crate::release::ReleaseError;

/// How long anything small may take, all attempts together.
const SMALL_MAX: Duration = Duration::from_secs(5);
/// How long the last pieces of a large file may take, all together.
const ENDING_MAX: Duration = Duration::from_mins(8);
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
        let runtime = threads::runtime("s3", THREADS, BLOCKING);
        let runtime = runtime.map_err(|error| unreached(S3Error::Failed(error.to_string())))?;
        Ok(Self {
            client: Arc::new(client),
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

    /// The contents of a small object of at most `bytes_max` bytes, if there is one.
    pub(super) fn get(&self, name: &str, bytes_max: u64) -> Result<Option<Contents>, ReleaseError> {
        let key = self.key(name);
        let got = self.wait(SMALL_MAX, async {
            let got = self.client.get(&key).await?;
            let (size, etag) = (got.meta.size, got.meta.e_tag.clone());
            if bytes_max < size {
                return Ok(Err(size));
            }
            let bytes = got.bytes().await?;
            Ok(Ok(Contents { bytes, etag }))
        });
        match got {
            Ok(Ok(contents)) => Ok(Some(contents)),
            Ok(Err(size)) => {
                let reason = format!("it has {size} bytes, more than the {bytes_max} it may have");
                Err(ReleaseError::damaged(&self.path(name), reason))
            }
            Err(Failure::Client(error)) if failure::is_missing(&error) => Ok(None),
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

    /// The bytes of an object, if there is one.
    pub(super) fn size(&self, name: &str) -> Result<Option<u64>, ReleaseError> {
        match self.wait(SMALL_MAX, self.client.head(&self.key(name))) {
            Ok(meta) => Ok(Some(meta.size)),
            Err(Failure::Client(Error::NotFound { .. })) => Ok(None),
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
        let file = regular_file::open(path).map_err(ReleaseError::io("open", path))?;
        let metadata = file.metadata().map_err(ReleaseError::io("measure", path))?;
        let piece_bytes = PIECE_BYTES.max(metadata.len().div_ceil(PIECES_MAX));
        let capacity = usize::try_from(piece_bytes).unwrap_or(usize::MAX);
        let client = Arc::clone(&self.client);
        let sent = self.run(async {
            let mut writer = BufWriter::with_capacity(client, self.key(name), capacity)
                .with_max_concurrency(AT_A_TIME);
            loop {
                let mut piece = Vec::new();
                let read = (&file).take(piece_bytes).read_to_end(&mut piece);
                let bytes = piece.len() as u64;
                let put = match read {
                    Ok(0) => break,
                    Ok(_bytes) => within(PIECE_MAX, writer.put(piece.into())).await,
                    Err(error) => Err(Failure::Here(ReleaseError::io("read", path)(error))),
                };
                if let Err(failure) = put {
                    // Where this fails too, the bucket's own rules remove what is unfinished.
                    _ = within(SMALL_MAX, writer.abort()).await;
                    return Err(failure);
                }
                written(bytes);
            }
            within(ENDING_MAX, async {
                writer.shutdown().await.map_err(of_client)
            })
            .await
        });
        sent.map_err(|failure| self.error("write", name, failure))
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
                take(&piece?).map_err(Failure::Here)?;
            }
            Ok(())
        });
        taken.map_err(|failure| match failure {
            Failure::Client(error) if failure::is_missing(&error) => {
                ReleaseError::damaged(&self.path(name), "it is not there")
            }
            failure => self.error("read", name, failure),
        })
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
    fn run<T>(&self, work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
        let mut is_cancelled = self.is_cancelled.subscribe();
        self.runtime.block_on(async {
            tokio::select! {
                biased;
                _ = is_cancelled.wait_for(|is_cancelled| *is_cancelled) => Err(Failure::Cancelled),
                done = work => done,
            }
        })
    }

    /// Cancels every request, those under way and those to come.
    pub(super) fn cancel(&self) {
        self.is_cancelled.send_replace(true);
    }

    fn error(&self, action: &'static str, name: &str, failure: Failure) -> ReleaseError {
        let source = match failure {
            Failure::Here(error) => return error,
            Failure::Cancelled => S3Error::Cancelled,
            Failure::TimedOut(after) => S3Error::TimedOut(after),
            Failure::Client(error) => error.into(),
        };
        ReleaseError::S3 {
            action,
            object: self.path(name).display().to_string(),
            source,
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

/// The client's error in one of a writer.
fn of_client(error: io::Error) -> Error {
    error.downcast().unwrap_or_else(|error| Error::Generic {
        store: "S3",
        source: error.into(),
    })
}

/// Why work failed.
enum Failure {
    Cancelled,
    TimedOut(Duration),
    Client(Error),
    /// Something on this machine failed.
    Here(ReleaseError),
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
