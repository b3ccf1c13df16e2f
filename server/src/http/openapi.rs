//! The OpenAPI document: the contract for programs, made of the types, the route table and the
//! limits that the service itself uses.
//!
//! It is made once and is the same for every server of this version; `listing` reads it back for
//! its other form, `llms`. It decides nothing: a fact that only stands
//! here is a mistake, and tests compare the document with real answers.

mod errors;
mod headers;
mod listing;
mod llms;
mod objects;
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

use objects::{
    Components, Contact, Document, Info, License, Members, Operation, PathItem, SecurityScheme,
    Server,
};

use super::representation::TINY_BYTES;
use crate::contract::head::{HEAD_BYTES_MAX, HEADERS_MAX, URI_BYTES_MAX};
use crate::contract::routes::{self, ROUTES, Route};
use crate::params::{LIMIT_DEFAULT, LIMIT_MAX};

/// The name of the security scheme.
const API_KEY: &str = "apiKey";

/// The document as it is served.
pub(crate) struct Served {
    pub(crate) body: Bytes,
    pub(crate) etag: ETag,
}

/// The document as text: JSON on many lines, with a line end.
pub fn text() -> String {
    on_many_lines(&document())
}

/// The document as text for language models.
pub fn llms() -> String {
    llms::text(&document())
}

/// An operation as a line of a table.
pub(crate) struct OperationLine {
    pub(crate) path: String,
    pub(crate) summary: &'static str,
    /// None where no key is needed.
    pub(crate) scopes: Vec<&'static str>,
}

/// Every operation with its scopes.
pub(crate) fn operation_lines() -> Vec<OperationLine> {
    let document = document();
    let listed = listing::operations(&document).into_iter();
    let lines = listed.map(|listed| OperationLine {
        path: listed.path.to_owned(),
        summary: listed.operation.summary,
        scopes: listed.scopes,
    });
    lines.collect()
}

/// What a client receives that sent parameters which do not exist.
pub(crate) fn example_of_an_error() -> String {
    on_many_lines(&errors::of_validation().value)
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

/// The document, made when it is first asked for.
pub(crate) fn served() -> &'static Served {
    static SERVED: LazyLock<Served> = LazyLock::new(|| {
        let body = Bytes::from(text());
        let etag = ETag::of(&body);
        Served { body, etag }
    });
    &SERVED
}

/// The name of an operation in the document.
pub(crate) fn operation_id(operation: routes::Operation) -> &'static str {
    operations::facts(operation).id
}

fn document() -> Document {
    let mut generator = shapes::generator();
    let paths = ROUTES
        .iter()
        .map(|route| (route.path.to_string(), path(route, &mut generator)));
    let paths = Members::of(paths.collect::<Vec<_>>());
    let responses = responses::components(&ROUTES, &mut generator);
    Document {
        openapi: "3.1.1",
        info: info(),
        servers: [Server {
            url: "/",
            description: "The server that this document is from",
        }],
        tags: operations::TAGS.into(),
        paths,
        components: Components {
            schemas: shapes::definitions(&mut generator),
            responses,
            headers: headers::all(),
            security_schemes: Members::of([(API_KEY, security_scheme())]),
        },
    }
}

fn info() -> Info {
    Info {
        title: "Boat catalogue",
        summary: "A read-only API over boat models and their manufacturers",
        description: description(),
        contact: Contact {
            name: "Whoever runs this server",
        },
        license: License {
            name: env!("CARGO_PKG_LICENSE"),
            identifier: env!("CARGO_PKG_LICENSE"),
        },
        version: env!("CARGO_PKG_VERSION"),
    }
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
         {LIMIT_MAX}; `offset` is how many come before it. `Link` names the next and the previous \
         page, `pagination.total` counts all rows.
- **Limits**: `X-RateLimit-*` counts the requests of a key in any 60 seconds, `X-Quota-*` the \
         answers with status 200 of a subscription in its month. Other answers are not charged.
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
- **Other origins**: browsers let pages of other origins read answers where whoever runs the \
         server has named those origins. Then every answer to them has \
         `Access-Control-Allow-Origin`, all headers can be read, `Vary` names `Origin`, and a \
         preflight is a 204 without a body. Credentials such as cookies are never allowed: send the \
         key in the header.
- **Versions**: fields may be added, and clients must ignore those that they do not know. No field \
         is taken away or changes its type within `/v1`."
    )
}

fn security_scheme() -> SecurityScheme {
    SecurityScheme {
        kind: "http",
        scheme: "bearer",
        bearer_format: "boat_<live|test>_<38 letters and digits>",
        description: "An API key. It is a secret: never put it in an address. The scopes that an \
                      operation needs are listed with it; a key has `boats.read`, \
                      `manufacturers.read` or both.",
    }
}

fn path(route: &Route, generator: &mut SchemaGenerator) -> PathItem {
    let facts = operations::facts(route.operation);
    PathItem {
        get: Operation {
            id: facts.id,
            summary: facts.summary,
            description: facts.description,
            tags: [facts.tag.name],
            security: security(route.operation),
            parameters: facts.parameters,
            responses: responses::of(route, facts.answer, generator),
        },
    }
}

fn security(operation: routes::Operation) -> Vec<Members<Vec<&'static str>>> {
    match operation {
        routes::Operation::Service(_) => Vec::new(),
        routes::Operation::Catalogue(_, scopes) => {
            let scopes = scopes.iter().map(|scope| scope.as_str()).collect();
            vec![Members::of([(API_KEY, scopes)])]
        }
    }
}
