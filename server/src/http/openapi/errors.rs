//! Every refusal, as an example of what a client receives: made by the code that refuses, so that
//! status, code and message are the real ones.

use serde_json::value::RawValue;
use shared::keys::key::KeyRefusal;
use shared::keys::scope::Scope;

use super::objects::Example;
use crate::base::request_id::RequestId;
use crate::http::error::ApiError;
use crate::limits::Usage;
use crate::params::{BOATS, ListQuery, QueryString};

/// A refusal of every code.
pub(super) fn all() -> Vec<ApiError> {
    let usage = |limit, seconds| Usage {
        limit,
        remaining: 0,
        reset_unix_seconds: 0,
        retry_after_seconds: seconds,
    };
    vec![
        validation(),
        ApiError::MissingKey,
        ApiError::MalformedAuthorization,
        ApiError::CredentialInQuery,
        ApiError::UnknownKey,
        ApiError::RefusedKey(KeyRefusal::WrongEnvironment),
        ApiError::RefusedKey(KeyRefusal::Revoked),
        ApiError::RefusedKey(KeyRefusal::Expired),
        ApiError::RefusedKey(KeyRefusal::Disabled),
        ApiError::MissingScopes(vec![Scope::BoatsRead]),
        ApiError::NoRecord("boat"),
        ApiError::MethodNotAllowed,
        ApiError::RequestTimeout,
        ApiError::BodyNotAllowed,
        ApiError::UriTooLong,
        ApiError::RateLimited(usage(120, 12)),
        ApiError::QuotaExceeded(usage(100_000, 86_400)),
        ApiError::HeadersTooLarge,
        ApiError::Panicked,
        ApiError::Unavailable("an example".into()),
    ]
}

fn validation() -> ApiError {
    let query = QueryString::parse(Some("sort=size&colour=red"));
    let issues = ListQuery::parse(&query, &BOATS).err();
    ApiError::Validation(issues.unwrap_or_default())
}

/// The example of an error that has details.
pub(super) fn of_validation() -> Example {
    example(&validation())
}

/// What a client receives.
pub(super) fn example(error: &ApiError) -> Example {
    let body = String::from_utf8(error.body(RequestId::EXAMPLE));
    let value = body.ok().and_then(|body| RawValue::from_string(body).ok());
    Example {
        summary: error.kind().when,
        value: value.unwrap_or_else(|| unreachable!("an error's body is not JSON")),
    }
}
