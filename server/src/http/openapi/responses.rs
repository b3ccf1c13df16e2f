//! The answers of an operation: which statuses it can have, and what each of them says.

use salvo::http::StatusCode;
use schemars::{Schema, SchemaGenerator};
use serde_json::value::RawValue;

use super::objects::{Example, MediaType, Members, OrReference, Response};
use super::operations::Answer;
use super::{errors, headers};
use crate::contract::routes::{Operation, Route, ServiceOperation, Template};
use crate::http::error::{ApiError, ErrorEnvelope};

/// Errors of any request, whatever it asks for.
const OF_ALL: [u16; 8] = [400, 401, 408, 413, 414, 431, 500, 503];
/// Errors that only a request with a key can have.
const OF_KEYS: [u16; 2] = [403, 429];
/// The error of a look-up.
const OF_RECORDS: u16 = 404;

/// Every answer of the operation of a route.
pub(super) fn of(
    route: &Route,
    answer: Answer,
    generator: &mut SchemaGenerator,
) -> Members<OrReference<Response>> {
    let operation = route.operation;
    let mut responses = vec![("200".to_owned(), ok(operation, answer, generator))];
    if is_conditional(operation) {
        responses.push(("304".to_owned(), not_modified(operation)));
    }
    let here = responses
        .into_iter()
        .map(|(status, response)| (status, OrReference::Here(response)));
    let errors = errors_of(route).into_iter().map(|status| {
        let name = name_of(operation, status);
        let reference = format!("#/components/responses/{name}");
        (status.to_string(), OrReference::There { reference })
    });
    Members::of(here.chain(errors))
}

/// The errors of all operations of these routes, by name.
pub(super) fn components(routes: &[Route], generator: &mut SchemaGenerator) -> Members<Response> {
    let mut named = Vec::new();
    for route in routes {
        for status in errors_of(route) {
            let name = name_of(route.operation, status);
            if !named.iter().any(|(other, _)| *other == name) {
                named.push((name, error(route.operation, status, generator)));
            }
        }
    }
    Members::of(named)
}

fn errors_of(route: &Route) -> Vec<u16> {
    let mut statuses = OF_ALL.to_vec();
    if matches!(route.operation, Operation::Catalogue(..)) {
        statuses.extend(OF_KEYS);
    }
    if matches!(route.path, Template::OfRecord(..)) {
        statuses.push(OF_RECORDS);
    }
    statuses.sort_unstable();
    statuses
}

const fn is_conditional(operation: Operation) -> bool {
    matches!(
        operation,
        Operation::Catalogue(..) | Operation::Service(ServiceOperation::DescribeApi)
    )
}

/// The name of an error among the components. Without a key only the address can be wrong.
fn name_of(operation: Operation, status: u16) -> String {
    match (operation, status) {
        (Operation::Service(_), 401) => "CredentialInQuery".to_owned(),
        _ => reason(status).replace(' ', ""),
    }
}

/// The name of a status.
fn reason(status: u16) -> &'static str {
    let status = StatusCode::from_u16(status).ok();
    status
        .and_then(|status| status.canonical_reason())
        .unwrap_or_default()
}

fn ok(operation: Operation, answer: Answer, generator: &mut SchemaGenerator) -> Response {
    let example = answer.example.map(|body| {
        let value = RawValue::from_string(body.to_owned());
        let value = value.unwrap_or_else(|why| unreachable!("an example is not JSON: {why}"));
        let summary = answer.description;
        ("example", Example { summary, value })
    });
    Response {
        description: answer.description.to_owned(),
        headers: headers::shown(operation, 200),
        content: Some(json((answer.schema)(generator), Members::of(example))),
        links: answer.links,
    }
}

fn not_modified(operation: Operation) -> Response {
    let description = match operation {
        Operation::Catalogue(..) => {
            "The client has the current body already. Not charged to the quota."
        }
        Operation::Service(_) => "The client has the current body already.",
    };
    Response {
        description: description.to_owned(),
        headers: headers::shown(operation, 304),
        content: None,
        links: Members::default(),
    }
}

fn error(operation: Operation, status: u16, generator: &mut SchemaGenerator) -> Response {
    let is_possible = |error: &ApiError| match (operation, status) {
        (Operation::Service(_), 401) => matches!(error, ApiError::CredentialInQuery),
        _ => error.status().as_u16() == status,
    };
    let errors: Vec<ApiError> = errors::all().into_iter().filter(is_possible).collect();
    let lines = errors
        .iter()
        .map(|error| format!("- `{}`: {}", error.code(), error.kind().when));
    let lines: Vec<String> = lines.collect();
    let examples = errors
        .iter()
        .map(|error| (error.code(), errors::example(error)));
    Response {
        description: format!("{}\n\n{}", reason(status), lines.join("\n")),
        headers: headers::shown(operation, status),
        content: Some(json(
            generator.subschema_for::<ErrorEnvelope<'static>>(),
            Members::of(examples),
        )),
        links: Members::default(),
    }
}

fn json(schema: Schema, examples: Members<Example>) -> Members<MediaType> {
    Members::of([("application/json", MediaType { schema, examples })])
}
