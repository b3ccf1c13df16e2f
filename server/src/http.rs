//! From a request to its response: routing, checks, errors, conditional requests and headers.
//!
//! These are our own, because the contract is exact about them and the library is not: its router
//! drops empty segments, its error pages may be HTML, its limits respond without a body.
//!
//! `wire` checks the head of a request before the HTTP library sees it; a bad one comes here as a
//! `Refusal`, and `last_answer` responds.
//!
//! Reading order: `exchange` is one request and its reply; `pipeline` is the order of checks, among
//! them `authorization`; `catalogue_request` and `look_up` are the catalogue's endpoints, `own_key`
//! that of a key, `changes` the page of what changed, `service` the others, with their `bodies`,
//! `docs` the documentation; `representation` is what is sent of a body, by `accept_encoding`, and
//! `whole_file` of a file, by `range`; `error` maps errors to HTTP. `reply` is the one place that writes a
//! response: `headers` maps a status to headers, and `last_fields` has those of a connection.
//! `access_log` writes a line for each request, [`openapi`] is the contract for programs, and
//! [`explain`] shows how a response comes about. Nothing here knows a socket.

mod accept_encoding;
mod access_log;
mod authorization;
mod bodies;
mod catalogue_request;
mod changes;
mod docs;
mod error;
mod exchange;
pub mod explain;
mod headers;
mod last_fields;
mod look_up;
pub mod openapi;
mod own_key;
mod pipeline;
mod range;
mod reply;
mod representation;
mod service;
mod whole_file;

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt;
use salvo::{Depot, FlowCtrl, Handler, Request, Response, Router, Service, async_trait};
use tokio::sync::watch;

use crate::app::App;
use crate::wire::Phase;
pub(crate) use bodies::written;
pub(crate) use error::ApiError;
use exchange::Exchange;
pub use exchange::answer_to_bad_head;
pub(crate) use exchange::last_answer;
pub(crate) use headers::ResponseMeta;
pub(crate) use reply::{Message, Reply, ReplyBody};

/// The service of an app for requests without a connection, such as those of tests in process:
/// whoever sends them checks their heads with [`answer_to_bad_head`].
pub fn service(app: Arc<App>) -> Service {
    let (_never, phase) = watch::channel(Phase::Serving);
    service_until(app, phase)
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
        let message = replied.unwrap_or_else(|_logged_by_the_hook| exchange.reply_to_panic());
        let is_last = self.app.is_draining() || *self.phase.borrow() != Phase::Serving;
        let now = exchange.now;
        message.write(request, is_last, now, response);
    }
}
