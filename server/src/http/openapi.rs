//! The OpenAPI document: the contract for programs, made from the types, the route table, the table
//! of errors and the limits that the service itself uses. `/llms.txt` and the page of the
//! documentation are made from the same parts.
//!
//! It is made once and is the same for every server of this version. It decides nothing: no fact
//! may be defined only here, and tests compare the document with real responses.

mod fields;
mod form;
mod headers;
mod llms;
mod object;
mod operations;
mod parameters;
mod responses;
mod shapes;

use std::sync::LazyLock;

use bytes::Bytes;
use schemars::SchemaGenerator;
use serde::Serialize;
use serde_json::{Deserializer, Serializer};
use shared::base::etag::ETag;

pub(crate) use fields::Field;
pub(crate) use form::in_words;
pub(crate) use headers::meanings as header_meanings;
use object::{Object, object};
pub(crate) use operations::{Operation, TAGS as GROUPS, Tag as Group, all as operations};
pub(crate) use parameters::Parameter;
pub(crate) use responses::other_statuses;

use super::representation::TINY_BYTES;
use crate::contract::head::{HEAD_BYTES_MAX, HEADERS_MAX, URI_BYTES_MAX};
use crate::contract::routes;
use crate::params::{LIMIT_DEFAULT, LIMIT_MAX};

const TITLE: &str = "Boat catalogue";
const SUMMARY: &str = "A read-only API over boat models and their manufacturers";
/// The form of a key.
const KEY_FORM: &str = "boat_<live|test>_<38 letters and digits>";
const KEY_DESCRIPTION: &str = "An API key. It is a secret: never put it in an address. The scopes that an \
                               operation needs are listed with it; a key has `boats.read`, \
                               `manufacturers.read` or both.";

/// The document, ready to be sent.
pub(crate) struct Served {
    pub(crate) body: Bytes,
    pub(crate) etag: ETag,
}

/// The document, made at its first request.
pub(crate) fn served() -> &'static Served {
    static SERVED: LazyLock<Served> = LazyLock::new(|| {
        let body = Bytes::from(text());
        let etag = ETag::of(&body);
        Served { body, etag }
    });
    &SERVED
}

/// The document as text: JSON on many lines, with a final line end.
pub fn text() -> String {
    on_many_lines(&document())
}

/// The document as text for language models.
pub fn llms() -> String {
    llms::text()
}

/// The response to a client that sent unknown parameters.
pub(crate) fn example_of_an_error() -> String {
    on_many_lines(&responses::body(&responses::validation()))
}

/// The name of an operation in the document.
pub(crate) fn operation_id(operation: routes::Operation) -> &'static str {
    operations::about(operation).id
}

fn on_many_lines(object: &impl Serialize) -> String {
    let compact = serde_json::to_string(object);
    let compact = compact.unwrap_or_else(|why| unreachable!("texts did not serialise: {why}"));
    let mut lines = Vec::new();
    let (mut from, mut to) = (
        Deserializer::from_str(&compact),
        Serializer::pretty(&mut lines),
    );
    let copied = serde_transcode::transcode(&mut from, &mut to);
    copied.unwrap_or_else(|why| unreachable!("the document is not JSON: {why}"));
    lines.push(b'\n');
    String::from_utf8(lines).unwrap_or_else(|why| unreachable!("JSON is not text: {why}"))
}

fn document() -> Object {
    let mut generator = shapes::generator();
    let paths = operations().map(|operation| {
        let path = object! { "get": get(&operation, &mut generator) };
        (operation.route.path.to_string(), path)
    });
    let paths = Object::of(paths);
    let responses = responses::errors(&mut generator);
    object! {
        "openapi": "3.1.1",
        "info": object! {
            "title": TITLE,
            "summary": SUMMARY,
            "description": description(),
            "contact": object! { "name": "The operator of this server" },
            "license": object! {
                "name": env!("CARGO_PKG_LICENSE"),
                "identifier": env!("CARGO_PKG_LICENSE"),
            },
            "version": env!("CARGO_PKG_VERSION"),
        },
        "servers": [object! {
            "url": "/",
            "description": "The server that this document is from",
        }],
        "tags": operations::TAGS,
        "paths": paths,
        "components": object! {
            "schemas": shapes::definitions(&mut generator),
            "responses": responses,
            "examples": responses::examples(),
            "headers": headers::all(),
            "securitySchemes": object! {
                "apiKey": object! {
                    "type": "http",
                    "scheme": "bearer",
                    "bearerFormat": KEY_FORM,
                    "description": KEY_DESCRIPTION,
                },
            },
        },
    }
}

fn get(operation: &Operation, generator: &mut SchemaGenerator) -> Object {
    let about = operation.about;
    let scopes = operation.scopes();
    let security = (!scopes.is_empty()).then(|| object! { "apiKey": scopes });
    let mut get = object! {
        "operationId": about.id,
        "summary": about.summary,
        "description": about.description,
        "tags": [about.tag],
        "security": Vec::from_iter(security),
    };
    let parameters = operation.parameters();
    if !parameters.is_empty() {
        get = get.with("parameters", parameters);
    }
    get.with("responses", responses::of(operation, generator))
}

fn description() -> String {
    format!(
        "Every operation is a `GET`, every body is JSON.

- **Methods**: `HEAD` is answered, counted and charged like `GET`, without a body. Any other \
         method is a 405 with `Allow: GET, HEAD` and the code `METHOD_NOT_ALLOWED`. A path that is \
         not listed here is a 404 with the code `NOT_FOUND`; paths are compared as sent, so a \
         trailing slash makes another path.
- **Parameters**: unknown, repeated, empty, badly encoded and out-of-range parameters are a 400 \
         that lists every problem. Integers are digits, numbers are digits with at most one point; \
         neither has a sign or an exponent. `+` is a space.
- **Paging**: a page has {LIMIT_DEFAULT} rows unless `limit` says otherwise, and at most \
         {LIMIT_MAX}; `offset` is how many come before it. `Link` names the next, the previous, \
         the first and the last page, `pagination.total` counts all rows.
- **Limits**: `X-RateLimit-*` counts the requests of a key in any 60 seconds, `X-Quota-*` the \
         answers with status 200 of a subscription in its month. Other answers are not charged. \
         `X-RateLimit-Reset` is when the oldest of these requests is 60 seconds old, so that one \
         more can be made; `X-Quota-Reset` is when the whole quota renews. Both are Unix times in \
         seconds.
- **Requests**: the address has at most {URI_BYTES_MAX} bytes, the whole head {HEAD_BYTES_MAX}, in \
         at most {HEADERS_MAX} header fields. There are no request bodies.
- **Caching**: an answer with an `ETag` can be asked for again with `If-None-Match`, whatever its \
         coding.
- **Compression**: of the codings that `Accept-Encoding` names, `gzip`, `br` and `zstd` are \
         understood, with their weights. Answers with an `ETag` are sent in the most welcome one, \
         unless they have less than {TINY_BYTES} bytes; errors never are. Without the header, or \
         where nothing in it can be had, answers are not compressed.
- **Units**: `unit` says in which system the lengths, weights and areas of a boat are. Every key \
         is always present; what has no value is null or an empty list.
- **Other origins**: browsers let pages of other origins read answers where the operator of the \
         server has named those origins. Then every answer to them has \
         `Access-Control-Allow-Origin`, all headers can be read, `Vary` names `Origin`, and a \
         preflight is a 204 without a body. Credentials such as cookies are never allowed: send the \
         key in the header.
- **Versions**: fields may be added, and clients must ignore those that they do not know. No field \
         is taken away or changes its type within `/v1`."
    )
}
