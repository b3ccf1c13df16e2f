//! The table of section 4.8 against what is written, status by status.

use std::collections::BTreeSet;

use shared::base::etag::ETag;

use super::*;
use crate::cache::MAX_AGE_SECONDS;

const STATUSES: [u16; 14] = [
    200, 304, 400, 401, 403, 404, 405, 408, 413, 414, 429, 431, 500, 503,
];

fn everything_known() -> ResponseMeta {
    let usage = Usage {
        limit: 10,
        remaining: 9,
        reset_unix_seconds: 8,
        retry_after_seconds: 7,
    };
    ResponseMeta {
        rate: Some(usage),
        quota: Some(usage),
        etag: Some(ETag::of(b"x").in_coding(Coding::Gzip)),
        freshness: Some(Freshness::Miss),
        link: Some("</v1/boats?offset=20>; rel=\"next\"".to_owned()),
        retry_after_seconds: Some(1),
        ..ResponseMeta::new(RequestId::NIL)
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
        for name in ["link", "content-encoding"] {
            let shown = headers.contains_key(name);
            assert_eq!(shown, status == 200, "{name} on {status}");
        }
        assert_eq!(
            headers.contains_key("www-authenticate"),
            status == 401,
            "{status}"
        );
        assert_eq!(headers.contains_key("allow"), status == 405, "{status}");
    }
}

/// What pages may read of any answer that is shared with them (Fetch, section 2.2.2).
const READABLE: [&str; 4] = ["cache-control", "content-length", "content-type", "expires"];

#[test]
fn pages_of_other_origins_may_read_every_header_that_is_written() {
    let meta = ResponseMeta {
        cors: CorsDecision::WithAll,
        ..everything_known()
    };
    let body = Bytes::from_static(b"x");
    let mut written = BTreeSet::new();
    for status in STATUSES {
        let mut headers = HeaderMap::new();
        let status = StatusCode::from_u16(status).unwrap();
        write(status, &meta, Some(&body), &mut headers);
        written.extend(headers.keys().map(|name| name.as_str().to_owned()));
    }
    written.retain(|name| !name.starts_with("access-control-"));
    written.retain(|name| !READABLE.contains(&name.as_str()));
    let exposed = cors::EXPOSED.to_str().unwrap().to_lowercase();
    assert_eq!(written, exposed.split(", ").map(str::to_owned).collect());
}

#[test]
fn what_is_not_known_is_not_shown() {
    let mut headers = HeaderMap::new();
    write(
        StatusCode::OK,
        &ResponseMeta::new(RequestId::NIL),
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
