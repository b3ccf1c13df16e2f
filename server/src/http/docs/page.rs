//! The page: its template and the values for it. All facts come from the code that implements them.

use std::fmt::Write;

use askama::Template;
use serde_json::Value;
use shared::keys::limits::{DEFAULT_QUOTA, DEFAULT_RATE_LIMIT};

use super::client::{self, Client};
use super::example::{self, Example};
use super::reference::{self, Control, Group};
use crate::cache::MAX_AGE_SECONDS;
use crate::contract::errors::{self, ErrorKind};
use crate::contract::head::{HEAD_BYTES_MAX, HEADERS_MAX, URI_BYTES_MAX};
use crate::http::openapi::{self, Operation};
use crate::http::representation::TINY_BYTES;
use crate::params::{LIMIT_DEFAULT, LIMIT_MAX};

#[derive(Template)]
#[template(path = "docs/page.html")]
struct Page {
    version: &'static str,
    operations: Vec<Operation>,
    groups: Vec<Group>,
    codes: Vec<(ErrorKind, bool)>,
    headers: Vec<(&'static str, &'static str)>,
    refusal: String,
    tasks: [Example; 4],
    clients: &'static [&'static Client],
}

/// The page.
pub(super) fn text() -> String {
    let page = Page {
        version: env!("CARGO_PKG_VERSION"),
        operations: openapi::operations().collect(),
        groups: reference::groups(),
        codes: codes(),
        headers: openapi::header_meanings().collect(),
        refusal: openapi::example_of_an_error(),
        tasks: example::tasks(),
        clients: &client::ALL,
    };
    let written = page.render();
    written.unwrap_or_else(|why| unreachable!("the page cannot be written: {why}"))
}

/// Every code, and whether it is the first of its status.
fn codes() -> Vec<(ErrorKind, bool)> {
    let mut status = 0;
    let line = |kind: ErrorKind| {
        (
            kind,
            std::mem::replace(&mut status, kind.status) != kind.status,
        )
    };
    errors::by_code().map(line).collect()
}

/// A value of the document, as a person would type it.
fn shown(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// A text as HTML.
pub(super) fn escaped(text: &str) -> String {
    let escaped = askama::filters::escape(text, askama::filters::Html);
    escaped.unwrap_or_else(|never| match never {}).to_string()
}

/// A sentence with `code` in it, as HTML.
pub(super) fn prose(sentence: &str) -> String {
    let mut html = String::new();
    for (index, part) in sentence.split('`').enumerate() {
        let escaped = escaped(part);
        let written = match index % 2 {
            0 => write!(html, "{escaped}"),
            _ => write!(html, "<code>{escaped}</code>"),
        };
        written.unwrap_or_else(|why| unreachable!("a text was not written: {why}"));
    }
    html
}
