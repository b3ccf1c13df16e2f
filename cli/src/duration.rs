//! Durations as they are typed: `N` and `s`, `m`, `h` or `d`, such as `2s`, `24h`, `90d`.

use std::time::Duration;

/// Longest duration, in seconds: ten years of 365 days.
pub const DURATION_MAX_SECONDS: u64 = 3650 * 24 * 60 * 60;

/// Why a text is not a duration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidDuration {
    /// Not a number and a unit.
    #[error("must be a whole number and s, m, h or d, such as 2s, 24h or 90d")]
    Form,
    /// Zero, where that means nothing.
    #[error("must be more than zero")]
    Zero,
    /// Longer than [`DURATION_MAX_SECONDS`].
    #[error("must be at most 3650d")]
    TooLong,
}

/// Reads a duration; zero is one.
pub fn parse(text: &str) -> Result<Duration, InvalidDuration> {
    let unit_seconds = match text.bytes().last() {
        Some(b's') => 1,
        Some(b'm') => 60,
        Some(b'h') => 60 * 60,
        Some(b'd') => 24 * 60 * 60,
        _ => return Err(InvalidDuration::Form),
    };
    let digits = &text[..text.len() - 1];
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(InvalidDuration::Form);
    }
    // Digits that do not fit are a number all the same, and too long.
    let number = digits.parse::<u64>().unwrap_or(u64::MAX);
    let seconds = number.saturating_mul(unit_seconds);
    if DURATION_MAX_SECONDS < seconds {
        return Err(InvalidDuration::TooLong);
    }
    Ok(Duration::from_secs(seconds))
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
            ("0s", 0),
            ("2s", 2),
            ("15m", 900),
            ("24h", 86_400),
            ("90d", 7_776_000),
            ("007s", 7),
            ("3650d", DURATION_MAX_SECONDS),
        ];
        for (text, seconds) in table {
            assert_eq!(parse(text), Ok(Duration::from_secs(seconds)), "{text}");
        }
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
        assert_eq!(parse_positive("0d"), Err(InvalidDuration::Zero));
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
