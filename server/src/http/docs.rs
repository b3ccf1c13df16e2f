//! The documentation: a page for people with a viewer of the OpenAPI document, all its files, and
//! the API as tools read it. It is the one deliberate exception to bodies that are JSON.
//!
//! The viewer is Swagger UI, vendored by `.ci/viewer` and served unchanged. It renders OpenAPI 3.1,
//! sends requests, and works where scripts and styles may stand in own files only, which tests in a
//! browser hold it to. The crates that bundle it are behind it, or bring a router of their own.
//!
//! Every file is asked for anew with its tag, so that a page never runs with the script of another
//! version. Nothing here decides what the API does.

mod page;

use std::io::Read;
use std::sync::OnceLock;

use bytes::Bytes;
use flate2::read::GzDecoder;
use shared::base::etag::ETag;

use super::error::ApiError;
use super::headers::{CachePolicy, Media, ResponseMeta};
use super::openapi;
use crate::contract::routes::{FILES, File};
use crate::params::{NoParams, QueryString};

/// A file as it is served.
struct Content {
    body: Bytes,
    etag: ETag,
}

/// Answers with a file, and its tag.
pub(crate) fn answer(
    file: File,
    query: &QueryString,
    meta: &mut ResponseMeta,
) -> Result<(Bytes, ETag), ApiError> {
    NoParams::parse(query).map_err(ApiError::Validation)?;
    let content = content(file);
    meta.cache_policy = CachePolicy::Revalidate;
    meta.media = Media::File(media_type(file));
    Ok((content.body.clone(), content.etag))
}

const fn media_type(file: File) -> &'static str {
    match file {
        File::Page => "text/html; charset=utf-8",
        File::PageStyle | File::ViewerStyle => "text/css; charset=utf-8",
        File::PageScript | File::Viewer => "text/javascript; charset=utf-8",
        File::ViewerLicences | File::Llms => "text/plain; charset=utf-8",
        File::Icon => "image/svg+xml",
    }
}

/// The content of a file, made when it is first asked for.
fn content(file: File) -> &'static Content {
    static MADE: [OnceLock<Content>; FILES.len()] = [const { OnceLock::new() }; FILES.len()];
    MADE[file as usize].get_or_init(|| {
        let body = body(file);
        let etag = ETag::of(&body);
        Content { body, etag }
    })
}

fn body(file: File) -> Bytes {
    match file {
        File::Page => page::text().into(),
        File::PageStyle => Bytes::from_static(STYLE.as_bytes()),
        File::PageScript => Bytes::from_static(include_bytes!("docs/page.js")),
        File::Viewer => unpacked(include_bytes!("docs/viewer/swagger-ui-bundle.js.gz")),
        File::ViewerStyle => unpacked(include_bytes!("docs/viewer/swagger-ui.css.gz")),
        File::ViewerLicences => Bytes::from_static(LICENCES.as_bytes()),
        File::Icon => Bytes::from_static(include_bytes!("docs/icon.svg")),
        File::Llms => openapi::llms().into(),
    }
}

const STYLE: &str = concat!(
    include_str!("docs/page.css"),
    "\n",
    include_str!("docs/reference.css"),
);

const LICENCES: &str = concat!(
    include_str!("docs/viewer/NOTICE"),
    "\n\n",
    include_str!("docs/viewer/LICENSE"),
    "\n\n",
    include_str!("docs/viewer/swagger-ui-bundle.js.LICENSE.txt"),
);

fn unpacked(packed: &[u8]) -> Bytes {
    let mut bytes = Vec::new();
    let read = GzDecoder::new(packed).read_to_end(&mut bytes);
    read.unwrap_or_else(|why| unreachable!("a vendored file is damaged: {why}"));
    bytes.into()
}
