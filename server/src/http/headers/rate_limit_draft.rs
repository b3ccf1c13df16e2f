//! `RateLimit-Policy` and `RateLimit`: the limits in the form of an IETF draft
//! (draft-ietf-httpapi-ratelimit-headers-10), for clients that support it.
//!
//! They say the same as the `X-` headers, and are sent only if the operator enables them. Both
//! leave out what is not known about a response, such as the quota of a 304.

use salvo::http::{HeaderMap, HeaderName};

use super::value_of;
use crate::limits::{MINUTE, Usage};

const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
/// The names of both, in the form of `Access-Control-Expose-Headers`.
pub(super) const NAMES: &str = "RateLimit-Policy, RateLimit";

/// The largest integer of structured fields (RFC 9651, section 3.3.1). A larger quota is shown as
/// this number.
const INTEGER_MAX: u64 = 999_999_999_999_999;

/// Writes both, one item a limit. Months differ in length, so the quota names no window.
pub(super) fn write(rate: Option<&Usage>, quota: Option<&Usage>, headers: &mut HeaderMap) {
    let minute = format!(";w={}", MINUTE.as_secs());
    let known = [("minute", minute.as_str(), rate), ("month", "", quota)];
    let known = known.map(|(name, window, usage)| usage.map(|usage| (name, window, usage)));
    let known: Vec<_> = known.into_iter().flatten().collect();
    if known.is_empty() {
        return;
    }
    let policies = known.iter().map(|(name, window, usage)| {
        let limit = usage.limit.min(INTEGER_MAX);
        format!("\"{name}\";q={limit}{window}")
    });
    let states = known.iter().map(|(name, _, usage)| {
        let remaining = usage.remaining.min(INTEGER_MAX);
        let seconds = usage.retry_after_seconds.min(INTEGER_MAX);
        format!("\"{name}\";r={remaining};t={seconds}")
    });
    headers.insert(RATE_LIMIT_POLICY, value_of(joined(policies)));
    headers.insert(RATE_LIMIT, value_of(joined(states)));
}

fn joined(items: impl Iterator<Item = String>) -> String {
    items.collect::<Vec<_>>().join(", ")
}
