//! Every anchor day in every month of four years, leap year included, against counting days.

use proptest::prelude::*;

use super::*;
use crate::base::timestamp::Timestamp;

const DAY: i64 = 86_400;
/// 2027-01-01T00:00:00Z. The four years that follow contain the leap year 2028.
const FIRST: i64 = 1_798_761_600;
const MONTHS: i64 = 48;

/// Days of the `month`-th month after December 2026, by the rhyme.
fn days_in(month: i64) -> i64 {
    let year = 2027 + month / 12;
    match month % 12 {
        1 if year % 4 == 0 => 29,
        1 => 28,
        3 | 5 | 8 | 10 => 30,
        _ => 31,
    }
}

/// Midnight of the day of renewal in the `month`-th month, found by counting days.
fn renewal_by_counting(month: i64, anchor: i64) -> i64 {
    let days_before: i64 = (0..month).map(days_in).sum();
    FIRST + (days_before + anchor.min(days_in(month)) - 1) * DAY
}

#[test]
fn every_anchor_day_renews_in_every_month() {
    for anchor in 1..=31 {
        let started_at = FIRST + (anchor - 1) * DAY + 45_296;
        for month in 0..MONTHS - 1 {
            let (start, end) = (
                renewal_by_counting(month, anchor),
                renewal_by_counting(month + 1, anchor),
            );
            let period = Period { start, end };
            for now in [start, start + 1, i64::midpoint(start, end), end - 1] {
                assert_eq!(
                    Period::containing(started_at, now),
                    period,
                    "{anchor} {month} {now}"
                );
            }
        }
    }
}

#[test]
fn the_first_period_begins_on_the_day_of_the_start() {
    let started_at = 1_791_123_456;
    let period = Period::containing(started_at, started_at);
    assert_eq!(period.start, started_at - started_at % DAY);
}

proptest! {
    #[test]
    fn any_time_lies_in_its_period_and_periods_touch(
        started_at in 0..4_102_444_800_i64,
        now in 0..4_102_444_800_i64,
    ) {
        let period = Period::containing(started_at, now);
        prop_assert!(period.start <= now && now < period.end);
        prop_assert!((28 * DAY..=31 * DAY).contains(&(period.end - period.start)));
        let next = Period::containing(started_at, period.end);
        prop_assert_eq!(next.start, period.end);
    }

    #[test]
    fn no_time_is_out_of_range(started_at: i64, now: i64) {
        let period = Period::containing(started_at, now);
        prop_assert!(period.start < period.end);
    }
}

#[test]
fn a_month_has_one_period_that_begins_in_it() {
    let at = |text: &str| Timestamp::parse(text).unwrap().unix_seconds();
    for (started_at, month, start, end) in [
        (
            "2026-01-31T12:00:00Z",
            "2026-02",
            "2026-02-28",
            "2026-03-31",
        ),
        (
            "2026-01-31T12:00:00Z",
            "2026-12",
            "2026-12-31",
            "2027-01-31",
        ),
        (
            "2026-10-01T00:00:00Z",
            "2026-10",
            "2026-10-01",
            "2026-11-01",
        ),
        (
            "2026-10-15T23:59:59Z",
            "2026-10",
            "2026-10-15",
            "2026-11-15",
        ),
    ] {
        let month: Month = month.parse().unwrap();
        let period = Period::beginning_in(at(started_at), month);
        let midnight = |date: &str| at(&format!("{date}T00:00:00Z"));
        assert_eq!(period.start, midnight(start), "{started_at} {month}");
        assert_eq!(period.end, midnight(end), "{started_at} {month}");
        assert_eq!(Period::containing(at(started_at), period.start), period);
    }
}

#[test]
fn a_month_is_a_year_and_a_month() {
    for text in ["1970-01", "2026-10", "9998-12"] {
        assert_eq!(text.parse::<Month>().unwrap().to_string(), text);
    }
    for text in [
        "",
        "2026",
        "2026-1",
        "2026-00",
        "2026-13",
        "26-10",
        "2026/10",
        "2026-10-01",
        "+026-10",
        "1969-12",
        "9999-01",
        "2026-é",
        " 2026-10",
    ] {
        assert_eq!(text.parse::<Month>(), Err(UnknownMonth), "{text:?}");
    }
}
