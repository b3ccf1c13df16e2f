//! The responses of an operation: which statuses it can have, with which headers, and what each of
//! the errors says.
//!
//! Every error is described once, in the components, and operations refer to it. Its examples come
//! from the code that refuses requests, so status, code and message are the real ones.

use salvo::http::StatusCode;
use serde_json::value::RawValue;
use shared::keys::key::KeyRefusal;
use shared::keys::scope::Scope;

use super::document::{ErrorExample, Media, Reference, Response};
use super::in_order::{InOrder, raw};
use super::parameters::{is_conditional, is_whole};
use crate::api_tables::routes::{
    CatalogueOperation, Operation, PathPattern, ROUTES, Route, ServiceOperation,
};
use crate::base::request_id::RequestId;
use crate::http::error::ApiError;
use crate::http::headers::Group;
use crate::limits::Usage;
use crate::params::{BOATS, ListQuery, QueryString};

use CatalogueOperation::{GetPage, ListChanges, ListManufacturerBoats};

/// Whether a route can have an error.
type CanHave = fn(&Route) -> bool;

/// The statuses of errors, and which routes can have them.
const ERRORS: [(u16, CanHave); 13] = [
    (400, |_any| true),
    (401, |_any| true),
    (403, |it| matches!(it.operation, Operation::Catalogue(..))),
    (404, |it| matches!(it.path, PathPattern::OfRecord(..))),
    (408, |_any| true),
    (410, |it| {
        matches!(it.operation, Operation::Catalogue(ListChanges, _))
    }),
    (413, |_any| true),
    (414, |_any| true),
    (416, |it| is_whole(it.operation)),
    (429, |it| !matches!(it.operation, Operation::Service(_))),
    (431, |_any| true),
    (500, |_any| true),
    (503, |_any| true),
];

/// The headers that the document describes, by the group that they are sent with.
pub(super) const HEADERS: [(Group, &[&str]); 12] = [
    (Group::RequestId, &["X-Request-Id"]),
    (
        Group::RateLimit,
        &[
            "X-RateLimit-Limit",
            "X-RateLimit-Remaining",
            "X-RateLimit-Reset",
        ],
    ),
    (
        Group::Quota,
        &["X-Quota-Limit", "X-Quota-Remaining", "X-Quota-Reset"],
    ),
    (Group::RateLimitDraft, &["RateLimit-Policy", "RateLimit"]),
    (Group::Coding, &["Content-Encoding"]),
    (Group::Caching, &["ETag", CACHE_CONTROL, "Vary"]),
    (Group::Freshness, &["X-Cache", "Age"]),
    (Group::Link, &["Link"]),
    (Group::Release, &["X-Release"]),
    (Group::Ranges, &["Accept-Ranges", CONTENT_RANGE]),
    (Group::RetryAfter, &["Retry-After"]),
    (Group::WwwAuthenticate, &["WWW-Authenticate"]),
];
const CACHE_CONTROL: &str = "Cache-Control";
const CONTENT_RANGE: &str = "Content-Range";

/// Adds what the tables say to the responses of an operation, which begin with its 200.
pub(super) fn complete(responses: &mut InOrder<Response>, route: &Route) {
    let operation = route.operation;
    let (1, Some((_, ok))) = (responses.len(), responses.first_mut()) else {
        unreachable!(
            "openapi/document.json has not one response of {}",
            route.path
        )
    };
    ok.headers = headers(operation, 200);
    if is_whole(operation) {
        let part = part_of(ok, operation);
        responses.insert("206".to_owned(), part);
    }
    if is_conditional(operation) {
        responses.insert("304".to_owned(), not_modified(operation));
    }
    for status in errors_of(route) {
        let reference = Response {
            reference: Some(place("responses", &name_of(operation, status))),
            ..Response::default()
        };
        responses.insert(status.to_string(), reference);
    }
}

/// The errors of all operations, by name.
pub(super) fn of_errors() -> InOrder<Response> {
    let mut named = InOrder::default();
    for route in &ROUTES {
        for status in errors_of(route) {
            let name = name_of(route.operation, status);
            let error = || error(route.operation, status);
            named.entry(name).or_insert_with(error);
        }
    }
    named
}

/// What a client receives with each code.
pub(super) fn examples() -> InOrder<ErrorExample> {
    let errors = refusals().into_iter();
    let example = |error: ApiError| {
        (
            error.code().to_owned(),
            ErrorExample {
                value: body(&error),
            },
        )
    };
    errors.map(example).collect()
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
        ApiError::MissingScopes(vec![Scope::BoatsRead], "and"),
        ApiError::NoRecord("boat"),
        ApiError::NoSuchRange(1234),
        ApiError::RequestTimeout,
        ApiError::ReleaseGone(None),
        ApiError::BodyNotAllowed,
        ApiError::UriTooLong,
        ApiError::RateLimited(usage(120, 12)),
        ApiError::QuotaExceeded(usage(100_000, 86_400)),
        ApiError::HeadersTooLarge,
        ApiError::Panicked,
        ApiError::Unavailable("an example".into()),
    ]
}

fn errors_of(route: &Route) -> impl Iterator<Item = u16> {
    let possible = ERRORS.iter().filter(move |(_, can_have)| can_have(route));
    possible.map(|(status, _)| *status)
}

/// Whether this status can only mean a credential in the query, since the operation needs no key.
const fn is_without_key(operation: Operation, status: u16) -> bool {
    matches!((operation, status), (Operation::Service(_), 401))
}

/// The name of an error among the components.
fn name_of(operation: Operation, status: u16) -> String {
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

/// The response to a request for a range.
fn part_of(whole: &Response, operation: Operation) -> Response {
    let media = whole.content.iter().flatten();
    let media = media.map(|(name, media)| {
        let media = Media {
            schema: media.schema.clone(),
            examples: InOrder::default(),
        };
        (name.clone(), media)
    });
    Response {
        description:
            "The range that was asked for, of the uncompressed file. Charged to the quota \
                      where it begins at 0, else not: it is the rest of something paid."
                .to_owned(),
        headers: headers(operation, 206),
        content: Some(media.collect()),
        ..Response::default()
    }
}

fn not_modified(operation: Operation) -> Response {
    let description = match operation {
        Operation::Catalogue(..) => {
            "The client has the current body already. Not charged to the quota."
        }
        Operation::Service(_) | Operation::DescribeKey => {
            "The client has the current body already."
        }
    };
    Response {
        description: description.to_owned(),
        headers: headers(operation, 304),
        ..Response::default()
    }
}

fn error(operation: Operation, status: u16) -> Response {
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
    let codes = errors.iter().map(ApiError::code);
    let media = Media {
        schema: raw(&reference("schemas", "ErrorEnvelope")),
        examples: codes
            .map(|code| (code.to_owned(), raw(&reference("examples", code))))
            .collect(),
    };
    Response {
        description: format!("{}\n\n{}", reason(status), lines.join("\n")),
        headers: headers(operation, status),
        content: Some(InOrder::from([("application/json".to_owned(), media)])),
        ..Response::default()
    }
}

/// The headers that an operation sends with a status.
fn headers(operation: Operation, status: u16) -> InOrder<Reference> {
    let groups = HEADERS.iter().filter(|(group, _)| group.is_on(status));
    let all = groups.flat_map(|(group, names)| names.iter().map(|name| (*group, *name)));
    // Of a whole file there is no range, and of a part no coding.
    let other = match status {
        200 => CONTENT_RANGE,
        206 => "Content-Encoding",
        _ => "",
    };
    let all = all.filter(|(_, name)| *name != other);
    let shown = all.filter(|(group, name)| 400 <= status || knows(operation, *group, name));
    shown
        .map(|(_, name)| (name.to_owned(), reference("headers", name)))
        .collect()
}

/// Whether an operation that succeeds knows the header's value.
fn knows(operation: Operation, group: Group, name: &str) -> bool {
    match operation {
        Operation::Catalogue(operation, _) => match group {
            Group::Link => matches!(operation, GetPage(_) | ListManufacturerBoats | ListChanges),
            Group::Ranges => matches!(operation, CatalogueOperation::GetWhole(..)),
            Group::Release => operation.names_release(),
            _ => true,
        },
        Operation::Service(ServiceOperation::DescribeVersion) if group == Group::Release => true,
        Operation::DescribeKey => {
            let is_shown = matches!(
                group,
                Group::RequestId | Group::RateLimit | Group::Quota | Group::RateLimitDraft
            );
            is_shown || name == CACHE_CONTROL
        }
        Operation::Service(ServiceOperation::DescribeApi) => {
            matches!(group, Group::RequestId | Group::Coding | Group::Caching)
        }
        Operation::Service(_) => group == Group::RequestId || name == CACHE_CONTROL,
    }
}

fn reference(kind: &str, name: &str) -> Reference {
    Reference {
        to: place(kind, name),
    }
}

fn place(kind: &str, name: &str) -> String {
    format!("#/components/{kind}/{name}")
}
