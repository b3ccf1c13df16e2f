//! The last fields of a head: `connection`, and `date` by the app's clock.
//!
//! The HTTP library would write a date too, but it remembers the latest second that it saw: if the
//! wall clock jumps back, its date stays in the future until the clock catches up. The library
//! leaves existing fields alone and appends what is missing. So that `date` stays last, this module
//! also writes the `connection` field that the library would append. The library still decides
//! whether a connection is kept.

use std::cell::RefCell;
use std::time::{Duration, UNIX_EPOCH};

use httpdate::HttpDate;
use salvo::Request;
use salvo::http::header::{CONNECTION, DATE};
use salvo::http::{HeaderMap, HeaderValue, Version};
use shared::base::clock::Moment;

const CLOSE: HeaderValue = HeaderValue::from_static("close");
const KEEP_ALIVE: HeaderValue = HeaderValue::from_static("keep-alive");

thread_local! {
    /// The last date of this thread, with its Unix second: many responses share a second.
    static LAST: RefCell<Option<(i64, HeaderValue)>> = const { RefCell::new(None) };
}

/// Writes whether the connection is kept, if the client must know, and the date, if that is known.
pub(crate) fn write(
    request: &Request,
    is_last: bool,
    now: Option<Moment>,
    headers: &mut HeaderMap,
) {
    let connection = if is_last {
        Some(CLOSE)
    } else {
        wanted_by(request)
    };
    if let Some(connection) = connection {
        headers.insert(CONNECTION, connection);
    }
    if let Some(now) = now {
        headers.insert(DATE, date(now.unix_seconds()));
    }
}

/// The same for a response that the HTTP library never sees, which is the last of its connection.
pub(crate) fn write_last(now: Moment, headers: &mut HeaderMap) {
    headers.insert(CONNECTION, CLOSE);
    headers.insert(DATE, date(now.unix_seconds()));
}

/// The `connection` field for a client that does not want the default of its HTTP version.
fn wanted_by(request: &Request) -> Option<HeaderValue> {
    let fields = request.headers().get_all(CONNECTION).iter();
    let mut options = fields.flat_map(|field| field.as_bytes().split(|byte| *byte == b','));
    let special = match request.version() {
        Version::HTTP_10 => KEEP_ALIVE,
        _ => CLOSE,
    };
    let is_special = |option: &[u8]| option.trim_ascii().eq_ignore_ascii_case(special.as_bytes());
    options.any(is_special).then_some(special)
}

fn date(unix_seconds: i64) -> HeaderValue {
    LAST.with_borrow_mut(|last| match last {
        Some((second, value)) if *second == unix_seconds => value.clone(),
        _ => {
            let value = formatted(unix_seconds);
            *last = Some((unix_seconds, value.clone()));
            value
        }
    })
}

fn formatted(unix_seconds: i64) -> HeaderValue {
    let since = Duration::from_secs(u64::try_from(unix_seconds).unwrap_or(0));
    let date = HttpDate::from(UNIX_EPOCH + since).to_string();
    let value = HeaderValue::try_from(date);
    value.unwrap_or_else(|why| unreachable!("a date is not visible: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_follows_the_clock_both_ways() {
        let table = [
            (1_790_856_000, "Thu, 01 Oct 2026 12:00:00 GMT"),
            (1_790_856_001, "Thu, 01 Oct 2026 12:00:01 GMT"),
            (1_790_856_000, "Thu, 01 Oct 2026 12:00:00 GMT"),
            (-1, "Thu, 01 Jan 1970 00:00:00 GMT"),
        ];
        for (second, expected) in table {
            assert_eq!(date(second), expected);
        }
    }
}
