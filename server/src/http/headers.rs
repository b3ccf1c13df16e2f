//! Response headers as one function of the status and of what is known about the request.
//!
//! [`Group::is_on`] is the table of the specification's section 4.8; the pipeline collects
//! [`Facts`] without asking whether they will be shown, and the status decides.

use bytes::Bytes;
use salvo::http::header::{
    AGE, ALLOW, CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE, ETAG, LINK, RETRY_AFTER, VARY,
    WWW_AUTHENTICATE,
};
use salvo::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use shared::etag::ETag;

use crate::cache::Freshness;
use crate::limits::Usage;
use crate::request_id::RequestId;

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
const X_CACHE: HeaderName = HeaderName::from_static("x-cache");

const JSON: HeaderValue = HeaderValue::from_static("application/json");
const GET_AND_HEAD: HeaderValue = HeaderValue::from_static("GET, HEAD");
const BEARER: HeaderValue = HeaderValue::from_static("Bearer realm=\"boat catalogue\"");
const VARY_ON: HeaderValue = HeaderValue::from_static("Authorization, Accept-Encoding");
const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");
/// The number is [`crate::cache::MAX_AGE_SECONDS`], which a test holds it to.
const PRIVATE_MAX_AGE: HeaderValue = HeaderValue::from_static("private, max-age=60");

/// What is known about a request and its answer. What is not known is not shown.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    pub(crate) request_id: RequestId,
    pub(crate) rate: Option<Usage>,
    pub(crate) quota: Option<Usage>,
    pub(crate) etag: Option<ETag>,
    pub(crate) freshness: Option<Freshness>,
    pub(crate) link: Option<String>,
    pub(crate) retry_after_seconds: Option<u64>,
    /// The answer may not be stored at all.
    pub(crate) no_store: bool,
}

impl Facts {
    pub(crate) const fn new(request_id: RequestId) -> Self {
        Self {
            request_id,
            rate: None,
            quota: None,
            etag: None,
            freshness: None,
            link: None,
            retry_after_seconds: None,
            no_store: false,
        }
    }
}

/// Headers that are shown together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Group {
    RequestId,
    RateLimit,
    Quota,
    Caching,
    Freshness,
    Link,
    RetryAfter,
    WwwAuthenticate,
    Allow,
}

impl Group {
    const ALL: [Self; 9] = [
        Self::RequestId,
        Self::RateLimit,
        Self::Quota,
        Self::Caching,
        Self::Freshness,
        Self::Link,
        Self::RetryAfter,
        Self::WwwAuthenticate,
        Self::Allow,
    ];

    /// Which statuses show the group: section 4.8, and below it what other rules add.
    const fn is_on(self, status: u16) -> bool {
        match self {
            Self::RequestId => true,
            Self::RateLimit => matches!(status, 200 | 304 | 429),
            Self::Quota => matches!(status, 200 | 429),
            Self::Caching => matches!(status, 200 | 304),
            Self::Freshness | Self::Link => matches!(status, 200),
            Self::RetryAfter => matches!(status, 429 | 503),
            Self::WwwAuthenticate => matches!(status, 401),
            Self::Allow => matches!(status, 405),
        }
    }

    fn write(self, facts: &Facts, headers: &mut HeaderMap) {
        match self {
            Self::RequestId => {
                headers.insert(X_REQUEST_ID, value_of(facts.request_id.to_string()));
            }
            Self::RateLimit => write_usage(X_RATE_LIMIT, facts.rate.as_ref(), headers),
            Self::Quota => write_usage(X_QUOTA, facts.quota.as_ref(), headers),
            Self::Caching => write_caching(facts, headers),
            Self::Freshness => write_freshness(facts.freshness, headers),
            Self::Link => {
                if let Some(link) = &facts.link {
                    headers.insert(LINK, value_of(link.clone()));
                }
            }
            Self::RetryAfter => {
                if let Some(seconds) = facts.retry_after_seconds {
                    headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
                }
            }
            Self::WwwAuthenticate => {
                headers.insert(WWW_AUTHENTICATE, BEARER);
            }
            Self::Allow => {
                headers.insert(ALLOW, GET_AND_HEAD);
            }
        }
    }
}

/// Writes every header of an answer. `body` is what a `GET` receives; a 304 has none.
///
/// The length is written here so that the answer to `HEAD` states that of the `GET`.
pub(crate) fn write(
    status: StatusCode,
    facts: &Facts,
    body: Option<&Bytes>,
    headers: &mut HeaderMap,
) {
    headers.reserve(20);
    if let Some(body) = body {
        headers.insert(CONTENT_TYPE, JSON);
        headers.insert(CONTENT_LENGTH, HeaderValue::from(body.len()));
    }
    for group in Group::ALL {
        if group.is_on(status.as_u16()) {
            group.write(facts, headers);
        }
    }
}

fn write_usage(names: [HeaderName; 3], usage: Option<&Usage>, headers: &mut HeaderMap) {
    let Some(usage) = usage else { return };
    let [limit, remaining, reset] = names;
    headers.insert(limit, HeaderValue::from(usage.limit));
    headers.insert(remaining, HeaderValue::from(usage.remaining));
    headers.insert(reset, HeaderValue::from(usage.reset_unix_seconds));
}

fn write_caching(facts: &Facts, headers: &mut HeaderMap) {
    if facts.no_store {
        headers.insert(CACHE_CONTROL, NO_STORE);
    }
    if let Some(etag) = facts.etag {
        headers.insert(ETAG, value_of(etag.to_string()));
        headers.insert(CACHE_CONTROL, PRIVATE_MAX_AGE);
        headers.insert(VARY, VARY_ON);
    }
}

fn write_freshness(freshness: Option<Freshness>, headers: &mut HeaderMap) {
    let (outcome, age_seconds) = match freshness {
        Some(Freshness::Hit { age_seconds }) => ("HIT", age_seconds),
        Some(Freshness::Miss) => ("MISS", 0),
        None => return,
    };
    headers.insert(X_CACHE, HeaderValue::from_static(outcome));
    headers.insert(AGE, HeaderValue::from(age_seconds));
}

/// A header value of a text that we made: visible ASCII by construction.
fn value_of(text: String) -> HeaderValue {
    let value = HeaderValue::from_maybe_shared(Bytes::from(text));
    value.unwrap_or_else(|why| unreachable!("a header value of our own is not visible: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cache::MAX_AGE_SECONDS;

    const STATUSES: [u16; 14] = [
        200, 304, 400, 401, 403, 404, 405, 408, 413, 414, 429, 431, 500, 503,
    ];

    fn everything_known() -> Facts {
        let usage = Usage {
            limit: 10,
            remaining: 9,
            reset_unix_seconds: 8,
            retry_after_seconds: 7,
        };
        Facts {
            rate: Some(usage),
            quota: Some(usage),
            etag: Some(ETag::of(b"x")),
            freshness: Some(Freshness::Miss),
            link: Some("</v1/boats?offset=20>; rel=\"next\"".to_owned()),
            retry_after_seconds: Some(1),
            ..Facts::new(RequestId::NIL)
        }
    }

    /// Section 4.8 of the specification, as it is printed there.
    const TABLE: [(&[&str], &[u16]); 6] = [
        (&["x-request-id"], &STATUSES),
        (
            &[
                "x-ratelimit-limit",
                "x-ratelimit-remaining",
                "x-ratelimit-reset",
            ],
            &[200, 304, 429],
        ),
        (
            &["x-quota-limit", "x-quota-remaining", "x-quota-reset"],
            &[200, 429],
        ),
        (&["etag", "cache-control"], &[200, 304]),
        (&["x-cache", "age"], &[200]),
        (&["retry-after"], &[429, 503]),
    ];

    #[test]
    fn a_status_shows_exactly_the_headers_of_section_4_8_even_where_all_is_known() {
        for status in STATUSES {
            let mut headers = HeaderMap::new();
            let code = StatusCode::from_u16(status).unwrap();
            write(code, &everything_known(), None, &mut headers);
            for (names, statuses) in TABLE {
                for name in names {
                    let shown = headers.contains_key(*name);
                    assert_eq!(shown, statuses.contains(&status), "{name} on {status}");
                }
            }
            assert_eq!(
                headers.contains_key("vary"),
                matches!(status, 200 | 304),
                "{status}"
            );
            assert_eq!(headers.contains_key("link"), status == 200, "{status}");
            assert_eq!(
                headers.contains_key("www-authenticate"),
                status == 401,
                "{status}"
            );
            assert_eq!(headers.contains_key("allow"), status == 405, "{status}");
        }
    }

    #[test]
    fn what_is_not_known_is_not_shown() {
        let mut headers = HeaderMap::new();
        write(
            StatusCode::OK,
            &Facts::new(RequestId::NIL),
            None,
            &mut headers,
        );
        let names: Vec<&str> = headers.keys().map(HeaderName::as_str).collect();
        assert_eq!(names, ["x-request-id"]);
    }

    #[test]
    fn clients_are_told_the_age_that_the_list_cache_keeps() {
        assert_eq!(
            PRIVATE_MAX_AGE,
            format!("private, max-age={MAX_AGE_SECONDS}")
        );
    }
}
