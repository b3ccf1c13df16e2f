//! The beginning of an answer, whoever gives it, and how long its parts may take.

use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt as _;
use futures_util::stream::BoxStream;

use super::failure::Failure;

/// How long a connection may take to come about.
pub(super) const CONNECT_MAX: Duration = Duration::from_secs(10);
/// How long an answer may pause.
pub(super) const IDLE_MAX: Duration = Duration::from_mins(1);
/// Longest ETag that is kept; there is no use in a longer one.
const ETAG_MAX: usize = 256;

/// The beginning of an answer.
pub(super) struct Response {
    /// The place of its first byte in the whole.
    pub(super) start: u64,
    /// Bytes of the whole, where that is said.
    pub(super) total: Option<u64>,
    pub(super) etag: Option<String>,
    pub(super) is_web_page: bool,
    /// Its bytes, as they come.
    pub(super) body: BoxStream<'static, Result<Bytes, Failure>>,
}

impl Response {
    /// The next bytes; none at the end.
    pub(super) async fn next(&mut self) -> Result<Option<Bytes>, Failure> {
        within(async { self.body.next().await.transpose() }).await
    }
}

/// Waits for something small.
pub(super) async fn within<T>(
    work: impl Future<Output = Result<T, Failure>>,
) -> Result<T, Failure> {
    let done = tokio::time::timeout(IDLE_MAX, work).await;
    done.unwrap_or_else(|_elapsed| {
        let why = format!("no answer within {} seconds", IDLE_MAX.as_secs());
        Err(Failure::Lost(why))
    })
}

/// Whether an ETag is worth keeping.
pub(super) fn is_kept(etag: &str) -> bool {
    !etag.is_empty() && etag.len() <= ETAG_MAX
}
