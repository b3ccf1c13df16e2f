//! The responses of an operation: which statuses it can have, and what each of them says.
//!
//! Every error is described once, in the components, and operations refer to it. Its examples come
//! from the code that refuses requests, so status, code and message are the real ones.

use salvo::http::StatusCode;
use schemars::SchemaGenerator;
use serde_json::value::RawValue;
use shared::keys::key::KeyRefusal;
use shared::keys::scope::Scope;

use super::headers;
use super::object::{Object, object, reference};
use super::operations::{self, Operation};
use crate::base::request_id::RequestId;
use crate::contract::routes::{self, Template};
use crate::http::bodies::ErrorEnvelope;
use crate::http::error::ApiError;
use crate::limits::Usage;
use crate::params::{BOATS, ListQuery, QueryString};

/// Errors of any request, whatever it asks for.
const OF_ALL: [u16; 8] = [400, 401, 408, 413, 414, 431, 500, 503];
/// Errors that only a request with a key can have.
const OF_KEYS: [u16; 2] = [403, 429];
/// The error of a lookup.
const OF_RECORDS: u16 = 404;

/// Every response of an operation, by its status.
pub(super) fn of(operation: &Operation, generator: &mut SchemaGenerator) -> Object {
    let mut responses = object! { "200": ok(operation, generator) };
    if operation.is_conditional() {
        responses = responses.with("304", not_modified(operation));
    }
    errors_of(operation)
        .into_iter()
        .fold(responses, |all, status| {
            let name = name_of(operation.route.operation, status);
            all.with(status.to_string(), reference("responses", &name))
        })
}

/// The statuses of an operation other than 200.
pub(crate) fn other_statuses(operation: &Operation) -> Vec<String> {
    let conditional = operation.is_conditional().then_some(304);
    let all = conditional.into_iter().chain(errors_of(operation));
    all.map(|status| status.to_string()).collect()
}

/// The errors of all operations, by name.
pub(super) fn errors(generator: &mut SchemaGenerator) -> Object {
    let mut named = Vec::new();
    for operation in operations::all() {
        for status in errors_of(&operation) {
            let operation = operation.route.operation;
            let name = name_of(operation, status);
            if !named.iter().any(|(other, _)| *other == name) {
                named.push((name, error(operation, status, generator)));
            }
        }
    }
    Object::of(named)
}

/// What a client receives with each code.
pub(super) fn examples() -> Object {
    let errors = refusals();
    let examples = errors.iter();
    Object::of(examples.map(|error| (error.code(), object! { "value": body(error) })))
}

/// The body of an error.
pub(super) fn body(error: &ApiError) -> Box<RawValue> {
    let body = String::from_utf8(error.body(RequestId::EXAMPLE).into());
    let value = body.ok().and_then(|body| RawValue::from_string(body).ok());
    value.unwrap_or_else(|| unreachable!("an error's body is not JSON"))
}

/// An error that has details.
pub(super) fn validation() -> ApiError {
    let query = QueryString::parse(Some("sort=size&colour=red"));
    let issues = ListQuery::parse(&query, &BOATS).err();
    ApiError::Validation(issues.unwrap_or_default())
}

/// An error of every code that an operation can have.
fn refusals() -> Vec<ApiError> {
    // 2026-11-01T00:00:00Z
    let reset_unix_seconds = 1_793_491_200;
    let usage = |limit, seconds| Usage {
        limit,
        remaining: 0,
        reset_unix_seconds,
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

fn errors_of(operation: &Operation) -> Vec<u16> {
    let mut statuses = OF_ALL.to_vec();
    if matches!(operation.route.operation, routes::Operation::Catalogue(..)) {
        statuses.extend(OF_KEYS);
    }
    if matches!(operation.route.path, Template::OfRecord(..)) {
        statuses.push(OF_RECORDS);
    }
    statuses.sort_unstable();
    statuses
}

/// Whether this status can only mean a credential in the query, since the operation needs no key.
const fn is_without_key(operation: routes::Operation, status: u16) -> bool {
    matches!((operation, status), (routes::Operation::Service(_), 401))
}

/// The name of an error among the components.
fn name_of(operation: routes::Operation, status: u16) -> String {
    if is_without_key(operation, status) {
        return "CredentialInQuery".to_owned();
    }
    reason(status).replace(' ', "")
}

/// The name of a status.
fn reason(status: u16) -> &'static str {
    let status = StatusCode::from_u16(status).ok();
    status
        .and_then(|status| status.canonical_reason())
        .unwrap_or_default()
}

fn ok(operation: &Operation, generator: &mut SchemaGenerator) -> Object {
    let answer = &operation.about.answer;
    let mut content = object! { "schema": (answer.schema)(generator) };
    if let Some(body) = answer.example {
        let value: &RawValue = serde_json::from_str(body)
            .unwrap_or_else(|why| unreachable!("an example is not JSON: {why}"));
        let example = object! { "summary": answer.description, "value": value };
        content = content.with("examples", object! { "example": example });
    }
    let response = object! {
        "description": answer.description,
        "headers": headers::shown(operation.route.operation, 200),
        "content": object! { "application/json": content },
    };
    let Some(link) = &answer.link else {
        return response;
    };
    let to = object! {
        "operationId": link.operation,
        "parameters": Object::of([(link.parameter, link.from)]),
        "description": link.description,
    };
    response.with("links", Object::of([(link.name, to)]))
}

fn not_modified(operation: &Operation) -> Object {
    let operation = operation.route.operation;
    let description = match operation {
        routes::Operation::Catalogue(..) => {
            "The client has the current body already. Not charged to the quota."
        }
        routes::Operation::Service(_) => "The client has the current body already.",
    };
    object! { "description": description, "headers": headers::shown(operation, 304) }
}

fn error(operation: routes::Operation, status: u16, generator: &mut SchemaGenerator) -> Object {
    let mut errors = refusals();
    let is_without_key = is_without_key(operation, status);
    errors.retain(|error| {
        let is_possible = !is_without_key || matches!(error, ApiError::CredentialInQuery);
        is_possible && error.status().as_u16() == status
    });
    let lines = errors
        .iter()
        .map(|error| format!("- `{}`: {}", error.code(), error.kind().when));
    let lines: Vec<String> = lines.collect();
    let examples = errors.iter().map(ApiError::code);
    let examples = examples.map(|code| (code, reference("examples", code)));
    let content = object! {
        "schema": generator.subschema_for::<ErrorEnvelope<'static>>(),
        "examples": Object::of(examples),
    };
    object! {
        "description": format!("{}\n\n{}", reason(status), lines.join("\n")),
        "headers": headers::shown(operation, status),
        "content": object! { "application/json": content },
    }
}
