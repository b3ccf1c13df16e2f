//! The only map from errors to HTTP: status, code, message and envelope of every refusal.
//!
//! What clients may know and what only the log may know are kept apart: `Internal`, `Overloaded`
//! and `Unavailable` carry a cause that is logged here, and a client gets a fixed sentence.

mod bad_head;
mod message;

use std::error::Error;
use std::sync::PoisonError;

use salvo::http::StatusCode;
use schemars::JsonSchema;
use serde::Serialize;
use shared::keys::key::KeyRefusal;
use shared::keys::scope::Scope;

use super::headers::Facts;
use super::openapi::{codes, conditions};
use crate::app::App;
use crate::cache::CacheError;
use crate::catalogue::{BodyError, ListError, QueryError};
use crate::error_chain::chain;
use crate::keyring::VerifyError;
use crate::limits::{QuotaError, Usage};
use crate::params::ParamIssue;
use crate::request_id::RequestId;

/// What a client that gets a 503 is asked to wait, in seconds: the key store is asked several
/// times a second.
const UNAVAILABLE_RETRY_SECONDS: u64 = 2;

/// A cause that only the log shows.
pub(crate) type Cause = Box<dyn Error + Send + Sync>;

/// Why a request got neither a 200 nor a 304.
#[derive(Debug)]
pub(crate) enum ApiError {
    /// Parameters that are not as the specification wants them; never empty.
    Validation(Vec<ParamIssue>),
    /// No `Authorization` header.
    MissingKey,
    /// Not one `Authorization: Bearer` header with a key of our form.
    MalformedAuthorization,
    /// A credential in the query string.
    CredentialInQuery,
    /// A key that nobody was given.
    UnknownKey,
    /// A key that is known and may not be used.
    RefusedKey(KeyRefusal),
    /// Scopes that the endpoint needs and the key lacks; never empty.
    MissingScopes(Vec<Scope>),
    /// No published record of that id or slug; the kind of record.
    NoRecord(&'static str),
    /// No such endpoint.
    UnknownPath,
    /// A method other than `GET` and `HEAD`.
    MethodNotAllowed,
    /// The minute limit is used up.
    RateLimited(Usage),
    /// The monthly quota is used up.
    QuotaExceeded(Usage),
    /// A request whose head did not arrive in time.
    RequestTimeout,
    /// A request that announced a body.
    BodyNotAllowed,
    /// A request target over the limit.
    UriTooLong,
    /// A request head over one of its limits.
    HeadersTooLarge,
    /// A failure that should not happen.
    Internal(Cause),
    /// A panic, which the panic hook has logged, with its place.
    Panicked,
    /// There are as many connections as there may be, of all clients or of one address.
    TooManyConnections,
    /// Too much is asked for at the moment.
    Overloaded(Cause),
    /// Something the answer depends on cannot be asked.
    Unavailable(Cause),
}

impl ApiError {
    pub(crate) fn internal(cause: impl Into<Cause>) -> Self {
        Self::Internal(cause.into())
    }

    pub(crate) fn status(&self) -> StatusCode {
        match self {
            Self::Validation(_) => StatusCode::BAD_REQUEST,
            Self::MissingKey
            | Self::MalformedAuthorization
            | Self::CredentialInQuery
            | Self::UnknownKey
            | Self::RefusedKey(_) => StatusCode::UNAUTHORIZED,
            Self::MissingScopes(_) => StatusCode::FORBIDDEN,
            Self::NoRecord(_) | Self::UnknownPath => StatusCode::NOT_FOUND,
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::RequestTimeout => StatusCode::REQUEST_TIMEOUT,
            Self::BodyNotAllowed => StatusCode::PAYLOAD_TOO_LARGE,
            Self::UriTooLong => StatusCode::URI_TOO_LONG,
            Self::RateLimited(_) | Self::QuotaExceeded(_) => StatusCode::TOO_MANY_REQUESTS,
            Self::HeadersTooLarge => StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
            Self::Internal(_) | Self::Panicked => StatusCode::INTERNAL_SERVER_ERROR,
            Self::TooManyConnections | Self::Overloaded(_) | Self::Unavailable(_) => {
                StatusCode::SERVICE_UNAVAILABLE
            }
        }
    }

    /// The machine-readable name: a part of the contract.
    pub(crate) fn code(&self) -> &'static str {
        match self {
            Self::Validation(_) => "VALIDATION_ERROR",
            Self::MissingKey => "MISSING_API_KEY",
            Self::MalformedAuthorization => "MALFORMED_AUTHORIZATION",
            Self::CredentialInQuery => "CREDENTIAL_IN_QUERY",
            Self::UnknownKey => "INVALID_API_KEY",
            Self::RefusedKey(KeyRefusal::WrongEnvironment) => "WRONG_ENVIRONMENT",
            Self::RefusedKey(KeyRefusal::Revoked) => "API_KEY_REVOKED",
            Self::RefusedKey(KeyRefusal::Expired) => "API_KEY_EXPIRED",
            Self::RefusedKey(KeyRefusal::Disabled) => "API_KEY_DISABLED",
            Self::MissingScopes(_) => "INSUFFICIENT_PERMISSIONS",
            Self::NoRecord(_) | Self::UnknownPath => "NOT_FOUND",
            Self::MethodNotAllowed => "METHOD_NOT_ALLOWED",
            Self::RateLimited(_) => "RATE_LIMITED",
            Self::QuotaExceeded(_) => "QUOTA_EXCEEDED",
            Self::RequestTimeout => "REQUEST_TIMEOUT",
            Self::BodyNotAllowed => "BODY_NOT_ALLOWED",
            Self::UriTooLong => "URI_TOO_LONG",
            Self::HeadersTooLarge => "HEADERS_TOO_LARGE",
            Self::Internal(_) | Self::Panicked => "INTERNAL_ERROR",
            Self::TooManyConnections | Self::Overloaded(_) | Self::Unavailable(_) => {
                "SERVICE_UNAVAILABLE"
            }
        }
    }

    /// Adds what the error itself knows for the headers.
    pub(crate) fn tell(&self, facts: &mut Facts) {
        match self {
            Self::RateLimited(usage) => {
                facts.rate = Some(*usage);
                facts.retry_after_seconds = Some(usage.retry_after_seconds);
            }
            Self::QuotaExceeded(usage) => {
                facts.quota = Some(*usage);
                facts.retry_after_seconds = Some(usage.retry_after_seconds);
            }
            Self::TooManyConnections | Self::Overloaded(_) | Self::Unavailable(_) => {
                facts.retry_after_seconds = Some(UNAVAILABLE_RETRY_SECONDS);
            }
            _ => {}
        }
    }

    /// The envelope of section 7.
    pub(crate) fn body(&self, request_id: RequestId) -> Vec<u8> {
        let details = match self {
            Self::Validation(issues) => Some(Details::of(issues)),
            _ => None,
        };
        let error = ErrorObject {
            code: self.code(),
            message: self.message(),
            request_id: request_id.to_string(),
            details,
        };
        let written = serde_json::to_vec(&ErrorEnvelope { error });
        written.unwrap_or_else(|why| unreachable!("texts did not serialise: {why}"))
    }

    /// Logs what the client is not told; overloads seldom, for there may be thousands a second.
    pub(crate) fn log(&self, app: &App, request_id: RequestId) {
        match self {
            Self::Internal(cause) => {
                tracing::error!(request.id = %request_id, "request failed: {}", chain(&**cause));
            }
            Self::Overloaded(cause) => {
                let mut overloads = app.overloads.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(left_out) = overloads.due(app.clock.now()) {
                    let cause = chain(&**cause);
                    tracing::warn!(request.id = %request_id, left_out, "request refused: {cause}");
                }
            }
            Self::Unavailable(cause) => {
                tracing::warn!(request.id = %request_id, "request refused: {}", chain(&**cause));
            }
            _ => {}
        }
    }
}

impl From<VerifyError> for ApiError {
    fn from(error: VerifyError) -> Self {
        match error {
            VerifyError::Unknown => Self::UnknownKey,
            VerifyError::Refused(refusal) => Self::RefusedKey(refusal),
            not_current @ VerifyError::NotCurrent => Self::Unavailable(not_current.into()),
        }
    }
}

impl From<CacheError<ListError>> for ApiError {
    fn from(error: CacheError<ListError>) -> Self {
        match error {
            CacheError::WaitedTooLong { .. }
            | CacheError::Query(ListError::Query(QueryError::Queue(_))) => {
                Self::Overloaded(error.into())
            }
            CacheError::Query(failed) => Self::internal(failed),
        }
    }
}

impl From<BodyError> for ApiError {
    fn from(error: BodyError) -> Self {
        match error {
            BodyError::Queue(_) => Self::Overloaded(error.into()),
            failed @ BodyError::Read(_) => Self::internal(failed),
        }
    }
}

impl From<QuotaError> for ApiError {
    fn from(error: QuotaError) -> Self {
        match error {
            QuotaError::Exceeded(usage) => Self::QuotaExceeded(usage),
            unavailable @ QuotaError::Unavailable(_) => Self::Unavailable(unavailable.into()),
        }
    }
}

/// The body of every refusal.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ErrorEnvelope<'a> {
    /// What went wrong.
    error: ErrorObject<'a>,
}

/// What went wrong.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ErrorObject<'a> {
    /// What went wrong, for programs.
    #[schemars(extend("enum" = codes(), "x-enumDescriptions" = conditions()))]
    code: &'static str,
    /// What went wrong and what to do, for people. The wording may change.
    message: String,
    /// Id of this answer, as in `X-Request-Id`.
    #[schemars(regex(pattern = RequestId::PATTERN))]
    request_id: String,
    /// Which parameters are wrong; only with `VALIDATION_ERROR`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Details<'a>")]
    details: Option<Details<'a>>,
}

/// Which parameters are wrong.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ErrorDetails")]
struct Details<'a> {
    /// The first wrong parameter, in the order of the request; of a malformed head, `request` or
    /// `address`.
    field: &'a str,
    /// Every problem, in the order of the request.
    issues: &'a [ParamIssue],
}

impl<'a> Details<'a> {
    fn of(issues: &'a [ParamIssue]) -> Self {
        Self {
            field: issues.first().map_or("", |first| &first.field),
            issues,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::catalogue::QueueError;

    #[test]
    fn what_may_be_had_later_is_503() {
        let waiting = Duration::from_secs(1);
        let why = QueueError::Stopping { what: "query" };
        for error in [
            CacheError::Query(ListError::Query(QueryError::Queue(why))).into(),
            CacheError::<ListError>::WaitedTooLong { waiting }.into(),
            BodyError::Queue(why).into(),
        ] {
            let error: ApiError = error;
            assert_eq!(error.code(), "SERVICE_UNAVAILABLE", "{error:?}");
        }
    }
}
