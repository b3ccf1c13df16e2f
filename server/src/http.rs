//! From a request to its response: routing, checks, errors, conditional requests and headers.
//!
//! These are our own, because the contract is exact about them and the library is not: its router
//! drops empty segments, its error pages may be HTML, its limits respond without a body.
//!
//! `wire` checks the head of a request before the HTTP library sees it; a bad one comes here as a
//! `Refusal`, and `last_answer` responds.
//!
//! Reading order: `pipeline` is the order of checks, among them `authorization`;
//! `catalogue_request` and `look_up` are the catalogue's endpoints, `service` the others, `docs`
//! the documentation; `representation` is what is sent of a body, by `accept_encoding`; `error`
//! maps errors to HTTP, `headers` a status to headers, and `last_fields` has those of a connection.
//! `access_log` writes a line for each request, [`openapi`] is the contract for programs, and
//! [`explain`] shows how a response comes about. Nothing here knows a socket.

mod accept_encoding;
mod access_log;
mod authorization;
mod bodies;
mod catalogue_request;
mod docs;
mod error;
pub mod explain;
mod headers;
pub(crate) mod last_fields;
mod look_up;
pub mod openapi;
mod pipeline;
mod representation;
mod service;

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt;
use salvo::http::{HeaderMap, ResBody, StatusCode};
use salvo::{Depot, FlowCtrl, Handler, Request, Response, Router, Service, async_trait};
use tokio::sync::watch;

use shared::base::clock::Moment;

use crate::app::App;
use crate::base::error_chain::chain;
use crate::base::request_id::RequestId;
use crate::cors::CorsDecision;
use crate::metrics::Outcome;
use crate::wire::{Phase, Refusal, check};
use access_log::Pending;
pub(crate) use error::ApiError;
pub(crate) use headers::ResponseMeta;
use representation::Answer;

/// The service of an app for requests without a connection, such as those of in-process tests. It
/// checks their heads as `wire` checks those of connections.
pub fn service(app: Arc<App>) -> Service {
    let (_never, phase) = watch::channel(Phase::Serving);
    let judge = Judge {
        app: Arc::clone(&app),
    };
    Service::new(Router::new())
        .hoop(judge)
        .hoop(Endpoints { app, phase })
}

struct Judge {
    app: Arc<App>,
}

#[async_trait]
impl Handler for Judge {
    async fn handle(
        &self,
        request: &mut Request,
        _depot: &mut Depot,
        response: &mut Response,
        control: &mut FlowCtrl,
    ) {
        if let Err(bad) = check(&head_of(request)) {
            let id = self.app.request_ids.next(self.app.clock.now());
            let meta = meta(
                &self.app,
                id,
                self.app.allowed_origins.decision(request.headers()),
            );
            Reply::new(&self.app, Err(bad.into()), meta).write(response);
            control.skip_rest();
        }
    }
}

/// The shortest head that a client could send.
fn head_of(request: &Request) -> Vec<u8> {
    let mut head = format!("{} {} HTTP/1.1\r\n", request.method(), request.uri()).into_bytes();
    write_fields(request.headers(), &mut head, b":");
    head
}

fn write_fields(fields: &HeaderMap, head: &mut Vec<u8>, colon: &[u8]) {
    for (name, value) in fields {
        for part in [name.as_str().as_bytes(), colon, value.as_bytes(), b"\r\n"] {
            head.extend_from_slice(part);
        }
    }
    head.extend_from_slice(b"\r\n");
}

/// The service of an app's connections. Once it is draining or stopping, every response is the last
/// of its connection.
///
/// The router is empty, so its one hoop answers every request, whatever its path and method.
pub(crate) fn service_until(app: Arc<App>, phase: watch::Receiver<Phase>) -> Service {
    Service::new(Router::new()).hoop(Endpoints { app, phase })
}

struct Endpoints {
    app: Arc<App>,
    phase: watch::Receiver<Phase>,
}

#[async_trait]
impl Handler for Endpoints {
    async fn handle(
        &self,
        request: &mut Request,
        _depot: &mut Depot,
        response: &mut Response,
        _control: &mut FlowCtrl,
    ) {
        let mut exchange = Exchange::new(&self.app, request);
        let replied = AssertUnwindSafe(exchange.reply()).catch_unwind().await;
        let reply = replied.unwrap_or_else(|_logged_by_the_hook| exchange.reply_to_panic());
        reply.write(response);
        let is_last = self.app.is_draining() || *self.phase.borrow() != Phase::Serving;
        last_fields::write(
            request,
            is_last,
            exchange.now.as_ref(),
            response.headers_mut(),
        );
    }
}

/// One request and its reply, with one line in the log.
///
/// What is learned on the way is kept outside the one place that catches panics, [`Endpoints`], so
/// that the reply to a panic has what was known by then. Where a panic ends up:
///
/// - before there is an id: a 500 with the id of zeros, neither counted nor in the log;
/// - in a check or a lookup: a 500 with what was learned, counted and logged like any response;
/// - while a response is counted and logged: a 500, and no second line;
/// - while the reply to a panic is: the HTTP library closes the connection;
/// - in the work of another thread, such as a query: an error of that work.
///
/// A response is sent only after all of this, so that no panic cuts it short. The panic hook logs
/// what may be logged; a panic's message may quote the request, so it is not kept.
struct Exchange<'a> {
    app: &'a App,
    request: &'a Request,
    /// When the request arrived.
    now: Option<Moment>,
    id: RequestId,
    /// Once there is an id.
    pending: Option<Pending<'a>>,
}

impl<'a> Exchange<'a> {
    fn new(app: &'a App, request: &'a Request) -> Self {
        Self {
            app,
            request,
            now: None,
            id: RequestId::NIL,
            pending: None,
        }
    }

    async fn reply(&mut self) -> Reply {
        let (app, request) = (self.app, self.request);
        let now = *self.now.insert(app.clock.now());
        app.clock_watch.notice(now);
        self.id = app.request_ids.next(now);
        let pending = Pending::begin(app, request.method(), now, self.meta());
        let pending = self.pending.insert(pending);
        let answer = pipeline::answer(app, request, now, &mut pending.context).await;
        finish(app, pending, answer)
    }

    /// The reply where [`Self::reply`] panicked.
    fn reply_to_panic(&mut self) -> Reply {
        let panicked = Err(ApiError::Panicked);
        match &mut self.pending {
            Some(pending) if pending.is_answering() => finish(self.app, pending, panicked),
            _ => Reply::new(self.app, panicked, self.meta()),
        }
    }

    /// What is known of a request before it is parsed.
    fn meta(&self) -> ResponseMeta {
        let origins = &self.app.allowed_origins;
        meta(self.app, self.id, origins.decision(self.request.headers()))
    }
}

/// What every response of an app needs for its headers.
fn meta(app: &App, id: RequestId, cors: CorsDecision) -> ResponseMeta {
    ResponseMeta {
        shows_rate_limit_draft: app.shows_rate_limit_draft,
        cors,
        ..ResponseMeta::new(id)
    }
}

/// Makes the reply, counts it and logs it.
fn finish(app: &App, pending: &mut Pending<'_>, answer: Result<Answer, ApiError>) -> Reply {
    let meta = pending.end();
    let reply = Reply::new(app, answer, meta);
    pending.answered(&reply);
    reply
}

/// The complete response, as bytes, to a request that the HTTP library never sees; `origin` is that
/// of the page that sent it, if it was read.
pub(crate) fn last_answer(app: &App, refusal: Refusal, origin: Option<&[u8]>) -> Vec<u8> {
    let now = app.clock.now();
    let cors = app.allowed_origins.decision_for(origin);
    let meta = meta(app, app.request_ids.next(now), cors);
    let (error, duration, is_head) = match refusal {
        Refusal::TooSlow { is_head, waited } => (ApiError::RequestTimeout, waited, is_head),
        Refusal::BadHead { bad, is_head } => (bad.into(), Duration::ZERO, is_head),
        Refusal::TooManyConnections => {
            // There may be thousands of these, without a known request.
            let reply = Reply::new(app, Err(ApiError::TooManyConnections), meta);
            return reply.into_bytes(now, false);
        }
    };
    let reply = Reply::new(app, Err(error), meta);
    app.metrics.requests.count(None, reply.outcome());
    access_log::write(None, None, &reply, duration);
    reply.into_bytes(now, is_head)
}

/// A response.
pub(crate) struct Reply {
    status: StatusCode,
    /// `error.code`, for the log.
    code: Option<&'static str>,
    meta: ResponseMeta,
    body: Option<Bytes>,
}

impl Reply {
    pub(crate) fn new(app: &App, answer: Result<Answer, ApiError>, mut meta: ResponseMeta) -> Self {
        match answer {
            Ok(Answer::Body(body)) => Self {
                status: StatusCode::OK,
                code: None,
                meta,
                body: Some(body),
            },
            Ok(Answer::NotModified) => Self {
                status: StatusCode::NOT_MODIFIED,
                code: None,
                meta,
                body: None,
            },
            Ok(Answer::Preflight) => Self {
                status: StatusCode::NO_CONTENT,
                code: None,
                meta,
                body: None,
            },
            Err(error) => {
                log_cause(&error, app, meta.request_id);
                error.fill(&mut meta);
                let body = Some(error.body(meta.request_id));
                Self {
                    status: error.status(),
                    code: Some(error.code()),
                    meta,
                    body,
                }
            }
        }
    }

    /// The outcome of the request, for metrics.
    fn outcome(&self) -> Outcome {
        Outcome {
            status: self.status.as_u16(),
            code: self.code,
        }
    }

    pub(crate) fn write(self, response: &mut Response) {
        response.status_code(self.status);
        headers::write(
            self.status,
            &self.meta,
            self.body.as_ref(),
            response.headers_mut(),
        );
        if let Some(body) = self.body {
            response.body(ResBody::Once(body));
        }
    }

    /// The last response of a connection, as bytes; without its body for `HEAD`.
    pub(crate) fn into_bytes(self, now: Moment, is_head: bool) -> Vec<u8> {
        let mut fields = HeaderMap::new();
        headers::write(self.status, &self.meta, self.body.as_ref(), &mut fields);
        last_fields::write_last(now, &mut fields);
        let mut bytes = format!("HTTP/1.1 {}\r\n", self.status).into_bytes();
        write_fields(&fields, &mut bytes, b": ");
        if !is_head {
            bytes.extend_from_slice(&self.body.unwrap_or_default());
        }
        bytes
    }
}

/// Logs what the client does not see. Overloads are throttled, since there may be thousands a
/// second.
fn log_cause(error: &ApiError, app: &App, request_id: RequestId) {
    match error {
        ApiError::Internal(cause) => {
            tracing::error!(request.id = %request_id, "request failed: {}", chain(&**cause));
        }
        ApiError::Overloaded(cause) => {
            let mut overloads = app.overloads.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(left_out) = overloads.due(app.clock.now()) {
                let cause = chain(&**cause);
                tracing::warn!(request.id = %request_id, left_out, "request refused: {cause}");
            }
        }
        ApiError::Unavailable(cause) => {
            tracing::warn!(request.id = %request_id, "request refused: {}", chain(&**cause));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use shared::base::clock::{Clock, ManualClock};

    use super::*;

    #[test]
    fn the_last_answer_of_a_connection_goes_over_the_wire_as_it_stands_here() {
        let now = ManualClock::at(1_790_000_000).now();
        let last = |is_head| {
            let reply = Reply {
                status: StatusCode::REQUEST_TIMEOUT,
                code: None,
                meta: ResponseMeta::new(RequestId::NIL),
                body: Some(Bytes::from_static(b"{}")),
            };
            String::from_utf8(reply.into_bytes(now, is_head)).unwrap()
        };
        let head = "HTTP/1.1 408 Request Timeout\r\ncontent-type: application/json\r\n\
                    content-length: 2\r\nx-request-id: 00000000000000000000000000\r\n\
                    connection: close\r\ndate: Mon, 21 Sep 2026 14:13:20 GMT\r\n\r\n";
        assert_eq!(last(true), head);
        assert_eq!(last(false), format!("{head}{{}}"));
    }
}
