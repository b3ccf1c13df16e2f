//! A response from a web server or a store, and its timeouts.

use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt as _;
use futures_util::stream::BoxStream;

use super::failure::Failure;

/// Longest time to connect.
pub(super) const CONNECT_MAX: Duration = Duration::from_secs(10);
/// Longest time between two parts of a response.
pub(super) const IDLE_MAX: Duration = Duration::from_mins(1);
/// Longest ETag that is kept.
const ETAG_MAX: usize = 256;

/// A response: what its headers say, and its body.
pub(super) struct Response {
    /// Offset of its first byte in the file.
    pub(super) start: u64,
    /// Size of the file, if given.
    pub(super) total: Option<u64>,
    pub(super) etag: Option<String>,
    pub(super) is_web_page: bool,
    /// Its body.
    pub(super) body: BoxStream<'static, Result<Bytes, Failure>>,
}

impl Response {
    /// The next bytes; `None` at the end.
    pub(super) async fn next(&mut self) -> Result<Option<Bytes>, Failure> {
        within(async { self.body.next().await.transpose() }).await
    }
}

/// Runs one step with a timeout.
pub(super) async fn within<T>(
    work: impl Future<Output = Result<T, Failure>>,
) -> Result<T, Failure> {
    let done = tokio::time::timeout(IDLE_MAX, work).await;
    done.unwrap_or_else(|_elapsed| {
        let why = format!("no response within {} seconds", IDLE_MAX.as_secs());
        Err(Failure::Lost(why))
    })
}

/// Whether an ETag is kept.
pub(super) fn is_kept(etag: &str) -> bool {
    !etag.is_empty() && etag.len() <= ETAG_MAX
}
