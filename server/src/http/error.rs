//! The only map from errors to HTTP: status, code, message and envelope of every refusal.
//!
//! What clients may know and what only the log may know are kept apart: `Internal` and
//! `Unavailable` carry a cause that is logged here, once, and a client gets a fixed sentence.

use std::error::Error;

use salvo::http::StatusCode;
use serde::Serialize;
use shared::keys::key::KeyRefusal;
use shared::keys::scope::Scope;

use super::headers::Facts;
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
            Self::Internal(_) => StatusCode::INTERNAL_SERVER_ERROR,
            Self::Unavailable(_) => StatusCode::SERVICE_UNAVAILABLE,
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
            Self::Internal(_) => "INTERNAL_ERROR",
            Self::Unavailable(_) => "SERVICE_UNAVAILABLE",
        }
    }

    /// What a person should read: what is wrong, and what to do next.
    fn message(&self) -> String {
        match self {
            Self::Validation(issues) => validation_message(issues),
            Self::MissingScopes(scopes) => missing_scopes_message(scopes),
            Self::NoRecord(kind) => format!("there is no published {kind} with that id or slug"),
            Self::RateLimited(usage) => format!(
                "this key has made {} requests in 60 seconds; wait {} s before the next",
                usage.limit, usage.retry_after_seconds
            ),
            Self::QuotaExceeded(usage) => format!(
                "the subscription's {} requests of this month are used up; \
                 X-Quota-Reset says when the quota renews",
                usage.limit
            ),
            fixed => fixed.sentence().to_owned(),
        }
    }

    fn sentence(&self) -> &'static str {
        match self {
            Self::MissingKey => "send an API key in the header `Authorization: Bearer <API_KEY>`",
            Self::MalformedAuthorization => {
                "send exactly one header `Authorization: Bearer <API_KEY>` with a complete key"
            }
            Self::CredentialInQuery => {
                "a credential in the address may end up in logs; replace this key and send the \
                 new one in the header `Authorization: Bearer <API_KEY>`"
            }
            Self::UnknownKey => "this key is unknown; check that it was copied completely",
            Self::RefusedKey(KeyRefusal::WrongEnvironment) => {
                "this key is for the other environment; test keys and live keys do not mix"
            }
            Self::RefusedKey(KeyRefusal::Revoked) => "this key was revoked; use another key",
            Self::RefusedKey(KeyRefusal::Expired) => "this key has expired; use a newer key",
            Self::RefusedKey(KeyRefusal::Disabled) => {
                "this key or its subscription is not active; have it enabled or use another key"
            }
            Self::UnknownPath => "there is no such path; GET /v1 lists the endpoints",
            Self::MethodNotAllowed => "the catalogue is read-only; use GET or HEAD",
            Self::RequestTimeout => {
                "the request was not complete within 10 seconds; send it again, faster"
            }
            Self::BodyNotAllowed => "a request may not have a body; put parameters in the query",
            Self::UriTooLong => "the address is longer than 8192 bytes; use fewer parameters",
            Self::HeadersTooLarge => {
                "the request has over 64 header fields or over 16384 bytes of them; send fewer"
            }
            Self::Unavailable(_) => {
                "the request cannot be checked at the moment; retry after Retry-After seconds"
            }
            _ => "an unexpected failure; retry later and report the requestId if it persists",
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
            Self::Unavailable(_) => facts.retry_after_seconds = Some(UNAVAILABLE_RETRY_SECONDS),
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

    /// Logs what the client is not told.
    pub(crate) fn log(&self, request_id: RequestId) {
        match self {
            Self::Internal(cause) => {
                tracing::error!(request.id = %request_id, "request failed: {}", chain(&**cause));
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

impl From<QuotaError> for ApiError {
    fn from(error: QuotaError) -> Self {
        match error {
            QuotaError::Exceeded(usage) => Self::QuotaExceeded(usage),
            unavailable @ QuotaError::Unavailable(_) => Self::Unavailable(unavailable.into()),
        }
    }
}

fn validation_message(issues: &[ParamIssue]) -> String {
    match issues {
        [issue] => format!("{}: {}", issue.field, issue.message),
        several => format!(
            "{} parameters are wrong; details.issues says how",
            several.len()
        ),
    }
}

fn missing_scopes_message(scopes: &[Scope]) -> String {
    let names: Vec<&str> = scopes.iter().map(|scope| scope.as_str()).collect();
    let noun = if names.len() == 1 {
        "permission"
    } else {
        "permissions"
    };
    format!(
        "this key lacks the {noun} {}; use a key that was issued with it",
        names.join(" and ")
    )
}

#[derive(Serialize)]
struct ErrorEnvelope<'a> {
    error: ErrorObject<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ErrorObject<'a> {
    code: &'static str,
    message: String,
    request_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<Details<'a>>,
}

#[derive(Serialize)]
struct Details<'a> {
    field: &'a str,
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
