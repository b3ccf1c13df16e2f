//! The last fields of a head: `connection`, and `date` as the clock of the app has it.
//!
//! The HTTP library would write a date too, but remembers the latest second that it saw: where the
//! wall clock jumps back, its date stays in the future until that comes. What is there already it
//! leaves alone, and what it adds it adds behind; so what it would say of the connection is said
//! here before it, in its words. Whether a connection is kept is the library's decision.

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
    /// The last one of this thread, with its Unix second: most answers share it with others.
    static LAST: RefCell<Option<(i64, HeaderValue)>> = const { RefCell::new(None) };
}

/// Writes what becomes of the connection, where its client has to know, and the date, where that
/// is known.
pub(crate) fn write(
    request: &Request,
    is_last: bool,
    now: Option<&Moment>,
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

/// The same for an answer that the HTTP library never sees, which is the last of its connection.
pub(crate) fn write_last(now: Moment, headers: &mut HeaderMap) {
    headers.insert(CONNECTION, CLOSE);
    headers.insert(DATE, date(now.unix_seconds()));
}

/// The answer to a client that wants something else than its version of HTTP means by itself.
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
