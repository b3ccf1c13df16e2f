//! A reply to a request, and how it is written: to the HTTP library, or as the bytes of a connection
//! that the library never sees.

use bytes::Bytes;
use salvo::http::{HeaderMap, Method, ResBody, StatusCode};
use salvo::{Request, Response};
use shared::base::clock::Moment;
use shared::base::error_chain::chain;

use super::error::ApiError;
use super::headers::{self, ResponseMeta};
use super::last_fields;
use super::representation::{Answer, FileBody};
use crate::app::App;
use crate::base::request_id::RequestId;
use crate::metrics::Outcome;

/// A reply to a request, with what the log says of it; the rest is in its [`ResponseMeta`].
pub(crate) struct Reply {
    pub(super) status: StatusCode,
    /// `error.code`, for the log.
    pub(super) code: Option<&'static str>,
    pub(super) body: Option<ReplyBody>,
}

/// What follows the head.
pub(crate) enum ReplyBody {
    /// Bytes in memory.
    Bytes(Bytes),
    /// A file or a part of it, read as it is sent.
    File(FileBody),
}

impl ReplyBody {
    /// Its length.
    pub(super) fn bytes(&self) -> u64 {
        match self {
            Self::Bytes(bytes) => bytes.len() as u64,
            Self::File(file) => file.bytes(),
        }
    }
}

impl Reply {
    /// The reply that an answer becomes; an error adds what it says to `meta`.
    pub(crate) fn new(
        app: &App,
        answer: Result<Answer, ApiError>,
        meta: &mut ResponseMeta,
    ) -> Self {
        let (status, code, body) = match answer {
            Ok(Answer::Body(body)) => (StatusCode::OK, None, Some(ReplyBody::Bytes(body))),
            Ok(Answer::File(file)) => {
                let status = if file.is_part {
                    StatusCode::PARTIAL_CONTENT
                } else {
                    StatusCode::OK
                };
                (status, None, Some(ReplyBody::File(file)))
            }
            Ok(Answer::NotModified) => (StatusCode::NOT_MODIFIED, None, None),
            Ok(Answer::Preflight) => (StatusCode::NO_CONTENT, None, None),
            Ok(Answer::ToPage) => (StatusCode::PERMANENT_REDIRECT, None, None),
            Err(error) => {
                log_cause(&error, app, meta.request_id);
                error.fill(meta);
                let body = error.body(meta.request_id);
                let body = ReplyBody::Bytes(body);
                (error.status(), Some(error.code()), Some(body))
            }
        };
        Self { status, code, body }
    }

    /// The outcome of the request, for metrics.
    pub(super) fn outcome(&self) -> Outcome {
        Outcome {
            status: self.status.as_u16(),
            code: self.code,
        }
    }

    /// Bytes of the body that is sent: none in response to `HEAD`.
    pub(super) fn sent_bytes(&self, is_head: bool) -> u64 {
        let body = self.body.as_ref().filter(|_body| !is_head);
        body.map_or(0, ReplyBody::bytes)
    }

    /// What is sent.
    pub(crate) fn message(self, meta: &ResponseMeta) -> Message {
        let mut headers = HeaderMap::new();
        let length = self.body.as_ref().map(ReplyBody::bytes);
        headers::write(self.status, meta, length, &mut headers);
        Message {
            status: self.status,
            headers,
            body: self.body.unwrap_or(ReplyBody::Bytes(Bytes::new())),
        }
    }
}

/// A whole response. Its headers have the length of the body that a `GET` receives.
pub(crate) struct Message {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: ReplyBody,
}

impl Message {
    /// Hands it to the HTTP library, as the response to `request`.
    pub(crate) fn write(
        mut self,
        request: &Request,
        is_last: bool,
        now: Option<Moment>,
        response: &mut Response,
    ) {
        last_fields::write(request, is_last, now, &mut self.headers);
        response.status_code(self.status);
        response.set_headers(self.headers);
        if self.body.bytes() == 0 || request.method() == Method::HEAD {
            return;
        }
        response.body(match self.body {
            ReplyBody::Bytes(bytes) => ResBody::Once(bytes),
            ReplyBody::File(file) => ResBody::stream(file.stream()),
        });
    }

    /// The last response of a connection, as bytes; without its body for `HEAD`.
    pub(crate) fn into_last_bytes(mut self, now: Moment, is_head: bool) -> Vec<u8> {
        last_fields::write_last(now, &mut self.headers);
        let mut bytes = format!("HTTP/1.1 {}\r\n", self.status).into_bytes();
        for (name, value) in &self.headers {
            for part in [name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"] {
                bytes.extend_from_slice(part);
            }
        }
        bytes.extend_from_slice(b"\r\n");
        // No last answer is a file.
        if !is_head && let ReplyBody::Bytes(body) = &self.body {
            bytes.extend_from_slice(body);
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
            let mut overloads = app.overloads.lock();
            if let Some(left_out) = overloads.due(app.clock.now()) {
                let cause = chain(&**cause);
                tracing::warn!(request.id = %request_id, left_out, "request refused: {cause}");
            }
        }
        ApiError::Unavailable(cause) | ApiError::ReleaseGone(Some(cause)) => {
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
                body: Some(ReplyBody::Bytes(Bytes::from_static(b"{}"))),
            };
            let message = reply.message(&ResponseMeta::new(RequestId::NIL));
            String::from_utf8(message.into_last_bytes(now, is_head)).unwrap()
        };
        let head = "HTTP/1.1 408 Request Timeout\r\ncontent-type: application/json\r\n\
                    content-length: 2\r\nx-request-id: 00000000000000000000000000\r\n\
                    connection: close\r\ndate: Mon, 21 Sep 2026 14:13:20 GMT\r\n\r\n";
        assert_eq!(last(true), head);
        assert_eq!(last(false), format!("{head}{{}}"));
    }
}
