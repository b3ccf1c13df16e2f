//! Durations as typed: a number with `s`, `m`, `h` or `d`, such as `2s`, `24h`, `90d`.
//!
//! Libraries accept more than the documentation promises, such as `1month` or `1h 5m`, and show 24h
//! as a day.

use std::fmt;
use std::time::Duration;

/// Longest duration: ten years of 365 days.
pub const DURATION_MAX: Duration = Duration::from_hours(3650 * 24);
/// Units in seconds, the longest first.
const UNITS: [(char, u64); 4] = [('d', 24 * 60 * 60), ('h', 60 * 60), ('m', 60), ('s', 1)];

/// A duration in the form in which it is typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TypedDuration(pub Duration);

/// Shown in the longest unit that fits at least twice, since 24h is clearer than 1d.
impl fmt::Display for TypedDuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0.as_secs();
        let fits = |(_, unit): &(char, u64)| seconds.is_multiple_of(*unit) && 2 <= seconds / unit;
        let (letter, unit) = UNITS.into_iter().find(fits).unwrap_or(('s', 1));
        write!(f, "{}{letter}", seconds / unit)
    }
}

/// Why a text is not a duration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidDuration {
    /// Not a number and a unit.
    #[error("must be a whole number and s, m, h or d, such as 2s, 24h or 90d")]
    Form,
    /// Zero, where zero makes no sense.
    #[error("must be more than zero")]
    Zero,
    /// Longer than [`DURATION_MAX`].
    #[error("must be at most {}", TypedDuration(DURATION_MAX))]
    TooLong,
}

/// Reads a duration; zero is allowed, and needs no unit.
pub fn parse(text: &str) -> Result<Duration, InvalidDuration> {
    if text == "0" {
        return Ok(Duration::ZERO);
    }
    let with_unit = |(letter, seconds)| Some((text.strip_suffix(letter)?, seconds));
    let found = UNITS.into_iter().find_map(with_unit);
    let (digits, unit_seconds) = found.ok_or(InvalidDuration::Form)?;
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(InvalidDuration::Form);
    }
    // Digits that do not fit the type are still a number, but too long.
    let number = digits.parse::<u64>().unwrap_or(u64::MAX);
    let duration = Duration::from_secs(number.saturating_mul(unit_seconds));
    if DURATION_MAX < duration {
        return Err(InvalidDuration::TooLong);
    }
    Ok(duration)
}

/// Reads a duration that is not zero.
pub fn parse_positive(text: &str) -> Result<Duration, InvalidDuration> {
    match parse(text)? {
        Duration::ZERO => Err(InvalidDuration::Zero),
        duration => Ok(duration),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_and_a_unit_are_a_duration() {
        let table = [
            ("0", 0),
            ("0s", 0),
            ("2s", 2),
            ("15m", 900),
            ("24h", 86_400),
            ("90d", 7_776_000),
            ("007s", 7),
            ("3650d", DURATION_MAX.as_secs()),
        ];
        for (text, seconds) in table {
            assert_eq!(parse(text), Ok(Duration::from_secs(seconds)), "{text}");
        }
    }

    #[test]
    fn a_duration_is_shown_as_it_could_be_typed() {
        for text in [
            "0s", "1s", "60s", "2m", "90m", "24h", "36h", "2d", "365d", "3650d",
        ] {
            assert_eq!(TypedDuration(parse(text).unwrap()).to_string(), text);
        }
        assert_eq!(TypedDuration(Duration::from_hours(48)).to_string(), "2d");
    }

    #[test]
    fn other_forms_are_refused() {
        for text in [
            "", "s", "24", "1.5h", "-1h", "+1h", " 1h", "1h ", "1 h", "1w", "1H", "é", "1é",
        ] {
            assert_eq!(parse(text), Err(InvalidDuration::Form), "{text:?}");
        }
    }

    #[test]
    fn zero_is_refused_where_it_means_nothing() {
        for text in ["0", "0d"] {
            assert_eq!(parse_positive(text), Err(InvalidDuration::Zero), "{text}");
        }
        assert_eq!(parse_positive("1s"), Ok(Duration::from_secs(1)));
    }

    #[test]
    fn more_than_ten_years_is_too_long() {
        for text in [
            "3651d",
            "315360001s",
            "99999999999999999999d",
            "18446744073709551615d",
        ] {
            assert_eq!(parse(text), Err(InvalidDuration::TooLong), "{text}");
        }
    }
}
