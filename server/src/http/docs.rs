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

use std::sync::OnceLock;

use bytes::Bytes;
use shared::base::etag::ETag;

use super::headers::{CachePolicy, Media, ResponseMeta};
use super::openapi;
use super::representation::Constant;
use crate::api_tables::routes::{FILES, File};

/// A file and its tag; none where the page is elsewhere. A query is ignored: programs for mail and
/// chat add some to the links that people follow.
pub(crate) fn answer(file: File, meta: &mut ResponseMeta) -> Option<(Bytes, Option<ETag>)> {
    if file == File::ToPage {
        meta.cache_policy = CachePolicy::NoStore;
        return None;
    }
    let content = content(file);
    meta.cache_policy = CachePolicy::Revalidate;
    meta.media = Media::File(media_type(file));
    Some((content.body.clone(), Some(content.etag)))
}

const fn media_type(file: File) -> &'static str {
    match file {
        File::Page | File::ToPage | File::TypeScript | File::Python | File::Rust => {
            "text/html; charset=utf-8"
        }
        File::PageStyle => "text/css; charset=utf-8",
        File::PageScript => "text/javascript; charset=utf-8",
        File::Converter | File::Llms => "text/plain; charset=utf-8",
        File::Icon => "image/svg+xml",
    }
}

/// The content of a file, made at its first request.
fn content(file: File) -> &'static Constant {
    static MADE: [OnceLock<Constant>; FILES.len()] = [const { OnceLock::new() }; FILES.len()];
    MADE[file as usize].get_or_init(|| body(file).into())
}

fn body(file: File) -> Bytes {
    match file {
        File::Page | File::ToPage => page::text().into(),
        File::TypeScript => client::TYPESCRIPT.page().into(),
        File::Python => client::PYTHON.page().into(),
        File::Rust => client::RUST.page().into(),
        File::Converter => Bytes::from_static(include_bytes!("docs/clients/openapi_3_0.py")),
        File::PageStyle => Bytes::from_static(include_bytes!("docs/page.css")),
        File::PageScript => Bytes::from_static(include_bytes!("docs/page.js")),
        File::Icon => Bytes::from_static(include_bytes!("docs/icon.svg")),
        File::Llms => openapi::llms().into(),
    }
}
