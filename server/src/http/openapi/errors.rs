//! Every refusal, as an example of what a client receives: made by the code that refuses, so that
//! status, code and message are the real ones.

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use shared::keys::key::KeyRefusal;
use shared::keys::scope::Scope;

use super::objects::Example;
use crate::http::error::ApiError;
use crate::limits::Usage;
use crate::params::{BOATS, ListQuery, QueryString};
use crate::request_id::RequestId;

/// A refusal of every code.
pub(crate) fn all() -> Vec<ApiError> {
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

/// Every value of `error.code`, in the order of the statuses.
pub(crate) fn codes() -> Vec<&'static str> {
    all().iter().map(ApiError::code).collect()
}

/// An error as a line of a table.
pub(crate) struct ErrorLine {
    pub(crate) status: u16,
    pub(crate) code: &'static str,
    pub(crate) condition: &'static str,
}

/// Every error with its condition, in the order of the statuses.
pub(crate) fn lines() -> Vec<ErrorLine> {
    let line = |error: &ApiError| ErrorLine {
        status: error.status().as_u16(),
        code: error.code(),
        condition: condition(error),
    };
    all().iter().map(line).collect()
}

/// When a client receives which value of `error.code`.
pub(crate) fn conditions() -> BTreeMap<&'static str, String> {
    let mut by_code = BTreeMap::<&str, String>::new();
    for error in all().iter().chain([&ApiError::UnknownPath]) {
        let conditions = by_code.entry(error.code()).or_default();
        if !conditions.is_empty() {
            conditions.push(' ');
        }
        conditions.push_str(condition(error));
    }
    by_code
}

/// When a client receives the error, and what to do then.
pub(super) fn condition(error: &ApiError) -> &'static str {
    match error {
        ApiError::Validation(_) => {
            "A parameter is unknown, repeated, empty, malformed, out of range or in conflict with \
             another; or the head is malformed, which is said of the field `request` or `address`. \
             Do not retry unchanged."
        }
        ApiError::MissingKey => "There is no `Authorization` header.",
        ApiError::MalformedAuthorization => {
            "There is not exactly one `Authorization: Bearer` header with a complete key."
        }
        ApiError::CredentialInQuery => {
            "There is a credential in the address, whatever the header says. Replace that key."
        }
        ApiError::UnknownKey => "Nobody was given this key.",
        ApiError::RefusedKey(KeyRefusal::WrongEnvironment) => {
            "The key is for the other environment, test or live."
        }
        ApiError::RefusedKey(KeyRefusal::Revoked) => "The key was revoked, which is final.",
        ApiError::RefusedKey(KeyRefusal::Expired) => {
            "The key has expired, or the time after its rotation is over."
        }
        ApiError::RefusedKey(KeyRefusal::Disabled) => {
            "The key or its subscription is not active at the moment."
        }
        ApiError::MissingScopes(_) => {
            "The key lacks a scope, which the message names. Retrying does not help."
        }
        ApiError::NoRecord(_) => "There is no published record with that id or slug.",
        ApiError::UnknownPath => "There is no such path.",
        ApiError::MethodNotAllowed => "The method is neither `GET` nor `HEAD`.",
        ApiError::RateLimited(_) => {
            "The key has made all the requests that it may in 60 seconds. Wait `Retry-After`; add \
             jitter where several workers share the key."
        }
        ApiError::QuotaExceeded(_) => {
            "The subscription's requests of the month are used up. They renew by themselves at \
             `X-Quota-Reset`; retrying before does not help."
        }
        ApiError::RequestTimeout => "The request did not arrive in time.",
        ApiError::BodyNotAllowed => "The request has a body.",
        ApiError::UriTooLong => "The address is too long.",
        ApiError::HeadersTooLarge => "The header fields are too many or too long.",
        ApiError::Internal(_) | ApiError::Panicked => {
            "An unexpected failure. Retry with backoff; report the `requestId` if it persists."
        }
        ApiError::TooManyConnections | ApiError::Overloaded(_) | ApiError::Unavailable(_) => {
            "Something that the answer depends on cannot be asked, such as the keys or the store of \
             a limit; or there are too many connections, too many lists wait, or one takes too \
             long. Nothing is served on a guess; retry after `Retry-After`."
        }
    }
}

/// What a client receives.
pub(super) fn example(error: &ApiError) -> Example {
    let body = String::from_utf8(error.body(RequestId::EXAMPLE));
    let value = body.ok().and_then(|body| RawValue::from_string(body).ok());
    Example {
        summary: condition(error),
        value: value.unwrap_or_else(|| unreachable!("an error's body is not JSON")),
    }
}
