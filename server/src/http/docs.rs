//! The documentation: pages for people, their files, and a text of the API for language models.
//! These are the only bodies that are not JSON, on purpose.
//!
//! The pages are rendered here, from the parts of the OpenAPI document. Existing viewers need
//! inline styles, which the content security policy forbids, and many times as many bytes.
//!
//! Clients revalidate every file by its tag, so a page never runs with the script of another
//! version. Nothing here decides what the API does.

mod client;
mod example;
mod fields;
mod html;
mod page;

use std::sync::LazyLock;

use bytes::Bytes;
use shared::base::etag::ETag;

use super::headers::{CachePolicy, Media, ResponseMeta};
use super::openapi;
use super::representation::Constant;
use crate::api_tables::routes::File;

const HTML: &str = "text/html; charset=utf-8";
const PLAIN: &str = "text/plain; charset=utf-8";

/// The type of each file that is there, and its content, made at its first request.
#[rustfmt::skip]
static CONTENTS: [(File, &str, LazyLock<Constant>); 9] = [
    (File::Page,       HTML, made(|| page::text().into())),
    (File::TypeScript, HTML, made(|| client::TYPESCRIPT.page().into())),
    (File::Python,     HTML, made(|| client::PYTHON.page().into())),
    (File::Rust,       HTML, made(|| client::RUST.page().into())),
    (File::PageStyle,  "text/css; charset=utf-8", made(|| include_str!("docs/page.css").into())),
    (File::PageScript, "text/javascript; charset=utf-8", made(|| include_str!("docs/page.js").into())),
    (File::Icon,       "image/svg+xml", made(|| include_str!("docs/icon.svg").into())),
    (File::Converter,  PLAIN, made(|| include_str!("docs/clients/openapi_3_0.py").into())),
    (File::Llms,       PLAIN, made(|| openapi::llms().into())),
];

const fn made(content: fn() -> Constant) -> LazyLock<Constant> {
    LazyLock::new(content)
}

/// A file and its tag; none where the page is elsewhere. A query is ignored: programs for mail and
/// chat add some to the links that people follow.
pub(crate) fn answer(file: File, meta: &mut ResponseMeta) -> Option<(Bytes, Option<ETag>)> {
    let Some((_, media_type, content)) = CONTENTS.iter().find(|(there, ..)| *there == file) else {
        meta.cache_policy = CachePolicy::NoStore;
        return None;
    };
    meta.cache_policy = CachePolicy::Revalidate;
    meta.media = Media::File(media_type);
    Some((content.body.clone(), Some(content.etag)))
}
