//! The page: its template and the values for it. All facts come from the OpenAPI document and from
//! the code that implements them.

use askama::Template;
use serde_json::Value;
use shared::keys::limits::{DEFAULT_QUOTA, DEFAULT_RATE_LIMIT};

use super::client::{self, Client};
use super::example::{self, Example, file, request};
use super::fields::Fields;
use super::html::prose;
use crate::api_tables::errors::{self, ErrorKind};
use crate::api_tables::{HEAD_BYTES_MAX, HEADERS_MAX, URI_BYTES_MAX};
use crate::cache::MAX_AGE_SECONDS;
use crate::http::openapi::{self, Document, Operation, Parameter, in_words, plain};
use crate::http::representation::TINY_BYTES;
use crate::params::{LIMIT_DEFAULT, LIMIT_MAX};

#[derive(Template)]
#[template(path = "docs/page.html")]
struct Page {
    version: &'static str,
    document: &'static Document,
    refusal: String,
    tasks: [Example; 4],
    clients: &'static [&'static Client],
}

/// The page.
pub(super) fn text() -> String {
    openapi::render(&Page {
        version: env!("CARGO_PKG_VERSION"),
        document: openapi::document(),
        refusal: openapi::example_of_an_error(),
        tasks: example::tasks(),
        clients: &client::ALL,
    })
}

impl Page {
    /// The operations of a group, each with its path.
    fn of_group(&self, tag: &str) -> Vec<(&'static str, &'static Operation)> {
        let all = self.document.operations();
        all.filter(|(_, operation)| operation.tags == [tag])
            .collect()
    }

    /// The fields of an operation's 200.
    fn fields(&self, operation: &Operation) -> Fields {
        let schema = operation.answer().schema();
        let schema: Option<Value> = schema.and_then(|it| serde_json::from_str(it.get()).ok());
        let schemas = &self.document.components.schemas;
        Fields::of(schemas, &schema.unwrap_or_default(), &operation.id)
    }
}

/// Every code, and whether it is the first of its status.
fn codes() -> impl Iterator<Item = (ErrorKind, bool)> {
    let mut status = 0;
    errors::by_code().map(move |kind| {
        let before = std::mem::replace(&mut status, kind.status);
        (kind, before != kind.status)
    })
}

/// Whether an operation has so many parameters that they come first.
fn is_list(operation: &Operation) -> bool {
    let mut parameters = operation.parameters.iter();
    parameters.any(|parameter| parameter.location == "query")
}

/// The words of which a parameter is one.
fn words(parameter: &Parameter) -> Option<Vec<&str>> {
    let words = parameter.schema.get("enum")?.as_array()?;
    Some(words.iter().filter_map(Value::as_str).collect())
}

/// The list of a parameter's known values, which the page's script fills.
fn known(parameter: &Parameter) -> Option<&'static str> {
    match parameter.name {
        "type" => Some("types"),
        "category" => Some("categories"),
        "activity" => Some("activities"),
        _ => None,
    }
}
