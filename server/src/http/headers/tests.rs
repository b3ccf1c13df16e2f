//! Compares the headers that are written with the table of section 4.8, status by status.

use std::collections::BTreeSet;

use shared::base::etag::ETag;

use super::*;
use crate::cache::MAX_AGE_SECONDS;

const STATUSES: [u16; 16] = [
    200, 206, 304, 400, 401, 403, 404, 405, 408, 413, 414, 416, 429, 431, 500, 503,
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
        release: Some("20261001T000000Z-0000000000000000".to_owned()),
        of_file: Some(OfFile::NoPart { bytes: 5 }),
        retry_after_seconds: Some(1),
        ..ResponseMeta::new(RequestId::NIL)
    }
}

/// Section 4.8 of the specification, as it is printed there, and a 206 as a 200.
const TABLE: [(&[&str], &[u16]); 6] = [
    (&["x-request-id"], &STATUSES),
    (
        &[
            "x-ratelimit-limit",
            "x-ratelimit-remaining",
            "x-ratelimit-reset",
        ],
        &[200, 206, 304, 429],
    ),
    (
        &["x-quota-limit", "x-quota-remaining", "x-quota-reset"],
        &[200, 206, 429],
    ),
    (&["etag", "cache-control"], &[200, 206, 304]),
    (&["x-cache", "age"], &[200, 206]),
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
        for name in ["vary", "x-release"] {
            let shown = headers.contains_key(name);
            assert_eq!(
                shown,
                matches!(status, 200 | 206 | 304),
                "{name} on {status}"
            );
        }
        for name in ["link", "content-encoding"] {
            let shown = headers.contains_key(name);
            assert_eq!(shown, matches!(status, 200 | 206), "{name} on {status}");
        }
        for name in ["accept-ranges", "content-range"] {
            let shown = headers.contains_key(name);
            assert_eq!(
                shown,
                matches!(status, 200 | 206 | 416),
                "{name} on {status}"
            );
        }
        assert_eq!(
            headers.contains_key("www-authenticate"),
            status == 401,
            "{status}"
        );
        assert_eq!(headers.contains_key("allow"), status == 405, "{status}");
    }
}

/// The headers that pages may read in any response that is shared with them (Fetch, section 2.2.2).
const READABLE: [&str; 4] = ["cache-control", "content-length", "content-type", "expires"];

#[test]
fn pages_of_other_origins_may_read_every_header_that_is_written() {
    for shows_rate_limit_draft in [false, true] {
        let meta = ResponseMeta {
            shows_rate_limit_draft,
            cors: CorsDecision::WithAll,
            ..everything_known()
        };
        let (written, exposed) = written_and_exposed(&meta);
        assert_eq!(written, exposed);
        assert_eq!(written.contains("ratelimit"), shows_rate_limit_draft);
    }
}

/// The headers that responses have, without those that pages may always read, and the headers that
/// are exposed to pages.
fn written_and_exposed(meta: &ResponseMeta) -> (BTreeSet<String>, BTreeSet<String>) {
    let (mut written, mut exposed) = (BTreeSet::new(), BTreeSet::new());
    for status in STATUSES {
        let mut headers = HeaderMap::new();
        let status = StatusCode::from_u16(status).unwrap();
        write(status, meta, Some(1), &mut headers);
        written.extend(headers.keys().map(|name| name.as_str().to_owned()));
        let names = headers["access-control-expose-headers"].to_str().unwrap();
        exposed.extend(names.to_lowercase().split(", ").map(str::to_owned));
    }
    written.retain(|name| !name.starts_with("access-control-"));
    written.retain(|name| !READABLE.contains(&name.as_str()));
    (written, exposed)
}

#[test]
fn the_draft_shows_no_number_above_the_integers_of_structured_fields() {
    let vast = Usage {
        limit: 9_007_199_254_740_991,
        remaining: 9_007_199_254_740_990,
        reset_unix_seconds: 8,
        retry_after_seconds: 2_678_400,
    };
    let meta = ResponseMeta {
        quota: Some(vast),
        shows_rate_limit_draft: true,
        ..everything_known()
    };
    let mut headers = HeaderMap::new();
    write(StatusCode::OK, &meta, None, &mut headers);
    assert_eq!(
        [&headers["ratelimit-policy"], &headers["ratelimit"]],
        [
            r#""minute";q=10;w=60, "month";q=999999999999999"#,
            r#""minute";r=9;t=7, "month";r=999999999999999;t=2678400"#,
        ]
    );
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
