//! `RateLimit-Policy` and `RateLimit`: the limits in the form that the IETF works on
//! (draft-ietf-httpapi-ratelimit-headers-10), for clients that know it.
//!
//! They say what the `X-` headers say, and are written only where the operator wants them. What is
//! not known of an answer, as the quota of a 304, is left out of both.

use salvo::http::{HeaderMap, HeaderName};

use super::value_of;
use crate::limits::{MINUTE, Usage};

const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
/// Both, as pages of other origins are told of them.
pub(super) const NAMES: &str = "RateLimit-Policy, RateLimit";

/// The greatest integer of structured fields (RFC 9651, section 3.3.1). A quota may be above it,
/// and is then shown as this.
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
