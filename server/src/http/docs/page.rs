//! The page: its template, and what the template is filled with. All facts are asked of those who
//! keep to them.

use std::fmt::Write;

use askama::Template;
use shared::keys::limits::{DEFAULT_QUOTA, DEFAULT_RATE_LIMIT};

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
    viewer_version: &'static str,
    operations: Vec<Operation>,
    codes: Vec<ErrorKind>,
    refusal: String,
    examples: [Example; 4],
}

/// One task, in every language.
struct Example {
    name: &'static str,
    variants: [Variant; 3],
}

struct Variant {
    language: &'static str,
    label: &'static str,
    extension: &'static str,
    code: &'static str,
}

/// The page.
pub(super) fn text() -> String {
    let page = Page {
        version: env!("CARGO_PKG_VERSION"),
        viewer_version: include_str!("viewer/VERSION").trim_ascii_end(),
        operations: openapi::operations().collect(),
        codes: errors::by_code().collect(),
        refusal: openapi::example_of_an_error(),
        examples: EXAMPLES,
    };
    let written = page.render();
    written.unwrap_or_else(|why| unreachable!("the page cannot be written: {why}"))
}

macro_rules! example {
    ($name:literal) => {
        Example {
            name: $name,
            variants: [
                variant(
                    "curl",
                    "curl",
                    "sh",
                    include_str!(concat!("examples/", $name, ".sh")),
                ),
                variant(
                    "javascript",
                    "JavaScript",
                    "mjs",
                    include_str!(concat!("examples/", $name, ".mjs")),
                ),
                variant(
                    "python",
                    "Python",
                    "py",
                    include_str!(concat!("examples/", $name, ".py")),
                ),
            ],
        }
    };
}

const EXAMPLES: [Example; 4] = [
    example!("first"),
    example!("paging"),
    example!("caching"),
    example!("limits"),
];

const fn variant(
    language: &'static str,
    label: &'static str,
    extension: &'static str,
    code: &'static str,
) -> Variant {
    Variant {
        language,
        label,
        extension,
        code,
    }
}

/// A sentence with `code` in it, as HTML.
fn prose(sentence: &str) -> String {
    let mut html = String::new();
    for (index, part) in sentence.split('`').enumerate() {
        let escaped = askama::filters::escape(part, askama::filters::Html);
        let escaped = escaped.unwrap_or_else(|never| match never {});
        let written = match index % 2 {
            0 => write!(html, "{escaped}"),
            _ => write!(html, "<code>{escaped}</code>"),
        };
        written.unwrap_or_else(|why| unreachable!("a text was not written: {why}"));
    }
    html
}
