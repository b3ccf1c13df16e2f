//! One request and its reply: what is learned on the way, what counts it and logs it, and where a
//! panic ends up.

use std::time::Duration;

use salvo::Request;
use shared::base::clock::Moment;

use super::access_log::{self, Pending};
use super::error::ApiError;
use super::headers::ResponseMeta;
use super::pipeline;
use super::reply::{Message, Reply};
use super::representation::Answer;
use crate::app::App;
use crate::base::request_id::RequestId;
use crate::cors::CorsDecision;
use crate::wire::{Refusal, check};

/// One request and its reply, with one line in the log.
///
/// What is learned on the way is kept outside the one place that catches panics,
/// [`super::Endpoints`], so that the reply to a panic has what was known by then. Where a panic ends
/// up:
///
/// - before there is an id: a 500 with the id of zeros, neither counted nor in the log;
/// - in a check or a lookup: a 500 with what was learned, counted and logged like any response;
/// - while a response is counted and logged: a 500, and no second line;
/// - while the reply to a panic is: the HTTP library closes the connection;
/// - in the work of another thread, such as a query: an error of that work.
///
/// A response is sent only after all of this, so that no panic cuts it short. The panic hook logs
/// what may be logged; a panic's message may quote the request, so it is not kept.
pub(super) struct Exchange<'a> {
    app: &'a App,
    request: &'a Request,
    /// When the request arrived.
    pub(super) now: Option<Moment>,
    id: RequestId,
    /// Once there is an id.
    pending: Option<Pending<'a>>,
}

impl<'a> Exchange<'a> {
    pub(super) fn new(app: &'a App, request: &'a Request) -> Self {
        Self {
            app,
            request,
            now: None,
            id: RequestId::NIL,
            pending: None,
        }
    }

    pub(super) async fn reply(&mut self) -> Message {
        let (app, request) = (self.app, self.request);
        let now = *self.now.insert(app.clock.now());
        app.clock_watch.notice(now);
        self.id = app.request_ids.next(now);
        let pending = Pending::begin(app, request, now, self.meta());
        let pending = self.pending.insert(pending);
        let answer = pipeline::answer(app, request, now, &mut pending.context).await;
        finish(app, pending, answer)
    }

    /// The reply where [`Self::reply`] panicked.
    pub(super) fn reply_to_panic(&mut self) -> Message {
        let panicked = Err(ApiError::Panicked);
        match &mut self.pending {
            Some(pending) if !pending.is_answered => finish(self.app, pending, panicked),
            _ => {
                let mut meta = self.meta();
                Reply::new(self.app, panicked, &mut meta).message(&meta)
            }
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
fn finish(app: &App, pending: &mut Pending<'_>, answer: Result<Answer, ApiError>) -> Message {
    pending.is_answered = true;
    let reply = Reply::new(app, answer, &mut pending.context.meta);
    pending.answered(&reply);
    reply.message(&pending.context.meta)
}

/// The complete response, as bytes, to a request that the HTTP library never sees; `origin` is that
/// of the page that sent it, if it was read.
pub(crate) fn last_answer(app: &App, refusal: Refusal, origin: Option<&[u8]>) -> Vec<u8> {
    let now = app.clock.now();
    let cors = app.allowed_origins.decision_for(origin);
    let mut meta = meta(app, app.request_ids.next(now), cors);
    let (error, duration, is_head) = match refusal {
        Refusal::TooSlow { is_head, waited } => (ApiError::RequestTimeout, waited, is_head),
        Refusal::BadHead { bad, is_head } => (bad.into(), Duration::ZERO, is_head),
        Refusal::TooManyConnections => {
            // There may be thousands of these, without a known request.
            let reply = Reply::new(app, Err(ApiError::TooManyConnections), &mut meta);
            return reply.message(&meta).into_last_bytes(now, false);
        }
    };
    let reply = Reply::new(app, Err(error), &mut meta);
    app.metrics.requests.count(None, reply.outcome());
    access_log::write(None, &meta, is_head, &reply, duration);
    reply.message(&meta).into_last_bytes(now, is_head)
}

/// The complete response to a whole head that never gets to the HTTP library, if this is one. For
/// tests in process, which have no connection.
pub fn answer_to_bad_head(app: &App, head: &[u8], origin: Option<&[u8]>) -> Option<Vec<u8>> {
    let bad = check(head).err()?;
    let is_head = head.starts_with(b"HEAD ");
    Some(last_answer(app, Refusal::BadHead { bad, is_head }, origin))
}
