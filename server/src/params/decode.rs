//! Percent-decoding that refuses what it cannot decode.
//!
//! Lenient decoders keep a bad escape as it is or replace bytes that are not UTF-8; both would look
//! up something else than the caller asked for.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

/// Why a text cannot be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum BadEncoding {
    /// A `%` without two hexadecimal digits.
    #[error("must have two hexadecimal digits after every %")]
    Escape,
    /// The decoded bytes are not UTF-8.
    #[error("must be UTF-8 when percent-decoded")]
    NotUtf8,
}

/// Decodes a path segment, where `+` is a plain character.
pub(super) fn segment(raw: &str) -> Result<Cow<'_, str>, BadEncoding> {
    if !raw.contains('%') {
        return Ok(raw.into());
    }
    let escapes_are_whole = raw.split('%').skip(1).all(|rest| {
        rest.as_bytes()
            .get(..2)
            .is_some_and(|two| two.iter().all(u8::is_ascii_hexdigit))
    });
    if !escapes_are_whole {
        return Err(BadEncoding::Escape);
    }
    percent_decode_str(raw)
        .decode_utf8()
        .map_err(|_invalid| BadEncoding::NotUtf8)
}

/// Decodes a name or a value of a query string, where `+` is a space.
pub(super) fn component(raw: &str) -> Result<String, BadEncoding> {
    segment(&spaces(raw)).map(Cow::into_owned)
}

/// Decodes as much of a name or a value as possible: only for finding credentials.
pub(super) fn component_lossy(raw: &str) -> String {
    percent_decode_str(&spaces(raw))
        .decode_utf8_lossy()
        .into_owned()
}

fn spaces(raw: &str) -> Cow<'_, str> {
    if raw.contains('+') {
        Cow::Owned(raw.replace('+', " "))
    } else {
        Cow::Borrowed(raw)
    }
}
