//! What a refusal says to a person: what is wrong, and what to do next.
//!
//! Nothing here shows a cause that only the log may show.

use shared::keys::key::KeyRefusal;
use shared::keys::scope::Scope;

use super::ApiError;
use crate::http::connection::HEAD_MAX;
use crate::http::limits::{HEAD_BYTES_MAX, HEADERS_MAX, URI_BYTES_MAX};
use crate::params::ParamIssue;

impl ApiError {
    /// What a person should read: what is wrong, and what to do next.
    pub(crate) fn message(&self) -> String {
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
            Self::RequestTimeout => format!(
                "the request was not complete within {} seconds; send it again, faster",
                HEAD_MAX.as_secs()
            ),
            Self::UriTooLong => {
                format!("the address is longer than {URI_BYTES_MAX} bytes; use fewer parameters")
            }
            Self::HeadersTooLarge => format!(
                "the request has over {HEADERS_MAX} header fields or over {HEAD_BYTES_MAX} bytes \
                 of them; send fewer"
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
            Self::BodyNotAllowed => "a request may not have a body; put parameters in the query",
            Self::TooManyConnections => {
                "there are too many connections; close some, and retry after Retry-After seconds"
            }
            Self::Overloaded(_) | Self::Unavailable(_) => {
                "the request cannot be answered at the moment; retry after Retry-After seconds"
            }
            _ => "an unexpected failure; retry later and report the requestId if it persists",
        }
    }
}

fn validation_message(issues: &[ParamIssue]) -> String {
    match issues {
        [issue] => format!("{}: {}", issue.field, issue.message),
        several => format!(
            "the request has {} problems; details.issues says how",
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
