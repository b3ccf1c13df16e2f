//! `/llms.txt`: the document as text for language models, and for people with a terminal only.
//!
//! The template decides the order; all content comes from the document.

use askama::Template;

use super::{
    KEY_DESCRIPTION, KEY_FORM, SUMMARY, TITLE, description, form, headers, operations, responses,
};
use crate::contract::errors;

#[derive(Template)]
#[template(path = "openapi/llms.txt")]
struct Llms;

/// The document as text.
pub(super) fn text() -> String {
    let written = Llms.render();
    written.unwrap_or_else(|why| unreachable!("the text cannot be written: {why}"))
}
