//! The OpenAPI document: the contract for programs. It is the same for every server of this
//! version. `/llms.txt` and the documentation read it.
//!
//! `document.json` and `description.txt` are written by hand; the code adds the parameters, the
//! schemas, the headers, the errors and the limits, from the tables and types that the service
//! itself uses. It decides nothing: no fact may be defined only here, and tests compare the
//! document with real responses.
//!
//! A new operation is a route, what it takes in `parameters`, the type of its body in `schemas`, and
//! a path in `document.json`. Tests name what is missing.

mod document;
mod in_order;
mod parameters;
mod responses;
mod schemas;

use std::sync::LazyLock;

use askama::Template;
use bytes::Bytes;
use shared::keys::scope::Scope;

use document::Security;
pub(crate) use document::{Document, Operation};
pub(crate) use in_order::on_many_lines;
pub(crate) use parameters::Parameter;
pub(crate) use schemas::{Schemas, in_words, plain};

use super::representation::{Constant, TINY_BYTES};
use crate::api_tables::errors;
use crate::api_tables::routes::{self, ROUTES};
use crate::api_tables::{HEAD_BYTES_MAX, HEADERS_MAX, URI_BYTES_MAX};
use crate::params::{LIMIT_DEFAULT, LIMIT_MAX};

#[derive(Template)]
#[template(path = "openapi/description.txt", escape = "none")]
struct Description;

/// `/llms.txt`: the document for language models, and for people with a terminal only.
#[derive(Template)]
#[template(path = "openapi/llms.txt")]
struct Llms(&'static Document);

/// The document, made when it is first read.
pub(crate) fn document() -> &'static Document {
    static MADE: LazyLock<Document> = LazyLock::new(complete);
    &MADE
}

/// The document, ready to be sent.
pub(crate) fn served() -> &'static Constant {
    static SERVED: LazyLock<Constant> = LazyLock::new(|| Bytes::from(text()).into());
    &SERVED
}

/// The document as text: JSON on many lines, with a final line end.
pub fn text() -> String {
    on_many_lines(document())
}

/// The document as text for language models.
pub fn llms() -> String {
    render(&Llms(document()))
}

/// The response to a client that sent unknown parameters.
pub(crate) fn example_of_an_error() -> String {
    on_many_lines(&responses::body(&responses::validation()))
}

/// A template of ours with its values; writing to a text cannot fail.
pub(crate) fn render(template: &impl Template) -> String {
    let text = template.render();
    text.unwrap_or_else(|why| unreachable!("a template cannot be written: {why}"))
}

/// What `document.json` says, and what the tables and types of the service add to it. A mistake in
/// the file is a panic, which tests meet first.
fn complete() -> Document {
    let file = serde_json::from_str(include_str!("openapi/document.json"));
    let mut document: Document =
        file.unwrap_or_else(|why| unreachable!("openapi/document.json: {why}"));
    document.info.description = render(&Description);
    document.info.version = env!("CARGO_PKG_VERSION");
    let components = &mut document.components;
    components.schemas = Schemas::of_bodies();
    components.responses = responses::of_errors();
    components.examples = responses::examples();
    for (path, item) in &mut document.paths {
        let route = ROUTES.iter().find(|route| route.path.to_string() == *path);
        let route = route.unwrap_or_else(|| {
            unreachable!("openapi/document.json has the path {path}, and the routes do not")
        });
        let operation = &mut item.get;
        operation.security = security(route.operation);
        operation.parameters = parameters::of(route);
        responses::complete(&mut operation.responses, route);
    }
    document
}

/// What an operation asks of a key.
fn security(operation: routes::Operation) -> Vec<Security> {
    let all = |scopes: &[Scope]| Security {
        scopes: scopes.iter().map(|scope| scope.as_str()).collect(),
    };
    match operation {
        routes::Operation::Service(_) => Vec::new(),
        routes::Operation::DescribeKey => vec![all(&[])],
        routes::Operation::Catalogue(operation, scopes) if operation.takes_any_scope() => {
            scopes.chunks(1).map(all).collect()
        }
        routes::Operation::Catalogue(_, scopes) => vec![all(scopes)],
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_header_that_is_described_is_sent_and_the_other_way_round() {
        let sent = responses::HEADERS.iter().flat_map(|(_, names)| *names);
        let sent: BTreeSet<&str> = sent.copied().collect();
        let described: BTreeSet<&str> = document()
            .components
            .headers
            .keys()
            .map(String::as_str)
            .collect();
        assert_eq!(
            described, sent,
            "openapi/document.json and responses::HEADERS"
        );
    }
    #[test]
    fn what_the_service_knows_is_refused_in_the_file() {
        let file = include_str!("openapi/document.json");
        let is_read = |file: &str| serde_json::from_str::<Document>(file).is_ok();
        assert!(is_read(file));
        for (beside, known) in [
            ("\"title\"", "\"version\": \"1\""),
            ("\"operationId\"", "\"parameters\": []"),
            ("\"operationId\"", "\"security\": []"),
            ("\"headers\"", "\"schemas\": {}"),
        ] {
            assert!(!is_read(&file.replacen(
                beside,
                &format!("{known}, {beside}"),
                1
            )));
        }
    }
}
