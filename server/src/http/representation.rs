//! From a body to what is sent: in which encoding, and whether the client has it already.
//!
//! It comes last, after every check, with a body; errors never come here, so they are never
//! compressed. It charges nothing and sets no header itself.

#[cfg(test)]
mod tests;

use std::ops::Range;

use bytes::Bytes;
use futures_util::Stream;
use salvo::http::header::{ACCEPT_ENCODING, IF_NONE_MATCH};
use salvo::http::{HeaderMap, HeaderName, HeaderValue};
use shared::base::error_chain::chain;
use shared::base::etag::{CodedETag, Coding, ETag, IfNoneMatch};
use shared::release::ReleaseError;

use super::accept_encoding::Accepted;
use crate::catalogue::SentFile;
use crate::compressed::CompressedBodies;

/// Length below which a body is sent uncompressed. Its head alone is longer, and both fit into one
/// packet either way.
pub(crate) const TINY_BYTES: usize = 512;

/// A request that was answered as asked.
pub(crate) enum Answer {
    /// 200 with this body.
    Body(Bytes),
    /// 200 with this file, or 206 with a part of it.
    File(FileBody),
    /// 304: the client has the body already.
    NotModified,
    /// 204: a page may send its request.
    Preflight,
    /// 308: the documentation is at [`PAGE`](crate::api_tables::routes::PAGE).
    ToPage,
}

/// A file or a part of it.
pub(crate) struct FileBody {
    pub(super) file: SentFile,
    /// Which bytes of it.
    pub(super) range: Range<u64>,
    /// Whether it was asked for as a part.
    pub(super) is_part: bool,
}

impl FileBody {
    /// Its length.
    pub(super) const fn bytes(&self) -> u64 {
        self.range.end - self.range.start
    }

    /// Whether it is the beginning of a file, which is charged; the rest is of something paid.
    pub(super) const fn is_charged(&self) -> bool {
        self.range.start == 0
    }

    /// Its bytes.
    pub(super) fn stream(self) -> impl Stream<Item = Result<Bytes, ReleaseError>> + Send + 'static {
        self.file.stream(self.range)
    }
}

/// A body that is the same for every request, and its tag.
pub(crate) struct Constant {
    pub(crate) body: Bytes,
    pub(crate) etag: ETag,
}

impl<T: Into<Bytes>> From<T> for Constant {
    fn from(body: T) -> Self {
        let body = body.into();
        let etag = ETag::of(&body);
        Self { body, etag }
    }
}

/// What to send of `body`, whose hash is `etag`, and its tag.
pub(crate) async fn choose(
    compressed: &CompressedBodies,
    headers: &HeaderMap,
    body: Bytes,
    etag: ETag,
) -> (Answer, CodedETag) {
    let accepted = Accepted::parse(lines(headers, &ACCEPT_ENCODING));
    let held = IfNoneMatch::parse(lines(headers, &IF_NONE_MATCH));
    if let Some(held @ IfNoneMatch::Tags(_)) = &held
        && let Some(coding) = held.matching(etag, accepted.best)
    {
        return (Answer::NotModified, etag.in_coding(coding));
    }
    // `*` gets the tag of the response that would be sent, which is known only after compressing.
    let (body, coding) = encoded(compressed, body, etag, accepted).await;
    let answer = match held {
        Some(IfNoneMatch::Any) => Answer::NotModified,
        _ => Answer::Body(body),
    };
    (answer, etag.in_coding(coding))
}

/// The body in the best accepted encoding; uncompressed if that is no gain, or not available now.
async fn encoded(
    compressed: &CompressedBodies,
    body: Bytes,
    etag: ETag,
    accepted: Accepted,
) -> (Bytes, Coding) {
    let Accepted {
        best,
        refuses_identity,
    } = accepted;
    let is_tiny = body.len() < TINY_BYTES;
    if best == Coding::Identity || (is_tiny && !refuses_identity) {
        return (body, Coding::Identity);
    }
    match compressed.get(&body, etag.in_coding(best)).await {
        Ok(coded) if coded.len() < body.len() || refuses_identity => (coded, best),
        Ok(_not_shorter) => (body, Coding::Identity),
        Err(why) => {
            tracing::debug!("a body is not sent as {}: {}", best.name(), chain(&why));
            (body, Coding::Identity)
        }
    }
}

/// The values of a field, one a line.
pub(super) fn lines<'a>(
    headers: &'a HeaderMap,
    name: &HeaderName,
) -> impl Iterator<Item = &'a [u8]> + use<'a> {
    headers.get_all(name).iter().map(HeaderValue::as_bytes)
}
