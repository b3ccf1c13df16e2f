//! `Range` and `If-Range`: which part of a file a request asks for (RFC 9110 sections 13.1.5 and 14).
//!
//! Pure functions of the headers. A field that is malformed, in another unit, or of several ranges is
//! as if it were absent. Our own, because the library's parser takes such fields for unsatisfiable.

use std::ops::Range;

use shared::base::etag::CodedETag;

/// One range of bytes, as a request names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    /// From the first byte to the last, both counted from 0, or to the end.
    From(u64, Option<u64>),
    /// So many bytes at the end.
    Last(u64),
}

impl Asked {
    /// The range that a field asks for, if it asks for one.
    pub(crate) fn parse(field: &[u8]) -> Option<Self> {
        let (unit, range) = str::from_utf8(field).ok()?.trim_ascii().split_once('=')?;
        if !unit.eq_ignore_ascii_case("bytes") {
            return None;
        }
        // A list may have empty members.
        let mut ranges = range.split(',').map(str::trim_ascii);
        let mut ranges = ranges.by_ref().filter(|range| !range.is_empty());
        let (only, None) = (ranges.next()?, ranges.next()) else {
            return None;
        };
        let (first, last) = only.split_once('-')?;
        match (first, last) {
            ("", last) => number(last).map(Self::Last),
            (first, "") => Some(Self::From(number(first)?, None)),
            (first, last) => {
                let (first, last) = (number(first)?, number(last)?);
                (first <= last).then_some(Self::From(first, Some(last)))
            }
        }
    }

    /// That part of a file of `bytes`; `None` if there is no such part.
    pub(crate) fn within(self, bytes: u64) -> Option<Range<u64>> {
        let range = match self {
            Self::From(first, last) => {
                first..last.map_or(bytes, |last| bytes.min(last.saturating_add(1)))
            }
            Self::Last(length) => bytes.saturating_sub(length)..bytes,
        };
        (!range.is_empty()).then_some(range)
    }
}

/// Digits as a number; one that is too long is greater than the length of any file.
fn number(digits: &str) -> Option<u64> {
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().unwrap_or(u64::MAX))
}

/// Whether a field lets a range of the file with this tag be sent: comparison is strong, and no file
/// has a date.
pub(crate) fn is_unchanged(if_range: Option<&[u8]>, etag: CodedETag) -> bool {
    if_range.is_none_or(|field| field.trim_ascii() == etag.text().as_bytes())
}

#[cfg(test)]
mod tests {
    use shared::base::etag::{Coding, ETag};

    use super::*;

    #[test]
    fn a_field_of_one_range_is_read_and_every_other_is_as_if_it_were_absent() {
        for (field, expected) in [
            ("bytes=0-0", Some(Asked::From(0, Some(0)))),
            ("bytes=5-", Some(Asked::From(5, None))),
            ("bytes=-8", Some(Asked::Last(8))),
            ("bytes=-0", Some(Asked::Last(0))),
            ("Bytes=00-007", Some(Asked::From(0, Some(7)))),
            (" bytes= 1-2 ", Some(Asked::From(1, Some(2)))),
            ("bytes=,1-2, ,", Some(Asked::From(1, Some(2)))),
            (
                "bytes=0-99999999999999999999",
                Some(Asked::From(0, Some(u64::MAX))),
            ),
            (
                "bytes=99999999999999999999-",
                Some(Asked::From(u64::MAX, None)),
            ),
            ("bytes=2-1", None),
            ("bytes=0-1,3-4", None),
            ("bytes=0-1,x", None),
            ("bytes=", None),
            ("bytes=-", None),
            ("bytes=--1", None),
            ("bytes=1--2", None),
            ("bytes=1", None),
            ("bytes=a-b", None),
            ("bytes=+1-2", None),
            ("bytes=1 -2", None),
            ("bytes=0x1-2", None),
            ("bytes 1-2", None),
            ("bytes =1-2", None),
            ("items=1-2", None),
            ("=1-2", None),
            ("", None),
        ] {
            assert_eq!(Asked::parse(field.as_bytes()), expected, "{field:?}");
        }
        assert_eq!(Asked::parse(b"bytes=\xff-"), None);
    }

    #[test]
    fn a_range_ends_with_its_file_and_one_beyond_it_is_none() {
        for (asked, bytes, expected) in [
            (Asked::From(0, None), 10, Some(0..10)),
            (Asked::From(0, Some(0)), 10, Some(0..1)),
            (Asked::From(9, Some(9)), 10, Some(9..10)),
            (Asked::From(9, Some(u64::MAX)), 10, Some(9..10)),
            (Asked::From(10, None), 10, None),
            (Asked::From(u64::MAX, Some(u64::MAX)), 10, None),
            (Asked::Last(1), 10, Some(9..10)),
            (Asked::Last(10), 10, Some(0..10)),
            (Asked::Last(u64::MAX), 10, Some(0..10)),
            (Asked::Last(0), 10, None),
            (Asked::From(0, None), 0, None),
            (Asked::Last(5), 0, None),
        ] {
            assert_eq!(asked.within(bytes), expected, "{asked:?} of {bytes}");
        }
    }

    #[test]
    fn only_the_strong_tag_of_the_same_bytes_lets_a_range_be_sent() {
        let etag = ETag::of(b"x");
        let plain = etag.in_coding(Coding::Identity);
        let (text, zstd) = (plain.text(), etag.in_coding(Coding::Zstd).text());
        let allowed = |field: Option<&str>| is_unchanged(field.map(str::as_bytes), plain);
        assert!(allowed(None) && allowed(Some(&text)) && allowed(Some(&format!(" {text}\t"))));
        let weak = format!("W/{text}");
        let listed = format!("{text}, {text}");
        for other in [
            &*zstd,
            &weak,
            &listed,
            "*",
            "",
            "Fri, 27 Nov 2026 00:00:00 GMT",
        ] {
            assert!(!allowed(Some(other)), "{other}");
        }
    }
}
