//! Instants as text: RFC 3339 in, RFC 3339 in UTC out, a fraction of a second kept as given.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;

use jiff::SignedDuration;
use jiff::civil::DateTime;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};

use crate::base::clock::UnixMillis;

/// Why a text is not an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidTimestamp {
    /// Not the grammar of RFC 3339 section 5.6, or without an offset.
    #[error("must be an RFC 3339 date and time with an offset, such as 2026-10-01T12:00:00Z")]
    Form,
    /// A date or time that does not exist, or lies outside the years 0 to 9999 in UTC.
    #[error("must be a date and time that exists, without leap seconds, in the years 0 to 9999")]
    Range,
}

/// An instant whose text form is stable: whole seconds and the digits of its fraction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timestamp {
    unix_seconds: i64,
    fraction: Box<str>,
}

impl Timestamp {
    /// Reads an RFC 3339 date and time with an offset.
    pub fn parse(text: &str) -> Result<Self, InvalidTimestamp> {
        let (date_time, fraction, offset) = split(text).ok_or(InvalidTimestamp::Form)?;
        if date_time.ends_with(":60") {
            return Err(InvalidTimestamp::Range);
        }
        let local: DateTime = date_time
            .to_ascii_uppercase()
            .parse()
            .map_err(|_unreadable: jiff::Error| InvalidTimestamp::Range)?;
        let offset_seconds = offset_seconds(offset).ok_or(InvalidTimestamp::Range)?;
        let unix_seconds = local.duration_since(EPOCH).as_secs() - offset_seconds;
        if !(YEAR_0..=YEAR_9999).contains(&unix_seconds) {
            return Err(InvalidTimestamp::Range);
        }
        Ok(Self {
            unix_seconds,
            fraction: fraction.into(),
        })
    }

    /// The instant `unix_seconds` after the epoch, within the years 0 to 9999.
    pub fn from_unix_seconds(unix_seconds: i64) -> Self {
        Self {
            unix_seconds: unix_seconds.clamp(YEAR_0, YEAR_9999),
            fraction: "".into(),
        }
    }

    /// That instant, to the millisecond.
    pub fn from_unix_millis(millis: UnixMillis) -> Self {
        let fraction = match millis.0.rem_euclid(1000) {
            0 => String::new(),
            fraction => format!("{fraction:03}"),
        };
        Self {
            fraction: fraction.into(),
            ..Self::from_unix_seconds(millis.unix_seconds())
        }
    }

    /// Microseconds since the Unix epoch, what is finer dropped.
    pub fn unix_microseconds(&self) -> i64 {
        let micros = format!("{:0<6.6}", self.fraction);
        self.unix_seconds * 1_000_000 + micros.parse::<i64>().unwrap_or(0)
    }

    /// Seconds since the Unix epoch, the fraction dropped.
    pub const fn unix_seconds(&self) -> i64 {
        self.unix_seconds
    }

    /// The day of the instant in UTC, such as `2026-10-01`.
    pub fn utc_day(&self) -> String {
        let mut text = self.to_string();
        text.truncate("2026-10-01".len());
        text
    }
}

/// Where Unix time begins. Civil times in UTC reach to the end of the year 9999, which `jiff`'s
/// own timestamps do not.
const EPOCH: DateTime = DateTime::constant(1970, 1, 1, 0, 0, 0, 0);
/// 0000-01-01T00:00:00Z
const YEAR_0: i64 = -62_167_219_200;
/// 9999-12-31T23:59:59Z
const YEAR_9999: i64 = 253_402_300_799;

impl Ord for Timestamp {
    /// Earlier first; spellings of one instant that differ in trailing zeros are equal here.
    fn cmp(&self, other: &Self) -> Ordering {
        let key = |t: &Self| (t.unix_seconds, t.fraction.trim_end_matches('0').to_owned());
        key(self).cmp(&key(other))
    }
}

impl PartialOrd for Timestamp {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let since_epoch = SignedDuration::from_secs(self.unix_seconds);
        let utc = EPOCH
            .checked_add(since_epoch)
            .map_err(|_range| fmt::Error)?;
        let whole = utc.strftime("%Y-%m-%dT%H:%M:%S").to_string();
        match &*self.fraction {
            "" => write!(f, "{whole}Z"),
            fraction => write!(f, "{whole}.{fraction}Z"),
        }
    }
}

impl JsonSchema for Timestamp {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Timestamp".into()
    }

    fn json_schema(_generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "date-time" })
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Splits a text of the right form into date and time, digits of the fraction, and offset.
fn split(text: &str) -> Option<(&str, &str, &str)> {
    let (date_time, rest) = text.split_at_checked("2026-10-01T12:00:00".len())?;
    has_form(date_time, "dddd-dd-ddTdd:dd:dd").then_some(())?;
    let (fraction, offset) = match rest.strip_prefix('.') {
        None => ("", rest),
        Some(rest) => {
            let end = rest.find(|c: char| !c.is_ascii_digit())?;
            (end != 0).then(|| rest.split_at(end))?
        }
    };
    let is_offset =
        has_form(offset, "Z") || has_form(offset, "+dd:dd") || has_form(offset, "-dd:dd");
    is_offset.then_some((date_time, fraction, offset))
}

/// Seconds by which a local time with this offset is ahead of UTC. Offsets reach to 23:59.
fn offset_seconds(offset: &str) -> Option<i64> {
    let Some((hours, minutes)) = offset.get(1..)?.split_once(':') else {
        return Some(0);
    };
    let (hours, minutes): (i64, i64) = (hours.parse().ok()?, minutes.parse().ok()?);
    let size = (hours * 60 + minutes) * 60;
    let is_offset = hours <= 23 && minutes <= 59;
    is_offset.then_some(if offset.starts_with('-') { -size } else { size })
}

/// `d` stands for a digit; letters match in either case.
fn has_form(text: &str, form: &str) -> bool {
    text.len() == form.len()
        && text
            .bytes()
            .zip(form.bytes())
            .all(|(byte, expected)| match expected {
                b'd' => byte.is_ascii_digit(),
                _ => byte.to_ascii_uppercase() == expected,
            })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn microseconds_are_counted_and_what_is_finer_is_dropped() {
        for (text, micros) in [
            ("1970-01-01T00:00:01Z", 1_000_000),
            ("1970-01-01T00:00:00.5Z", 500_000),
            ("1970-01-01T01:00:00.000001999999999999999+01:00", 1),
            ("1969-12-31T23:59:59.25Z", -750_000),
            ("9999-12-31T23:59:59.9999999Z", 253_402_300_799_999_999),
            ("0000-01-01T00:00:00Z", -62_167_219_200_000_000),
        ] {
            let timestamp = Timestamp::parse(text).unwrap();
            assert_eq!(timestamp.unix_microseconds(), micros, "{text}");
        }
    }

    #[test]
    fn instants_are_shown_in_utc_with_their_fraction_as_given() {
        let table = [
            ("2026-10-01T12:00:00Z", "2026-10-01T12:00:00Z"),
            ("2026-10-01T12:00:00+02:00", "2026-10-01T10:00:00Z"),
            ("2026-10-01t23:30:00.120-01:30", "2026-10-02T01:00:00.120Z"),
            (
                "2024-02-29T00:00:00.123456789012z",
                "2024-02-29T00:00:00.123456789012Z",
            ),
            ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"),
            ("2026-10-01T12:00:00-00:00", "2026-10-01T12:00:00Z"),
            ("2026-10-01T00:00:00+23:59", "2026-09-30T00:01:00Z"),
            ("2026-10-01T00:00:00-23:59", "2026-10-01T23:59:00Z"),
            ("0000-01-01T00:00:00Z", "0000-01-01T00:00:00Z"),
            ("9999-12-31T23:59:59.9Z", "9999-12-31T23:59:59.9Z"),
        ];
        for (given, shown) in table {
            assert_eq!(
                Timestamp::parse(given).unwrap().to_string(),
                shown,
                "{given}"
            );
        }
    }

    #[test]
    fn a_day_is_that_of_utc() {
        let parsed = Timestamp::parse("2026-10-31T23:30:00.5-01:00").unwrap();
        assert_eq!(parsed.utc_day(), "2026-11-01");
        assert_eq!(Timestamp::from_unix_seconds(-1).utc_day(), "1969-12-31");
        assert_eq!(
            Timestamp::from_unix_seconds(i64::MIN).utc_day(),
            "0000-01-01"
        );
        assert_eq!(
            Timestamp::from_unix_seconds(i64::MAX).utc_day(),
            "9999-12-31"
        );
    }

    #[test]
    fn other_forms_and_impossible_dates_are_refused() {
        for text in [
            "",
            "2026-10-01",
            "2026-10-01T12:00:00",
            "2026-10-01 12:00:00Z",
            "2026-10-01T12:00Z",
            "2026-10-01T12:00:00.Z",
            "2026-10-01T12:00:00+02",
            "2026-10-01T12:00:00Z[UTC]",
            "20261001T120000Z",
            "２026-10-01T12:00:00Z",
            " 2026-10-01T12:00:00Z",
        ] {
            assert_eq!(
                Timestamp::parse(text),
                Err(InvalidTimestamp::Form),
                "{text}"
            );
        }
        for text in [
            "2026-02-29T12:00:00Z",
            "2026-10-01T24:00:00Z",
            "2026-13-01T12:00:00Z",
            "2016-12-31T23:59:60Z",
            "0000-01-01T00:00:00+01:00",
            "9999-12-31T23:59:59-01:00",
            "2026-10-01T12:00:00+24:00",
            "2026-10-01T12:00:00-25:59",
            "2026-10-01T12:00:00+01:60",
        ] {
            assert_eq!(
                Timestamp::parse(text),
                Err(InvalidTimestamp::Range),
                "{text}"
            );
        }
    }

    #[test]
    fn order_is_that_of_the_instants_and_not_of_the_texts() {
        let parse = |text| Timestamp::parse(text).unwrap();
        assert!(parse("2026-10-01T12:00:00+02:00") < parse("2026-10-01T11:00:00Z"));
        assert!(parse("2026-10-01T12:00:00.9Z") < parse("2026-10-01T12:00:01Z"));
        assert!(parse("2026-10-01T12:00:00.09Z") < parse("2026-10-01T12:00:00.1Z"));
        let equal = parse("2026-10-01T12:00:00.10Z").cmp(&parse("2026-10-01T12:00:00.1Z"));
        assert_eq!(equal, Ordering::Equal);
    }
}
