//! The administration address: readiness and metrics, for operators. It is never the public
//! address, and its requests need no key and are neither counted nor logged.
//!
//! Heads are checked as strictly as on the public address, by the same code.

use std::io;
use std::net::TcpListener;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::FutureExt;
use salvo::http::header::{CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE};
use salvo::http::{HeaderValue, Method, StatusCode};
use salvo::{Depot, FlowCtrl, Handler, Request, Response, Router, Service, async_trait};
use serde::Serialize;
use tokio::sync::watch;

use crate::app::App;
use crate::http::{ApiError, Message, Reply, ReplyBody, ResponseMeta, written};
use crate::metrics::{self, Connections as Uncounted};
use crate::ops::scrape;
use crate::readiness::Readiness;
use crate::wire::{ConnectionLimits, Connections, Phase, Refusal, Socket, server_of};

/// Most connections at a time: a few scrapers and a few people.
pub const CONNECTIONS_MAX: usize = 32;

const JSON: HeaderValue = HeaderValue::from_static("application/json");
const METRICS: HeaderValue = HeaderValue::from_static(metrics::MEDIA_TYPE);
const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");

/// Serves on the bound `listener` until `shutdown` completes, then returns at once; the public
/// address is stopped first.
pub async fn serve(
    app: Arc<App>,
    listener: TcpListener,
    shutdown: impl Future<Output = ()> + Send,
) -> io::Result<()> {
    let limits = ConnectionLimits {
        total: CONNECTIONS_MAX,
        per_address: CONNECTIONS_MAX,
    };
    // Keeps the sender alive: without it, accepting would stop.
    let (_phases, phase) = watch::channel(Phase::Serving);
    let refusing = Arc::clone(&app);
    let connections = Connections::new(
        Socket::Own(listener),
        limits,
        Arc::new(move |refusal, _origin| last_answer(&refusing, refusal)),
        Arc::clone(&app.clock),
        Arc::new(Uncounted::default()),
        phase,
    )?;
    let mut serving = Box::pin(server_of(connections).try_serve(service(app)));
    tokio::select! {
        by_itself = &mut serving => by_itself,
        () = shutdown => Ok(()),
    }
}

/// The service of the administration address, for [`serve`] and for tests in process.
pub fn service(app: Arc<App>) -> Service {
    Service::new(Router::new()).hoop(Pages { app })
}

struct Pages {
    app: Arc<App>,
}

#[async_trait]
impl Handler for Pages {
    async fn handle(
        &self,
        request: &mut Request,
        _depot: &mut Depot,
        response: &mut Response,
        _control: &mut FlowCtrl,
    ) {
        let now = self.app.clock.now();
        let page = AssertUnwindSafe(page(&self.app, request)).catch_unwind();
        let page = page.await.unwrap_or(Err(ApiError::Panicked));
        let message = page.unwrap_or_else(|error| refusal(&self.app, error));
        message.write(request, false, Some(now), response);
    }
}

async fn page(app: &App, request: &Request) -> Result<Message, ApiError> {
    let path = request.uri().path();
    if !matches!(path, "/ready" | "/metrics") {
        return Ok(not_found(app));
    }
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return Err(ApiError::MethodNotAllowed);
    }
    Ok(match path {
        "/ready" => ready(&app.readiness(app.clock.now()), app.minutes.is_alone()),
        _ => message(StatusCode::OK, METRICS, scrape::text(app).await.into()),
    })
}

/// What `/ready` answers.
#[derive(Serialize)]
struct Ready<'a> {
    /// `ready`, or `not ready` if one of the other fields prevents it.
    status: &'static str,
    /// Id of the release, which is open and verified.
    release: &'a str,
    /// `current`, or `stale` if no key can be verified.
    keys: &'static str,
    /// The server is about to stop.
    draining: bool,
    /// Present and true if a body of the release no longer reads as it was verified.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    damaged: bool,
    /// Present and true if this server counts minute limits alone, because Redis does not answer.
    #[serde(rename = "countsAlone", skip_serializing_if = "std::ops::Not::not")]
    counts_alone: bool,
}

fn ready(readiness: &Readiness, counts_alone: bool) -> Message {
    let (status, word) = if readiness.is_ready() {
        (StatusCode::OK, "ready")
    } else {
        (StatusCode::SERVICE_UNAVAILABLE, "not ready")
    };
    let are_current = readiness.are_keys_current;
    let ready = Ready {
        status: word,
        release: &readiness.release,
        keys: if are_current { "current" } else { "stale" },
        draining: readiness.is_draining,
        damaged: readiness.is_damaged,
        counts_alone,
    };
    json(status, &ready)
}

/// A 404 in the envelope, with a message for this address.
fn not_found(app: &App) -> Message {
    let error = serde_json::json!({
        "code": ApiError::UnknownPath.code(),
        "message": "there is no such path here; there are /ready and /metrics",
        "requestId": app.request_ids.next(app.clock.now()).to_string(),
    });
    let envelope = serde_json::json!({ "error": error });
    json(StatusCode::NOT_FOUND, &envelope)
}

fn json(status: StatusCode, shape: &impl Serialize) -> Message {
    message(status, JSON, written(shape))
}

fn message(status: StatusCode, media_type: HeaderValue, body: Bytes) -> Message {
    let fields = [
        (CONTENT_TYPE, media_type),
        (CONTENT_LENGTH, HeaderValue::from(body.len())),
        (CACHE_CONTROL, NO_STORE),
    ];
    Message {
        status,
        headers: fields.into_iter().collect(),
        body: ReplyBody::Bytes(body),
    }
}

fn refusal(app: &App, error: ApiError) -> Message {
    let mut meta = ResponseMeta::new(app.request_ids.next(app.clock.now()));
    Reply::new(app, Err(error), &mut meta).message(&meta)
}

/// The complete response to a request that the HTTP library never sees, as bytes.
fn last_answer(app: &App, refused: Refusal) -> Vec<u8> {
    let (error, is_head) = match refused {
        Refusal::TooSlow { is_head, .. } => (ApiError::RequestTimeout, is_head),
        Refusal::BadHead { bad, is_head } => (bad.into(), is_head),
        Refusal::TooManyConnections => (ApiError::TooManyConnections, false),
    };
    refusal(app, error).into_last_bytes(app.clock.now(), is_head)
}
