//! One log line for every request: the endpoint, the caller, the outcome, what was sent, how long it
//! took, and whether the client stopped waiting for the response.
//!
//! It never has the text of the path or the query, or the `Authorization` header, which may hold
//! secrets. The endpoint is named by its template. The id or slug of a record that was not found is
//! logged, so that a 404 can be traced: its grammar has no character that could break a line.

use std::thread;
use std::time::Duration;

use bytes::Bytes;
use salvo::http::Method;
use shared::base::clock::Moment;
use shared::base::ids::IdOrSlug;
use shared::keys::secret::may_hold_key;
use tracing::field::display;

use super::headers::ResponseMeta;
use super::pipeline::RequestContext;
use super::reply::Reply;
use crate::api_tables::routes;
use crate::app::App;
use crate::cache::Freshness;

/// A request being answered. If it is dropped before it ends, its log line says so.
pub(crate) struct Pending<'a> {
    app: &'a App,
    method: &'a Method,
    begun: Moment,
    is_answered: bool,
    pub(crate) context: RequestContext,
}

impl<'a> Pending<'a> {
    /// A request that just arrived.
    pub(crate) fn begin(
        app: &'a App,
        method: &'a Method,
        begun: Moment,
        meta: ResponseMeta,
    ) -> Self {
        let context = RequestContext {
            meta,
            route: None,
            verified: None,
            missing: None,
        };
        app.metrics.requests.begin();
        Self {
            app,
            method,
            begun,
            is_answered: false,
            context,
        }
    }

    /// Whether no reply has been made yet.
    pub(crate) fn is_answering(&self) -> bool {
        !self.is_answered
    }

    /// Takes what the reply needs. Dropping the request after this writes no line.
    pub(crate) fn end(&mut self) -> ResponseMeta {
        self.is_answered = true;
        let id = self.context.meta.request_id;
        std::mem::replace(&mut self.context.meta, ResponseMeta::new(id))
    }

    /// Counts the reply, and logs it.
    pub(crate) fn answered(&self, reply: &Reply) {
        let duration = self.duration();
        let route = self.context.route;
        let metrics = &self.app.metrics.requests;
        metrics.answered(
            route.and_then(routes::route_index),
            reply.outcome(),
            duration,
        );
        if !tracing::enabled!(tracing::Level::INFO) {
            return;
        }
        let is_head = self.method == Method::HEAD;
        write(Some((self.method, &self.context)), is_head, reply, duration);
    }

    fn duration(&self) -> Duration {
        let now = self.app.clock.monotonic();
        now.saturating_sub(self.begun.monotonic)
    }
}

impl Drop for Pending<'_> {
    /// A panic has its own line and response already.
    fn drop(&mut self) {
        self.app.metrics.requests.end();
        if self.is_answered || thread::panicking() {
            return;
        }
        let route = self.context.route;
        let metrics = &self.app.metrics.requests;
        metrics.abandoned(route.and_then(routes::route_index));
        let verified = self.context.verified.as_ref();
        tracing::info!(
            request.id = %self.context.meta.request_id,
            method = name_of(Some(self.method)),
            route = route.map(display),
            key.prefix = verified.map(|verified| display(&verified.key.prefix)),
            subscription = verified.map(|verified| verified.subscription.name.as_str()),
            duration_ms = milliseconds(self.duration()),
            "not answered: the client left, or the server stopped"
        );
    }
}

/// What a client is sent besides the headers.
struct Sent {
    /// Rows of a list; none if it is no list.
    rows: Option<u64>,
    bytes: usize,
}

impl Sent {
    /// Nothing but the headers is sent in response to `HEAD`.
    fn of(reply: &Reply, is_head: bool) -> Self {
        let body = reply.body.as_ref().filter(|_body| !is_head);
        Self {
            rows: reply.meta.rows.map(|rows| body.map_or(0, |_| rows)),
            bytes: body.map_or(0, Bytes::len),
        }
    }
}

/// Writes the line of an answered request, or of a head that is malformed or came too slowly.
pub(crate) fn write(
    request: Option<(&Method, &RequestContext)>,
    is_head: bool,
    reply: &Reply,
    duration: Duration,
) {
    let (method, context) = request.unzip();
    let verified = context.and_then(|context| context.verified.as_ref());
    let missing = context.and_then(|context| context.missing.as_ref());
    let cache = reply.meta.freshness.map(|freshness| match freshness {
        Freshness::Hit { .. } => "HIT",
        Freshness::Miss => "MISS",
    });
    let route = context.and_then(|context| context.route).map(display);
    let key_prefix = verified.map(|verified| display(&verified.key.prefix));
    let subscription = verified.map(|verified| verified.subscription.name.as_str());
    let sent = Sent::of(reply, is_head);
    tracing::info!(
        request.id = %reply.meta.request_id,
        method = name_of(method),
        route,
        status = reply.status.as_u16(),
        code = reply.code,
        key.prefix = key_prefix,
        subscription,
        cache,
        missing = missing.filter(|name| !may_hold_key(name.as_str())).map(IdOrSlug::as_str),
        rows = sent.rows,
        bytes = sent.bytes,
        duration_ms = milliseconds(duration),
        "answered"
    );
}

/// A custom method could contain anything.
fn name_of(method: Option<&Method>) -> &'static str {
    match method {
        Some(&Method::GET) => "GET",
        Some(&Method::HEAD) => "HEAD",
        Some(_) => "other",
        None => "none",
    }
}

fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}
