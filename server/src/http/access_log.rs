//! One line in the log for every request: which endpoint, for whom, how it went, how long it took.
//!
//! Never the path's or the query's own text, and never the `Authorization` header: both may hold
//! secrets. The endpoint is named by its template.

use std::time::Duration;

use salvo::http::Method;
use shared::keys::key::Key;
use tracing::field::display;

use super::Reply;
use super::routes::Route;
use crate::cache::Freshness;

pub(crate) fn write(
    method: Option<&Method>,
    route: Option<&'static Route>,
    key: Option<&Key>,
    reply: &Reply,
    duration: Duration,
) {
    let known_method = match method {
        Some(&Method::GET) => "GET",
        Some(&Method::HEAD) => "HEAD",
        Some(_) => "other",
        None => "none",
    };
    let cache = reply.facts.freshness.map(|freshness| match freshness {
        Freshness::Hit { .. } => "HIT",
        Freshness::Miss => "MISS",
    });
    let route = route.map(|route| display(route.path));
    let key_prefix = key.map(|key| display(&key.prefix));
    tracing::info!(
        request.id = %reply.facts.request_id,
        method = known_method,
        route,
        status = reply.status.as_u16(),
        code = reply.code,
        key.prefix = key_prefix,
        cache,
        duration_ms = duration.as_secs_f64() * 1000.0,
        "answered"
    );
}
