//! Limits of a request's head, checked before anything of it is read.
//!
//! A connection refuses heads over these limits before they are whole, byte by byte as they were
//! sent. Here they are checked once more for requests as the HTTP library gives them, so that they
//! hold wherever a request comes from. White space that need not have been sent is not counted, so
//! that nothing is refused here that a connection lets pass.

use salvo::http::Request;
use salvo::http::header::{CONTENT_LENGTH, TRANSFER_ENCODING};

use super::error::ApiError;
use crate::contract::head::{HEAD_BYTES_MAX, HEADERS_MAX, URI_BYTES_MAX};

/// What the request line has besides method and target: two spaces, `HTTP/1.1`, the line end.
const REQUEST_LINE_REST: usize = 12;
/// What a header field has besides name and value, at least: the colon and the line end.
const FIELD_REST: usize = 3;
/// The empty line.
const END: usize = 2;

/// Refuses a head over a limit, and a request that announces a body.
pub(crate) fn check(request: &Request) -> Result<(), ApiError> {
    let target_bytes = request
        .uri()
        .path_and_query()
        .map_or(0, |target| target.as_str().len());
    if URI_BYTES_MAX < target_bytes {
        return Err(ApiError::UriTooLong);
    }
    let fields = request.headers();
    let line_bytes = request.method().as_str().len() + target_bytes + REQUEST_LINE_REST;
    let field_bytes = |(name, value): (&salvo::http::HeaderName, &salvo::http::HeaderValue)| {
        name.as_str().len() + value.len() + FIELD_REST
    };
    let head_bytes = line_bytes + fields.iter().map(field_bytes).sum::<usize>() + END;
    if HEADERS_MAX < fields.len() || HEAD_BYTES_MAX < head_bytes {
        return Err(ApiError::HeadersTooLarge);
    }
    let length = fields.get(CONTENT_LENGTH);
    let announces_length = length.is_some_and(|length| length.as_bytes() != b"0");
    if announces_length || fields.contains_key(TRANSFER_ENCODING) {
        return Err(ApiError::BodyNotAllowed);
    }
    Ok(())
}
