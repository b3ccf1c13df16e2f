//! What the values of a key look like, and so how they can be read.
//!
//! Nothing here knows what the key is called.

use super::names::Reading;
use super::survey::{Key, Shape};
use crate::mapping::status::words::flag_of;

/// Whether the values of a key can be read as `reading`.
pub(super) fn is_read(reading: Reading, key: &Key) -> bool {
    let is_deep = key.shape == Shape::Deep;
    let is_photos = key.photos.is_some() && reading == Reading::Images;
    if is_deep && !is_photos || key.samples.is_empty() {
        return false;
    }
    let is_list = matches!(
        reading,
        Reading::Names | Reading::Texts | Reading::Prose | Reading::Images
    );
    if key.shape == Shape::List && !is_list {
        return false;
    }
    let has_number = |value: &str| value.bytes().any(|byte| byte.is_ascii_digit());
    let begins_with_number = |value: &str| {
        let first = value.trim_start_matches(|c: char| !c.is_alphanumeric());
        first.starts_with(|c: char| c.is_ascii_digit())
    };
    match reading {
        Reading::Id => key.all(|value| value.len() <= 200),
        Reading::Slug => key.all(is_slug),
        // A time of day in no zone would be another time.
        Reading::Time => time_of(key).is_some_and(|read| !read.contains("%H")),
        Reading::Text | Reading::Texts | Reading::Prose => key.shape != Shape::Flag,
        Reading::Name | Reading::Names => {
            key.shape >= Shape::Text && key.mostly(|value| value.len() <= 120)
        }
        Reading::Year => key.mostly(|value| year_of(value).is_some()),
        Reading::Unit => key.all(|value| system_of(value).is_some()),
        Reading::Number
        | Reading::Distance
        | Reading::Area
        | Reading::Weight
        | Reading::Speed
        | Reading::Angle => key.mostly(begins_with_number),
        Reading::Price => key.mostly(has_number),
        Reading::Currency => {
            key.all(|value| value.len() == 3 && value.bytes().all(|byte| byte.is_ascii_uppercase()))
        }
        Reading::Flag => key.all(|value| flag_of(value).is_some()),
        Reading::Image | Reading::Images => key.mostly(|value| value.starts_with("http")),
    }
}

/// Whether a string can be used in a URL unchanged.
pub(super) fn is_slug(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    text.len() <= 200
        && text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.bytes().all(is_plain)
}

/// Whether a string is a time with an offset (RFC 3339).
fn is_time(text: &str) -> bool {
    let (day, time) = text.split_at_checked(10).unwrap_or((text, ""));
    let has_offset = time.ends_with('Z') || time.rfind(['+', '-']).is_some_and(|at| 8 < at);
    has_shape(day, "0000-00-00") && time.starts_with('T') && has_offset
}

/// Forms of times without a zone, with zeros for digits, and what reads them as times of UTC. In
/// dates with dots, the day comes first.
const TIMES: [(&str, &str); 9] = [
    ("0000-00-00", r#"time("%Y-%m-%d"; "UTC")"#),
    ("0000-00-00 00:00", r#"time("%Y-%m-%d %H:%M"; "UTC")"#),
    ("0000-00-00 00:00:00", r#"time("%Y-%m-%d %H:%M:%S"; "UTC")"#),
    ("0000-00-00T00:00:00", r#"time("%Y-%m-%dT%H:%M:%S"; "UTC")"#),
    ("00.00.0000", r#"time("%d.%m.%Y"; "UTC")"#),
    ("00.00.0000 00:00", r#"time("%d.%m.%Y %H:%M"; "UTC")"#),
    ("00.00.0000 00:00:00", r#"time("%d.%m.%Y %H:%M:%S"; "UTC")"#),
    // Seconds and milliseconds since 1970.
    ("0000000000", "tonumber | todate"),
    ("0000000000000", "tonumber / 1000 | todate"),
];

/// The forms of dates in a workbook, of which those with a time at midnight have none.
const CELLS: [&str; 2] = ["0000-00-00", "0000-00-00T00:00:00"];
/// What reads them.
const OF_CELLS: &str = r#"(. + "T00:00:00")[:19] | time("%Y-%m-%dT%H:%M:%S"; "UTC")"#;

/// What reads the times of a key, which all have one form: an expression for a time with an offset.
/// Those of zeros alone, as databases write them, are none. `None` if their form is not known.
pub(super) fn time_of(key: &Key) -> Option<&'static str> {
    let is_any = |value: &&String| !value.chars().all(|c| "-0:. TZ".contains(c));
    let mut times = key.samples.iter().filter(is_any).peekable();
    times.peek()?;
    if times.clone().all(|time| is_time(time)) {
        return Some(".");
    }
    let is_of = |(shape, _): &&(&str, &str)| times.clone().all(|time| has_shape(time, shape));
    let mixed = times
        .clone()
        .all(|time| CELLS.iter().any(|shape| has_shape(time, shape)));
    let read = TIMES.iter().find(is_of).map(|(_, read)| *read);
    read.or(mixed.then_some(OF_CELLS))
}

/// Whether a string matches `shape`, in which `0` stands for any digit.
fn has_shape(text: &str, shape: &str) -> bool {
    let digit_or_same = |c: char| if c.is_ascii_digit() { '0' } else { c };
    text.chars().map(digit_or_same).eq(shape.chars())
}

fn year_of(text: &str) -> Option<u16> {
    let mut numbers = text.split(|c: char| !c.is_ascii_digit());
    let year = numbers.find(|number| number.len() == 4)?.parse().ok()?;
    (1800..=2100).contains(&year).then_some(year)
}

/// The unit system that a word means.
pub(super) fn system_of(word: &str) -> Option<&'static str> {
    match word.trim().to_ascii_lowercase().as_str() {
        "metric" | "m" | "si" | "metre" | "metres" | "meter" | "meters" => Some("metric"),
        "imperial" | "ft" | "feet" | "foot" | "us" => Some("imperial"),
        _ => None,
    }
}
