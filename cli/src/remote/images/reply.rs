//! What a reply about an image means, by its status and headers alone.

use std::time::Duration;

use import::image::Unmeasured;
use reqwest::StatusCode;
use reqwest::header::{CONTENT_RANGE, ETAG, HeaderMap, HeaderName, LOCATION, RETRY_AFTER};

use crate::remote::response::is_kept;

/// What a reply means.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Reply {
    /// The image follows, from its beginning.
    Image(About),
    /// It is the one with the ETag that was asked for.
    Same,
    /// It is elsewhere.
    Redirect(String),
    /// The server asks to wait this long, if it says so in seconds.
    Wait(Option<Duration>),
    /// It is not to be had.
    Not(Unmeasured),
}

/// What headers say of an image.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct About {
    pub(super) etag: Option<String>,
    /// Whether the reply is a part of it, as it was asked for.
    pub(super) is_part: bool,
}

impl Reply {
    pub(super) fn of(status: StatusCode, headers: &HeaderMap) -> Self {
        let etag = text(headers, ETAG)
            .filter(|etag| is_kept(etag))
            .map(str::to_owned);
        match status.as_u16() {
            200 => Self::Image(About {
                etag,
                is_part: false,
            }),
            206 if text(headers, CONTENT_RANGE).is_some_and(is_beginning) => Self::Image(About {
                etag,
                is_part: true,
            }),
            304 => Self::Same,
            301 | 302 | 303 | 307 | 308 => match text(headers, LOCATION) {
                Some(to) => Self::Redirect(to.to_owned()),
                None => Self::Not(Unmeasured::Redirected),
            },
            404 | 410 => Self::Not(Unmeasured::Missing),
            429 | 503 => Self::Wait(text(headers, RETRY_AFTER).and_then(seconds)),
            // Another part of it; an empty file has none that could be sent.
            206 | 416 => Self::Not(Unmeasured::NoImage),
            408 | 425 | 500.. => Self::Not(Unmeasured::NoAnswer),
            _ => Self::Not(Unmeasured::Refused),
        }
    }
}

/// Whether a part of a file is its beginning.
fn is_beginning(range: &str) -> bool {
    range.starts_with("bytes 0-")
}

fn seconds(text: &str) -> Option<Duration> {
    text.trim().parse().ok().map(Duration::from_secs)
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(status: u16, headers: &[(HeaderName, &str)]) -> Reply {
        let headers = headers.iter();
        let headers = headers.map(|(name, value)| (name.clone(), value.parse().unwrap()));
        Reply::of(StatusCode::from_u16(status).unwrap(), &headers.collect())
    }

    #[test]
    fn an_image_is_a_whole_file_or_its_beginning() {
        let about = |etag: Option<&str>, is_part| {
            let etag = etag.map(str::to_owned);
            Reply::Image(About { etag, is_part })
        };
        assert_eq!(reply(200, &[(ETAG, "\"a\"")]), about(Some("\"a\""), false));
        let long = "x".repeat(300);
        assert_eq!(reply(200, &[(ETAG, &long)]), about(None, false));
        for (range, expected) in [
            ("bytes 0-5/7", about(None, true)),
            ("bytes 0-5/*", about(None, true)),
            ("bytes 1-5/7", Reply::Not(Unmeasured::NoImage)),
            ("lines 0-5/7", Reply::Not(Unmeasured::NoImage)),
        ] {
            assert_eq!(reply(206, &[(CONTENT_RANGE, range)]), expected, "{range}");
        }
    }

    #[test]
    fn everything_else_says_why_there_is_none() {
        let wait = |seconds| Reply::Wait(Some(Duration::from_secs(seconds)));
        for (status, header, expected) in [
            (304, None, Reply::Same),
            (
                302,
                Some((LOCATION, "/b")),
                Reply::Redirect("/b".to_owned()),
            ),
            (302, None, Reply::Not(Unmeasured::Redirected)),
            (429, Some((RETRY_AFTER, "7")), wait(7)),
            (
                503,
                Some((RETRY_AFTER, "Fri, 27 Nov 2026 03:20:00 GMT")),
                Reply::Wait(None),
            ),
            (503, None, Reply::Wait(None)),
            (404, None, Reply::Not(Unmeasured::Missing)),
            (410, None, Reply::Not(Unmeasured::Missing)),
            (403, None, Reply::Not(Unmeasured::Refused)),
            (204, None, Reply::Not(Unmeasured::Refused)),
            (416, None, Reply::Not(Unmeasured::NoImage)),
            (500, None, Reply::Not(Unmeasured::NoAnswer)),
        ] {
            let headers: Vec<_> = header.into_iter().collect();
            assert_eq!(reply(status, &headers), expected, "{status}");
        }
    }
}
