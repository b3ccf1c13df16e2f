//! Why a request is refused, with the values that the response names. Status, code and sentence
//! are in the table of errors.
//!
//! What clients may see is kept apart from what only the log may show: `Internal`, `Overloaded` and
//! `Unavailable` carry a cause that is logged elsewhere, while the client gets a fixed sentence.

use std::error::Error;

use bytes::Bytes;
use salvo::http::StatusCode;
use shared::base::timestamp::Timestamp;
use shared::keys::key::KeyRefusal;
use shared::keys::scope::Scope;
use shared::release::ReleaseError;

use super::bodies::{self, ErrorDetails, ErrorEnvelope, ErrorObject};
use super::headers::ResponseMeta;
use super::whole_file::OfFile;
use crate::api_tables::errors::{self, ErrorKind};
use crate::api_tables::{HEAD_BYTES_MAX, HEADERS_MAX, URI_BYTES_MAX};
use crate::base::request_id::RequestId;
use crate::cache::CacheError;
use crate::catalogue::{BodyError, ListError, QueryError};
use crate::comparisons::ComparisonError;
use crate::keyring::VerifyError;
use crate::limits::{QuotaError, Usage};
use crate::params::ParamIssue;
use crate::wire::{BadHead, HEAD_MAX};

/// `Retry-After` of a 503, in seconds. It can be short, since the key store is polled several times
/// a second.
const UNAVAILABLE_RETRY_SECONDS: u64 = 2;

/// A cause that only the log shows.
pub(crate) type Cause = Box<dyn Error + Send + Sync>;

/// Why a request got neither a 200 nor a 304.
#[derive(Debug)]
pub(crate) enum ApiError {
    /// Parameters that violate the specification; never empty.
    Validation(Vec<ParamIssue>),
    /// No `Authorization` header.
    MissingKey,
    /// Anything but a single `Authorization: Bearer` header with a key of our form.
    MalformedAuthorization,
    /// A key that is not complete or has a typing error, which its checksum tells.
    MistypedKey,
    /// A credential in the query string.
    CredentialInQuery,
    /// A key that was never issued.
    UnknownKey,
    /// A key that is known but may not be used.
    RefusedKey(KeyRefusal),
    /// Scopes that the endpoint needs and the key lacks, never empty, and the word between them:
    /// `and`, or `or` where one would do.
    MissingScopes(Vec<Scope>, &'static str),
    /// No published record with that id or slug; holds the kind of record.
    NoRecord(&'static str),
    /// No such endpoint.
    UnknownPath,
    /// A method other than `GET` and `HEAD`.
    MethodNotAllowed,
    /// A release to compare with that is not kept; or that is there, and no server can open it.
    ReleaseGone(Option<Cause>),
    /// A range that a file of that many bytes does not have.
    NoSuchRange(u64),
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
    /// A panic. The panic hook has logged it with its location.
    Panicked,
    /// The limit of connections is reached, of all clients or of one address.
    TooManyConnections,
    /// The server has too much to do at the moment.
    Overloaded(Cause),
    /// Something that the response depends on is unavailable.
    Unavailable(Cause),
}

impl ApiError {
    pub(crate) fn internal(cause: impl Into<Cause>) -> Self {
        Self::Internal(cause.into())
    }

    /// The row of the error in the table of the contract.
    pub(crate) fn kind(&self) -> ErrorKind {
        match self {
            Self::Validation(_) => errors::VALIDATION,
            Self::MissingKey => errors::MISSING_KEY,
            Self::MalformedAuthorization => errors::MALFORMED_AUTHORIZATION,
            Self::MistypedKey => errors::MISTYPED_KEY,
            Self::CredentialInQuery => errors::CREDENTIAL_IN_QUERY,
            Self::UnknownKey => errors::UNKNOWN_KEY,
            Self::RefusedKey(KeyRefusal::WrongEnvironment) => errors::WRONG_ENVIRONMENT,
            Self::RefusedKey(KeyRefusal::Revoked) => errors::REVOKED_KEY,
            Self::RefusedKey(KeyRefusal::Expired) => errors::EXPIRED_KEY,
            Self::RefusedKey(KeyRefusal::Disabled) => errors::DISABLED_KEY,
            Self::MissingScopes(..) => errors::MISSING_SCOPES,
            Self::NoRecord(_) => errors::NO_RECORD,
            Self::UnknownPath => errors::UNKNOWN_PATH,
            Self::MethodNotAllowed => errors::METHOD_NOT_ALLOWED,
            Self::ReleaseGone(_) => errors::RELEASE_GONE,
            Self::NoSuchRange(_) => errors::NO_SUCH_RANGE,
            Self::RateLimited(_) => errors::RATE_LIMITED,
            Self::QuotaExceeded(_) => errors::QUOTA_EXCEEDED,
            Self::RequestTimeout => errors::REQUEST_TIMEOUT,
            Self::BodyNotAllowed => errors::BODY_NOT_ALLOWED,
            Self::UriTooLong => errors::URI_TOO_LONG,
            Self::HeadersTooLarge => errors::HEADERS_TOO_LARGE,
            Self::Internal(_) | Self::Panicked => errors::INTERNAL,
            Self::TooManyConnections => errors::TOO_MANY_CONNECTIONS,
            Self::Overloaded(_) | Self::Unavailable(_) => errors::UNAVAILABLE,
        }
    }

    pub(crate) fn status(&self) -> StatusCode {
        let status = StatusCode::from_u16(self.kind().status);
        status.unwrap_or_else(|why| unreachable!("a status of the table is none: {why}"))
    }

    /// The machine-readable name, which is part of the contract.
    pub(crate) fn code(&self) -> &'static str {
        self.kind().code
    }

    /// The message for people: what is wrong, and what to do next. It shows no cause that only the
    /// log may show.
    pub(crate) fn message(&self) -> String {
        let kind = self.kind();
        match self {
            Self::Validation(issues) => kind.message(&[("problems", &problems(issues))]),
            Self::MissingScopes(scopes, word) => {
                kind.message(&[("scopes", &scope_names(scopes, word))])
            }
            Self::NoRecord(record) => kind.message(&[("kind", record)]),
            Self::NoSuchRange(bytes) => kind.message(&[("bytes", bytes)]),
            Self::RateLimited(usage) => kind.message(&[
                ("limit", &usage.limit),
                ("seconds", &usage.retry_after_seconds),
            ]),
            Self::QuotaExceeded(usage) => {
                let renewal = Timestamp::from_unix_seconds(usage.reset_unix_seconds);
                kind.message(&[("limit", &usage.limit), ("day", &renewal.utc_day())])
            }
            Self::RequestTimeout => kind.message(&[("seconds", &HEAD_MAX.as_secs())]),
            Self::UriTooLong => kind.message(&[("bytes", &URI_BYTES_MAX)]),
            Self::HeadersTooLarge => {
                kind.message(&[("fields", &HEADERS_MAX), ("bytes", &HEAD_BYTES_MAX)])
            }
            _ => kind.message(&[]),
        }
    }

    /// Adds what the error itself knows for the headers.
    pub(crate) fn fill(&self, meta: &mut ResponseMeta) {
        match self {
            Self::NoSuchRange(bytes) => {
                meta.of_file = Some(OfFile::NoPart { bytes: *bytes });
            }
            Self::RateLimited(usage) => {
                meta.rate = Some(*usage);
                meta.retry_after_seconds = Some(usage.retry_after_seconds);
            }
            Self::QuotaExceeded(usage) => {
                meta.quota = Some(*usage);
                meta.retry_after_seconds = Some(usage.retry_after_seconds);
            }
            Self::TooManyConnections | Self::Overloaded(_) | Self::Unavailable(_) => {
                meta.retry_after_seconds = Some(UNAVAILABLE_RETRY_SECONDS);
            }
            _ => {}
        }
    }

    /// The envelope of section 7.
    pub(crate) fn body(&self, request_id: RequestId) -> Bytes {
        let details = match self {
            Self::Validation(issues) => Some(ErrorDetails::of(issues)),
            _ => None,
        };
        let error = ErrorObject {
            code: self.code(),
            message: self.message(),
            request_id: request_id.to_string(),
            details,
        };
        bodies::written(&ErrorEnvelope { error })
    }
}

/// The error for a head that never reaches the HTTP library. It quotes nothing of the head, which
/// may hold a key.
impl From<BadHead> for ApiError {
    fn from(bad: BadHead) -> Self {
        match bad {
            BadHead::Address => malformed(
                "address",
                "characters that an address may not contain must be percent-encoded",
            ),
            BadHead::AddressTooLong => Self::UriTooLong,
            BadHead::TooLarge => Self::HeadersTooLarge,
            BadHead::Body => Self::BodyNotAllowed,
            other => malformed("request", other.message()),
        }
    }
}

/// An issue of the head or the address, which are not parameters; `field` names which.
fn malformed(field: &str, message: &str) -> ApiError {
    ApiError::Validation(vec![ParamIssue {
        field: field.to_owned(),
        message: message.to_owned(),
    }])
}

impl From<VerifyError> for ApiError {
    fn from(error: VerifyError) -> Self {
        match error {
            VerifyError::Unknown => Self::UnknownKey,
            VerifyError::Refused(refusal, _caller) => Self::RefusedKey(refusal),
            not_current @ VerifyError::NotCurrent => Self::Unavailable(not_current.into()),
        }
    }
}

impl From<CacheError<ListError>> for ApiError {
    fn from(error: CacheError<ListError>) -> Self {
        match error {
            CacheError::WaitedTooLong { .. }
            | CacheError::Failed(ListError::Query(QueryError::Queue(_))) => {
                Self::Overloaded(error.into())
            }
            CacheError::Failed(failed) => Self::internal(failed),
        }
    }
}

impl From<CacheError<ComparisonError>> for ApiError {
    fn from(error: CacheError<ComparisonError>) -> Self {
        match error {
            CacheError::Failed(ComparisonError::Gone(ReleaseError::Unknown { .. })) => {
                Self::ReleaseGone(None)
            }
            CacheError::Failed(ComparisonError::Gone(_)) => Self::ReleaseGone(Some(error.into())),
            CacheError::Failed(ComparisonError::Read(ReleaseError::S3 { .. })) => {
                Self::Unavailable(error.into())
            }
            CacheError::Failed(failed @ ComparisonError::Read(_)) => Self::internal(failed),
            CacheError::WaitedTooLong { .. } | CacheError::Failed(ComparisonError::Queue(_)) => {
                Self::Overloaded(error.into())
            }
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

/// The message for all issues, or for the only one.
fn problems(issues: &[ParamIssue]) -> String {
    match issues {
        [issue] => format!("{}: {}", issue.field, issue.message),
        several => format!(
            "the request has {} problems; details.issues says how",
            several.len()
        ),
    }
}

fn scope_names(scopes: &[Scope], word: &str) -> String {
    let names: Vec<&str> = scopes.iter().map(|scope| scope.as_str()).collect();
    let is_one = names.len() == 1 || word == "or";
    let noun = if is_one { "scope" } else { "scopes" };
    format!("{noun} {}", names.join(&format!(" {word} ")))
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
            CacheError::Failed(ListError::Query(QueryError::Queue(why))).into(),
            CacheError::<ListError>::WaitedTooLong { waiting }.into(),
            BodyError::Queue(why).into(),
        ] {
            let error: ApiError = error;
            assert_eq!(error.code(), "SERVICE_UNAVAILABLE", "{error:?}");
        }
    }
}
