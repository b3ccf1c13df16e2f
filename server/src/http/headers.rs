//! Response headers, as one function of the status and of what is known about the request.
//!
//! [`Group::is_on`] is the table of the specification's section 4.8; the pipeline collects
//! [`ResponseMeta`] without asking whether they will be shown, and the status decides.

mod browser;
mod cors;
mod rate_limit_draft;
#[cfg(test)]
mod tests;

use bytes::Bytes;
use salvo::http::header::{
    ACCEPT_RANGES, AGE, ALLOW, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_RANGE,
    CONTENT_TYPE, ETAG, LINK, LOCATION, RETRY_AFTER, VARY, WWW_AUTHENTICATE,
};
use salvo::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use shared::base::etag::{CodedETag, Coding};

use super::range::OfFile;
use crate::api_tables::routes::PAGE;
use crate::base::request_id::RequestId;
use crate::cache::Freshness;
use crate::cors::CorsDecision;
use crate::limits::Usage;

const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const X_RATE_LIMIT: [HeaderName; 3] = [
    HeaderName::from_static("x-ratelimit-limit"),
    HeaderName::from_static("x-ratelimit-remaining"),
    HeaderName::from_static("x-ratelimit-reset"),
];
const X_QUOTA: [HeaderName; 3] = [
    HeaderName::from_static("x-quota-limit"),
    HeaderName::from_static("x-quota-remaining"),
    HeaderName::from_static("x-quota-reset"),
];
const X_RELEASE: HeaderName = HeaderName::from_static("x-release");
const X_CACHE: HeaderName = HeaderName::from_static("x-cache");

const GET_AND_HEAD: HeaderValue = HeaderValue::from_static("GET, HEAD");
const BEARER: HeaderValue = HeaderValue::from_static("Bearer realm=\"boat catalogue\"");
const VARY_ON: HeaderValue = HeaderValue::from_static("Authorization, Accept-Encoding");
const VARY_ON_CODING: HeaderValue = HeaderValue::from_static("Accept-Encoding");
const BYTES: HeaderValue = HeaderValue::from_static("bytes");
const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");
const NO_CACHE: HeaderValue = HeaderValue::from_static("no-cache");
/// Short, so that clients soon see the document of a new version of the server.
const OPEN_MAX_AGE: HeaderValue = HeaderValue::from_static("max-age=300");
/// The number is [`crate::cache::MAX_AGE_SECONDS`]; a test compares them.
const PRIVATE_MAX_AGE: HeaderValue = HeaderValue::from_static("private, max-age=60");

/// What is known about a request and its response. What is not known is not sent.
#[derive(Clone, Debug, Default)]
pub(crate) struct ResponseMeta {
    pub(crate) request_id: RequestId,
    pub(crate) rate: Option<Usage>,
    pub(crate) quota: Option<Usage>,
    /// Includes the encoding of the body.
    pub(crate) etag: Option<CodedETag>,
    pub(crate) freshness: Option<Freshness>,
    pub(crate) link: Option<String>,
    /// Id of the release that the answer is from.
    pub(crate) release: Option<String>,
    /// Rows of the body, if it is a page of a list. No header has it.
    pub(crate) rows: Option<u64>,
    /// The file that the response is about, if it is one.
    pub(crate) of_file: Option<OfFile>,
    pub(crate) retry_after_seconds: Option<u64>,
    pub(crate) cache_policy: CachePolicy,
    pub(crate) media: Media,
    /// Whether the headers of the IETF draft also show the limits.
    pub(crate) shows_rate_limit_draft: bool,
    pub(crate) cors: CorsDecision,
    /// The header fields that a page may send, in the response to a preflight.
    pub(crate) preflight: Option<HeaderValue>,
}

/// The type of the body with status 200 or 206; the body of an error is always JSON.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Media {
    /// JSON of the API.
    #[default]
    Json,
    /// A file of the documentation, of that type.
    File(&'static str),
    /// All records of a kind, of that type.
    Whole(&'static str),
}

/// Which caches may store a response. Without an `ETag`, none may.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum CachePolicy {
    /// The client that has the key.
    #[default]
    Private,
    /// Shared caches too.
    Public,
    /// Shared caches too, if they revalidate it each time.
    Revalidate,
    /// No cache at all.
    NoStore,
}

impl ResponseMeta {
    pub(crate) fn new(request_id: RequestId) -> Self {
        Self {
            request_id,
            ..Self::default()
        }
    }
}

/// Headers that are sent together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Group {
    RequestId,
    RateLimit,
    Quota,
    RateLimitDraft,
    Coding,
    Caching,
    Freshness,
    Link,
    Location,
    Release,
    Ranges,
    RetryAfter,
    WwwAuthenticate,
    Allow,
    Browser,
    Origin,
    Exposed,
    Preflight,
}

impl Group {
    const ALL: [Self; 18] = [
        Self::RequestId,
        Self::RateLimit,
        Self::Quota,
        Self::RateLimitDraft,
        Self::Coding,
        Self::Caching,
        Self::Freshness,
        Self::Link,
        Self::Location,
        Self::Release,
        Self::Ranges,
        Self::RetryAfter,
        Self::WwwAuthenticate,
        Self::Allow,
        Self::Browser,
        Self::Origin,
        Self::Exposed,
        Self::Preflight,
    ];

    /// Whether this status has the headers of the group: by section 4.8, in which a 206 is like a
    /// 200, and below that by other rules.
    pub(crate) const fn is_on(self, status: u16) -> bool {
        match self {
            Self::RequestId | Self::Origin => true,
            Self::RateLimit | Self::RateLimitDraft => matches!(status, 200 | 206 | 304 | 429),
            Self::Quota => matches!(status, 200 | 206 | 429),
            Self::Caching => matches!(status, 200 | 206 | 304 | 308),
            Self::Release | Self::Browser => matches!(status, 200 | 206 | 304),
            Self::Location => matches!(status, 308),
            Self::Coding | Self::Freshness | Self::Link => matches!(status, 200 | 206),
            Self::Ranges => matches!(status, 200 | 206 | 416),
            Self::RetryAfter => matches!(status, 429 | 503),
            Self::WwwAuthenticate => matches!(status, 401),
            Self::Allow => matches!(status, 405),
            Self::Exposed => !matches!(status, 204),
            Self::Preflight => matches!(status, 204),
        }
    }

    fn write(self, meta: &ResponseMeta, headers: &mut HeaderMap) {
        match self {
            Self::RequestId => {
                headers.insert(X_REQUEST_ID, value_of(meta.request_id.text()));
            }
            Self::RateLimit => write_usage(X_RATE_LIMIT, meta.rate.as_ref(), headers),
            Self::Quota => write_usage(X_QUOTA, meta.quota.as_ref(), headers),
            Self::RateLimitDraft => {
                if meta.shows_rate_limit_draft {
                    rate_limit_draft::write(meta.rate.as_ref(), meta.quota.as_ref(), headers);
                }
            }
            Self::Coding => write_coding(meta.etag, headers),
            Self::Caching => write_caching(meta, headers),
            Self::Freshness => write_freshness(meta.freshness, headers),
            Self::Link => {
                if let Some(link) = &meta.link {
                    headers.insert(LINK, value_of(link.clone()));
                }
            }
            Self::Location => {
                headers.insert(LOCATION, HeaderValue::from_static(PAGE));
            }
            Self::Release => {
                if let Some(release) = &meta.release {
                    headers.insert(X_RELEASE, value_of(release.clone()));
                }
            }
            Self::Ranges => write_ranges(meta.of_file.as_ref(), headers),
            Self::RetryAfter => {
                if let Some(seconds) = meta.retry_after_seconds {
                    headers.insert(RETRY_AFTER, number(seconds));
                }
            }
            Self::WwwAuthenticate => {
                headers.insert(WWW_AUTHENTICATE, BEARER);
            }
            Self::Allow => {
                headers.insert(ALLOW, GET_AND_HEAD);
            }
            Self::Browser => browser::write(meta.media, headers),
            Self::Origin => cors::write_origin(&meta.cors, headers),
            Self::Exposed => cors::write_exposed(meta, headers),
            Self::Preflight => cors::write_preflight(meta.preflight.as_ref(), headers),
        }
    }
}

/// Writes every header of a response. `length` is that of the body that a `GET` receives; a 304 has
/// none.
///
/// It writes the length itself, so that the response to `HEAD` has the length of the `GET`.
pub(crate) fn write(
    status: StatusCode,
    meta: &ResponseMeta,
    length: Option<u64>,
    headers: &mut HeaderMap,
) {
    headers.reserve(20);
    if let Some(length) = length {
        headers.insert(CONTENT_TYPE, content_type(status, meta.media));
        headers.insert(CONTENT_LENGTH, number(length));
    }
    for group in Group::ALL {
        if group.is_on(status.as_u16()) {
            group.write(meta, headers);
        }
    }
}

fn content_type(status: StatusCode, media: Media) -> HeaderValue {
    HeaderValue::from_static(match media {
        Media::File(name) | Media::Whole(name) if status.is_success() => name,
        Media::Json | Media::File(_) | Media::Whole(_) => "application/json",
    })
}

fn write_usage(names: [HeaderName; 3], usage: Option<&Usage>, headers: &mut HeaderMap) {
    let Some(usage) = usage else { return };
    let [limit, remaining, reset] = names;
    headers.insert(limit, number(usage.limit));
    headers.insert(remaining, number(usage.remaining));
    headers.insert(reset, number(usage.reset_unix_seconds));
}

/// A body without a tag is never compressed.
fn write_coding(etag: Option<CodedETag>, headers: &mut HeaderMap) {
    match etag.map(|etag| etag.coding) {
        None | Some(Coding::Identity) => {}
        Some(coding) => {
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static(coding.name()));
        }
    }
}

fn write_caching(meta: &ResponseMeta, headers: &mut HeaderMap) {
    let (cache_control, vary) = match meta.cache_policy {
        CachePolicy::Private => (PRIVATE_MAX_AGE, VARY_ON),
        CachePolicy::Public => (OPEN_MAX_AGE, VARY_ON_CODING),
        CachePolicy::Revalidate => (NO_CACHE, VARY_ON_CODING),
        CachePolicy::NoStore => {
            headers.insert(CACHE_CONTROL, NO_STORE);
            return;
        }
    };
    if let Some(etag) = meta.etag {
        headers.insert(ETAG, value_of(etag.text()));
        headers.insert(CACHE_CONTROL, cache_control);
        headers.insert(VARY, vary);
    }
}

fn write_freshness(freshness: Option<Freshness>, headers: &mut HeaderMap) {
    let (outcome, age_seconds) = match freshness {
        Some(Freshness::Hit { age_seconds }) => ("HIT", age_seconds),
        Some(Freshness::Miss) => ("MISS", 0),
        None => return,
    };
    headers.insert(X_CACHE, HeaderValue::from_static(outcome));
    headers.insert(AGE, number(age_seconds));
}

fn write_ranges(of_file: Option<&OfFile>, headers: &mut HeaderMap) {
    let range = match of_file {
        None => return,
        Some(OfFile::Whole) => None,
        Some(OfFile::Part { part, bytes }) => {
            let last = part.end - 1;
            Some(format!("bytes {}-{last}/{bytes}", part.start))
        }
        Some(OfFile::NoPart { bytes }) => Some(format!("bytes */{bytes}")),
    };
    headers.insert(ACCEPT_RANGES, BYTES);
    if let Some(range) = range {
        headers.insert(CONTENT_RANGE, value_of(range));
    }
}

/// A number in decimal. The conversions of the HTTP library allocate twice for each.
fn number(value: impl itoa::Integer) -> HeaderValue {
    let mut digits = itoa::Buffer::new();
    let value = HeaderValue::from_str(digits.format(value));
    value.unwrap_or_else(|why| unreachable!("digits are not visible: {why}"))
}

/// A header value of a text that we made: visible ASCII by construction.
fn value_of(text: String) -> HeaderValue {
    let value = HeaderValue::from_maybe_shared(Bytes::from(text));
    value.unwrap_or_else(|why| unreachable!("a header value of our own is not visible: {why}"))
}
