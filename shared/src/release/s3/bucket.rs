//! The objects below an address: read, written, listed and removed, each within a time that is
//! said here.
//!
//! It knows nothing of releases. Whoever calls waits: the runtime that the client needs lives in
//! here, so nothing of this may be called from asynchronous code.

mod pieces;

use std::collections::BTreeMap;
use std::future::Future;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::TryStreamExt;
use object_store::aws::{AmazonS3, AmazonS3Builder, AmazonS3ConfigKey, S3ConditionalPut};
use object_store::path::Path as Key;
use object_store::{
    BackoffConfig, ClientOptions, Error, GetOptions, ObjectStore, ObjectStoreExt, PutMode,
    RetryConfig, UpdateVersion,
};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;

use super::address::S3Address;
use crate::release::ReleaseError;

/// How long anything small may take, all attempts together.
const SMALL_MAX: Duration = Duration::from_secs(5);
/// How long a piece of a large file may take, all attempts together.
const PIECE_MAX: Duration = Duration::from_mins(2);
/// How long a connection may take to come about.
const CONNECT_MAX: Duration = Duration::from_secs(3);
/// So often a request is tried again that was refused for the moment.
const RETRIES: usize = 3;
const BACKOFF_MAX: Duration = Duration::from_secs(1);
/// Threads that hash, encrypt and wait for the network.
const THREADS: usize = 2;

/// What the environment says about S3: the variables that begin with `AWS_`. They hold secrets and
/// are never shown.
#[derive(Clone, Default)]
pub struct S3Settings(BTreeMap<String, String>);

impl S3Settings {
    /// How the variables begin.
    pub const PREFIX: &'static str = "AWS_";

    /// The settings among these variables.
    pub fn of(variables: impl IntoIterator<Item = (String, String)>) -> Self {
        let ours = |(name, _): &(String, String)| name.starts_with(Self::PREFIX);
        Self(variables.into_iter().filter(ours).collect())
    }
}

/// Why a request was in vain.
#[derive(Debug, thiserror::Error)]
pub enum S3Error {
    /// No answer in time.
    #[error("no answer within {} seconds", .0.as_secs())]
    TimedOut(Duration),
    /// This process ends.
    #[error("the question was given up")]
    GivenUp,
    /// What the client made of the answer, or of there being none.
    #[error("{0}")]
    Failed(String),
}

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
    client: Arc<AmazonS3>,
    runtime: Runtime,
    left: watch::Sender<bool>,
}

impl Bucket {
    pub(super) fn open(address: S3Address, settings: &S3Settings) -> Result<Self, ReleaseError> {
        // It is in vain where another part of this program was faster.
        _ = rustls::crypto::ring::default_provider().install_default();
        let failed = |reason: String| ReleaseError::S3 {
            action: "reach",
            object: address.to_string(),
            source: S3Error::Failed(reason),
        };
        let client = builder(settings).with_bucket_name(address.bucket()).build();
        let client = client.map_err(|error| failed(root_cause(&error)))?;
        let runtime = Builder::new_multi_thread()
            .worker_threads(THREADS)
            .thread_name("s3")
            .enable_all()
            .build();
        Ok(Self {
            client: Arc::new(client),
            runtime: runtime.map_err(|error| failed(error.to_string()))?,
            left: watch::Sender::new(false),
            address,
        })
    }

    pub(super) const fn address(&self) -> &S3Address {
        &self.address
    }

    /// An object as people are told of it, and as errors name it.
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
            Err(Failure::Client(Error::NotFound { .. })) => Ok(Got::Missing),
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

    /// Removes an object; it is no error that there is none.
    pub(super) fn remove(&self, name: &str) -> Result<(), ReleaseError> {
        match self.wait(SMALL_MAX, self.client.delete(&self.key(name))) {
            Ok(()) | Err(Failure::Client(Error::NotFound { .. })) => Ok(()),
            Err(failure) => Err(self.error("remove", name, failure)),
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

    /// Waits for work, or until this process ends.
    fn run<T, E: From<Failure>>(&self, work: impl Future<Output = Result<T, E>>) -> Result<T, E> {
        let mut left = self.left.subscribe();
        self.runtime.block_on(async {
            tokio::select! {
                biased;
                _ = left.wait_for(|left| *left) => Err(Failure::GivenUp.into()),
                done = work => done,
            }
        })
    }

    /// Gives up all that is being asked, now and from now on.
    pub(super) fn leave(&self) {
        _ = self.left.send(true);
    }

    fn error(&self, action: &'static str, name: &str, failure: Failure) -> ReleaseError {
        ReleaseError::S3 {
            action,
            object: self.path(name).display().to_string(),
            source: match failure {
                Failure::TimedOut(after) => S3Error::TimedOut(after),
                Failure::GivenUp => S3Error::GivenUp,
                Failure::Client(error) => S3Error::Failed(root_cause(&error)),
            },
        }
    }
}

/// Why work was in vain.
enum Failure {
    GivenUp,
    TimedOut(Duration),
    Client(Error),
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

fn builder(settings: &S3Settings) -> AmazonS3Builder {
    let mut builder = AmazonS3Builder::new();
    let mut options = ClientOptions::new()
        .with_connect_timeout(CONNECT_MAX)
        .with_timeout(PIECE_MAX);
    for (name, value) in &settings.0 {
        match name.to_ascii_lowercase().parse() {
            Ok(AmazonS3ConfigKey::Client(key)) => options = options.with_config(key, value),
            Ok(key) => {
                let is_endpoint = matches!(
                    key,
                    AmazonS3ConfigKey::Endpoint | AmazonS3ConfigKey::S3Endpoint
                );
                // Whoever names such an address has said it.
                if is_endpoint && value.starts_with("http://") {
                    options = options.with_allow_http(true);
                }
                builder = builder.with_config(key, value);
            }
            // The variable is of another program.
            Err(_unknown) => {}
        }
    }
    builder
        .with_client_options(options)
        // Without it two operators could overtake each other unseen.
        .with_conditional_put(S3ConditionalPut::ETagMatch)
        .with_retry(RetryConfig {
            backoff: BackoffConfig {
                max_backoff: BACKOFF_MAX,
                ..BackoffConfig::default()
            },
            max_retries: RETRIES,
            retry_timeout: PIECE_MAX,
        })
}

/// The innermost cause on one line: what lies round it repeats addresses and settings of retries.
fn root_cause(error: &(dyn std::error::Error + 'static)) -> String {
    let innermost = std::iter::successors(Some(error), |error| error.source()).last();
    let text = innermost.map(ToString::to_string).unwrap_or_default();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
