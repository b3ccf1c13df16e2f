//! What a response tells browsers about pages of other origins.

use salvo::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, VARY,
};
use salvo::http::{HeaderMap, HeaderValue};

use super::{GET_AND_HEAD, ResponseMeta, rate_limit_draft, value_of};
use crate::cors::CorsDecision;

const ANY_ORIGIN: HeaderValue = HeaderValue::from_static("*");
const ORIGIN: HeaderValue = HeaderValue::from_static("Origin");
/// Every header that responses have, except those that pages may read anyway and those of the IETF
/// draft on limits. A test checks that it is complete.
pub(super) const EXPOSED: &str = "X-Request-Id, X-RateLimit-Limit, X-RateLimit-Remaining, \
    X-RateLimit-Reset, X-Quota-Limit, X-Quota-Remaining, X-Quota-Reset, Content-Encoding, ETag, \
    Vary, X-Cache, Age, Link, X-Release, Accept-Ranges, Content-Range, Retry-After, \
    WWW-Authenticate, Allow";
/// How long a browser may cache the response to a preflight, in seconds: two hours, the maximum of
/// all browsers but one.
const PREFLIGHT_MAX_AGE: HeaderValue = HeaderValue::from_static("7200");

/// Which origin's pages may read the response. It appends to `Vary`, so other code must have
/// written that before.
pub(super) fn write_origin(decision: &CorsDecision, headers: &mut HeaderMap) {
    let origin = match decision {
        CorsDecision::Unsaid => return,
        CorsDecision::WithAll => {
            headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, ANY_ORIGIN);
            return;
        }
        CorsDecision::WithOthers => None,
        CorsDecision::With(origin) => Some(origin.clone()),
    };
    let vary = match headers.get(VARY).and_then(|vary| vary.to_str().ok()) {
        Some(present) => value_of(format!("{present}, Origin")),
        None => ORIGIN,
    };
    headers.insert(VARY, vary);
    if let Some(origin) = origin {
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    }
}

/// Which headers these pages may read.
pub(super) fn write_exposed(meta: &ResponseMeta, headers: &mut HeaderMap) {
    match meta.cors {
        CorsDecision::Unsaid | CorsDecision::WithOthers => return,
        CorsDecision::With(_) | CorsDecision::WithAll => {}
    }
    let exposed = if meta.shows_rate_limit_draft {
        value_of(format!("{EXPOSED}, {}", rate_limit_draft::NAMES))
    } else {
        const { HeaderValue::from_static(EXPOSED) }
    };
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, exposed);
}

/// What these pages may send.
pub(super) fn write_preflight(fields: Option<&HeaderValue>, headers: &mut HeaderMap) {
    let Some(fields) = fields else { return };
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, GET_AND_HEAD);
    headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, fields.clone());
    headers.insert(ACCESS_CONTROL_MAX_AGE, PREFLIGHT_MAX_AGE);
}
