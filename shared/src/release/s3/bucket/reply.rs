//! Whether a reply is what was asked for, and whether its end is known, by its head alone.
//!
//! A cut file would pass for a whole one if it was read until the connection closes, if it was a part
//! that nobody asked for, or if two headers name two ends.

use reqwest::header::{CONTENT_LENGTH, HeaderMap, TRANSFER_ENCODING};
use reqwest::{StatusCode, Version};

/// Why what a successful reply to a GET brings cannot be told from a part of it.
pub fn reply_fault(
    asked_for_part: bool,
    status: StatusCode,
    version: Version,
    headers: &HeaderMap,
) -> Option<&'static str> {
    let last = headers.get_all(TRANSFER_ENCODING).iter().next_back();
    let last = last.map(|last| last.as_bytes().to_ascii_lowercase());
    let is_chunked = last.as_ref().is_some_and(|last| last.ends_with(b"chunked"));
    let has_length = headers.contains_key(CONTENT_LENGTH);
    // Later versions send frames, the last of which says so.
    let has_end = is_chunked || has_length || Version::HTTP_2 <= version;
    if status == StatusCode::PARTIAL_CONTENT && !asked_for_part {
        return Some("its server sent a part of it (206), which nobody asked for");
    }
    if last.is_some() && has_length {
        return Some("its server says where it ends in two ways, by Content-Length and by chunks");
    }
    (!has_end).then_some("its server does not say where it ends, by Content-Length or by chunks")
}

#[cfg(test)]
mod tests {
    use reqwest::header::{HeaderName, HeaderValue};

    use super::*;

    #[test]
    fn a_reply_has_one_end_and_is_what_was_asked_for() {
        const LENGTH: (HeaderName, &str) = (CONTENT_LENGTH, "5");
        const CHUNKED: (HeaderName, &str) = (TRANSFER_ENCODING, "gzip, Chunked");
        const PACKED: (HeaderName, &str) = (TRANSFER_ENCODING, "gzip");
        let (whole, part) = (StatusCode::OK, StatusCode::PARTIAL_CONTENT);
        let (one, two) = (Version::HTTP_11, Version::HTTP_2);
        for (asked_for_part, status, version, headers, fault) in [
            (false, whole, one, &[LENGTH][..], None),
            (false, whole, one, &[CHUNKED], None),
            (false, whole, two, &[], None),
            (true, part, one, &[LENGTH], None),
            (true, whole, one, &[LENGTH], None),
            (false, part, one, &[LENGTH], Some("nobody asked for")),
            (false, whole, one, &[], Some("does not say where it ends")),
            (
                false,
                whole,
                one,
                &[PACKED],
                Some("does not say where it ends"),
            ),
            (true, part, one, &[], Some("does not say where it ends")),
            (false, whole, one, &[LENGTH, CHUNKED], Some("in two ways")),
            (false, whole, one, &[LENGTH, PACKED], Some("in two ways")),
        ] {
            let headers = headers.iter().cloned();
            let headers = headers.map(|(name, value)| (name, HeaderValue::from_static(value)));
            let headers: HeaderMap = headers.collect();
            let found = reply_fault(asked_for_part, status, version, &headers);
            assert_eq!(found.is_some(), fault.is_some(), "{headers:?} {found:?}");
            assert!(
                found
                    .unwrap_or_default()
                    .contains(fault.unwrap_or_default()),
                "{found:?}"
            );
        }
    }
}
