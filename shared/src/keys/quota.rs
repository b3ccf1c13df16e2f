//! The months of a quota: anchored to the day on which a subscription started.
//!
//! A quota renews on that day of every month, or on the month's last day where the month is
//! shorter, at 00:00:00 UTC. The anchor is never moved by a short month: 31 January, 28 February,
//! 31 March.

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

/// 1970-01-01T00:00:00Z: earlier times count as this one.
const EARLIEST: i64 = 0;
/// 9998-12-31T23:59:59Z: later times count as this one, so that each has a month after it.
const LATEST: i64 = 253_370_764_799;

impl Period {
    /// The period that contains `now`, of a subscription that started at `started_at`.
    pub fn containing(started_at: i64, now: i64) -> Self {
        let anchor = date_of(started_at).day();
        let today = date_of(now);
        let this_month = renewal(today.first_of_month(), anchor);
        let month = Span::new().months(1);
        let (start, end) = if this_month <= today {
            let next = today.first_of_month().saturating_add(month);
            (this_month, renewal(next, anchor))
        } else {
            let previous = today.first_of_month().saturating_sub(month);
            (renewal(previous, anchor), this_month)
        };
        Self {
            start: midnight(start),
            end: midnight(end),
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
