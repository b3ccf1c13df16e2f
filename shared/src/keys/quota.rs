//! The months of a quota: anchored to the day on which a subscription started.
//!
//! A quota renews on that day of every month, or on the month's last day where the month is
//! shorter, at 00:00:00 UTC. The anchor is never moved by a short month: 31 January, 28 February,
//! 31 March.

use std::fmt;
use std::str::FromStr;

use jiff::civil::Date;
use jiff::{Span, tz::TimeZone};

/// One period of a quota: `start` inclusive, `end` exclusive, Unix seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Period {
    /// When it began.
    pub start: i64,
    /// When the quota renews.
    pub end: i64,
}

/// A month of the calendar, such as `2026-10`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Month {
    first: Date,
}

/// A text that names no month.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be a year from 1970 to 9998 and a month, such as 2026-10")]
pub struct UnknownMonth;

impl Month {
    /// The month that contains `now`, in UTC.
    pub fn containing(now: i64) -> Self {
        let first = date_of(now).first_of_month();
        Self { first }
    }
}

impl FromStr for Month {
    type Err = UnknownMonth;

    fn from_str(text: &str) -> Result<Self, UnknownMonth> {
        let is_right = |(place, byte): (usize, u8)| match place {
            4 => byte == b'-',
            _ => byte.is_ascii_digit(),
        };
        // The library takes other forms of a date too.
        let has_form = text.len() == 7 && text.bytes().enumerate().all(is_right);
        let first = has_form.then(|| format!("{text}-01").parse::<Date>().ok());
        match first.flatten() {
            Some(first) if (1970..=9998).contains(&first.year()) => Ok(Self { first }),
            _ => Err(UnknownMonth),
        }
    }
}

impl fmt::Display for Month {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}", self.first.year(), self.first.month())
    }
}

/// 1970-01-01T00:00:00Z: earlier times count as this one.
const EARLIEST: i64 = 0;
/// 9998-12-31T23:59:59Z: later times count as this one, so that each has a month after it.
const LATEST: i64 = 253_370_764_799;

impl Period {
    /// The period that contains `now`, of a subscription that started at `started_at`.
    pub fn containing(started_at: i64, now: i64) -> Self {
        let month = Month::containing(now);
        let this = Self::beginning_in(started_at, month);
        if midnight(date_of(now)) < this.start {
            let first = month.first.saturating_sub(Span::new().months(1));
            return Self::beginning_in(started_at, Month { first });
        }
        this
    }

    /// The period that begins in `month`, of a subscription that started at `started_at`: each
    /// month has exactly one.
    pub fn beginning_in(started_at: i64, month: Month) -> Self {
        let anchor = date_of(started_at).day();
        let next = month.first.saturating_add(Span::new().months(1));
        Self {
            start: midnight(renewal(month.first, anchor)),
            end: midnight(renewal(next, anchor)),
        }
    }

    /// Whether `now` lies in it.
    pub const fn contains(self, now: i64) -> bool {
        self.start <= now && now < self.end
    }
}

/// The day of renewal in the month that begins on `first`.
fn renewal(first: Date, anchor: i8) -> Date {
    let day = anchor.min(first.days_in_month());
    first.saturating_add(Span::new().days(day - 1))
}

fn date_of(unix_seconds: i64) -> Date {
    let clamped = unix_seconds.clamp(EARLIEST, LATEST);
    let timestamp = jiff::Timestamp::from_second(clamped).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    TimeZone::UTC.to_datetime(timestamp).date()
}

fn midnight(date: Date) -> i64 {
    let days = (date - Date::constant(1970, 1, 1)).get_days();
    i64::from(days) * 86_400
}

#[cfg(test)]
mod tests;
