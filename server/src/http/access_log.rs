//! One log line for every request: the endpoint, the caller, the outcome, what was sent, how long it
//! took, and whether the client stopped waiting for the response.
//!
//! It never has the text of the path or the query, or the `Authorization` header, which may hold
//! secrets. The endpoint is named by its template, a record by its id or slug, whose grammar has no
//! character that could break a line, and parameters by those of their names that lists declare.

use std::thread;
use std::time::Duration;

use salvo::Request;
use salvo::http::Method;
use shared::base::clock::Moment;
use shared::base::ids::IdOrSlug;
use shared::keys::secret::may_hold_key;
use tracing::field::display;

use super::headers::ResponseMeta;
use super::pipeline::RequestContext;
use super::reply::Reply;
use crate::api_tables::routes::MatchedPath;
use crate::app::App;
use crate::cache::Freshness;
use crate::params::{QueryString, is_declared, parse_id_or_slug};

/// A request being answered. If it is dropped before it ends, its log line says so.
pub(crate) struct Pending<'a> {
    app: &'a App,
    request: &'a Request,
    begun: Moment,
    /// Whether a reply has been made. Dropping the request after that writes no line.
    pub(super) is_answered: bool,
    pub(crate) context: RequestContext<'a>,
}

impl<'a> Pending<'a> {
    /// A request that just arrived.
    pub(crate) fn begin(
        app: &'a App,
        request: &'a Request,
        begun: Moment,
        meta: ResponseMeta,
    ) -> Self {
        let context = RequestContext {
            meta,
            matched: None,
            caller: None,
        };
        app.metrics.requests.begin();
        Self {
            app,
            request,
            begun,
            is_answered: false,
            context,
        }
    }

    /// Counts the reply, and logs it.
    pub(crate) fn answered(&self, reply: &Reply) {
        let duration = self.duration();
        let is_head = self.request.method() == Method::HEAD;
        let metrics = &self.app.metrics.requests;
        metrics.answered(
            self.context.matched.and_then(MatchedPath::index),
            reply.outcome(),
            reply.sent_bytes(is_head),
            duration,
        );
        if !tracing::enabled!(tracing::Level::INFO) {
            return;
        }
        write(
            Some((self.request, &self.context)),
            &self.context.meta,
            is_head,
            reply,
            duration,
        );
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
        let route = self.context.matched.map(MatchedPath::pattern);
        let metrics = &self.app.metrics.requests;
        metrics.abandoned(self.context.matched.and_then(MatchedPath::index));
        let caller = self.context.caller.as_ref();
        let asked = Asked::of(self.request, &self.context);
        tracing::info!(
            request.id = %self.context.meta.request_id,
            method = name_of(Some(self.request.method())),
            route = route.map(display),
            record = asked.record.as_ref().map(IdOrSlug::as_str),
            parameters = asked.parameters,
            key.prefix = caller.map(|caller| display(&caller.key.prefix)),
            subscription = caller.map(|caller| caller.subscription.name.as_str()),
            duration_ms = milliseconds(self.duration()),
            "not answered: the client left, or the server stopped"
        );
    }
}

/// What a request asks for, as far as it cannot be a secret.
#[derive(Default)]
struct Asked {
    record: Option<IdOrSlug>,
    /// The names of parameters that a list declares, in the order of the request.
    parameters: Option<String>,
}

impl Asked {
    fn of(request: &Request, context: &RequestContext<'_>) -> Self {
        let record = match context.matched {
            Some(MatchedPath::Endpoint(_, segment)) => parse_id_or_slug(segment).ok(),
            _ => None,
        };
        let parameters = request.uri().query().map(|query| {
            let query = QueryString::parse(Some(query));
            let declared = query.names().filter(|name| is_declared(name));
            declared.collect::<Vec<_>>().join(",")
        });
        Self {
            record: record.filter(|name| !may_hold_key(name.as_str())),
            parameters: parameters.filter(|names| !names.is_empty()),
        }
    }
}

/// Writes the line of an answered request, or of a head that is malformed or came too slowly.
pub(crate) fn write(
    request: Option<(&Request, &RequestContext<'_>)>,
    meta: &ResponseMeta,
    is_head: bool,
    reply: &Reply,
    duration: Duration,
) {
    let asked = request.map(|(request, context)| Asked::of(request, context));
    let asked = asked.unwrap_or_default();
    let (request, context) = request.unzip();
    let caller = context.and_then(|context| context.caller.as_ref());
    let cache = meta.freshness.map(|freshness| match freshness {
        Freshness::Hit { .. } => "HIT",
        Freshness::Miss => "MISS",
    });
    let matched = context.and_then(|context| context.matched);
    let route = matched.map(|matched| display(matched.pattern()));
    let key_prefix = caller.map(|caller| display(&caller.key.prefix));
    let subscription = caller.map(|caller| caller.subscription.name.as_str());
    // Nothing but the headers is sent in response to `HEAD`.
    let rows = meta.rows.map(|rows| if is_head { 0 } else { rows });
    tracing::info!(
        request.id = %meta.request_id,
        method = name_of(request.map(Request::method)),
        route,
        record = asked.record.as_ref().map(IdOrSlug::as_str),
        parameters = asked.parameters,
        status = reply.status.as_u16(),
        code = reply.code,
        key.prefix = key_prefix,
        subscription,
        cache,
        rows,
        bytes = reply.sent_bytes(is_head),
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
